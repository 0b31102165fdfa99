import type { PhaseReport } from '#shared/host/contract.ts';
import { assignedBy } from '#shared/keys/assigned.ts';
import { type Combination, parseCombination } from '#shared/keys/combination.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import type { Settings } from '#shared/settings/schema.ts';

/** Polling interval: faster than a person notices, and only while a conversation has a key to hold. */
export const ASK_EVERY_MS = 25;

/** A keyboard that can be polled whichever program has the focus. */
export interface Keyboard {
	/** Resolves to true if all keys of a combination are down now. Rejects once the keyboard cannot be polled any more. */
	anyDown(combinations: readonly Combination[]): Promise<boolean>;
	close(): void;
}

/** Combinations to watch: none while they have no effect, because watching means seeing every key. */
export function keysToHold(
	{ globalKeys, shortcuts, talk }: Pick<Settings, 'globalKeys' | 'shortcuts' | 'talk'>,
	phase: PhaseReport,
): readonly string[] {
	const isLive = phase !== 'idle' && phase !== 'failed';
	return isLive && globalKeys && talk !== 'open' ? (assignedBy(shortcuts).get('global.talk') ?? []) : [];
}

export type HeldKeys = ReturnType<typeof createHeldKeys>;

/** Watches keys that are held while another program is in front. */
export function createHeldKeys({
	open,
	clock,
	log,
	held,
	changed,
}: {
	/** Null if the system cannot report keys held in other programs. */
	readonly open: (() => Promise<Keyboard>) | null;
	readonly clock: Clock;
	readonly log: Logger;
	/** Called when the keys go down or up. */
	readonly held: (down: boolean) => void;
	/** Called when `works` has changed. */
	readonly changed: () => void;
}) {
	let wanted: readonly Combination[] = [];
	let works = open !== null;
	let isDown = false;
	let keyboard: Keyboard | null = null;
	let isBusy = false;
	let stop: Cancel | null = null;

	function tell(down: boolean): void {
		if (down === isDown) return;
		isDown = down;
		held(down);
	}

	function end(): void {
		stop?.();
		stop = null;
		keyboard?.close();
		keyboard = null;
		// Otherwise a key would seem to stay down, because the polling has ended.
		tell(false);
	}

	async function look(asked: () => Promise<Keyboard>): Promise<void> {
		if (isBusy) return;
		isBusy = true;
		const round = stop;
		try {
			keyboard ??= await asked();
			const down = await keyboard.anyDown(wanted);
			if (stop) tell(down);
			else end();
		} catch (failure) {
			// We closed it ourselves, so this is no fault of the keyboard.
			if (!stop) end();
			else if (stop === round) {
				log.warn('keys cannot be held in other programs', { failure: String(failure) });
				works = false;
				end();
				changed();
			}
		} finally {
			isBusy = false;
		}
	}

	return {
		/** False if nothing here reports when a key is released. */
		works: (): boolean => works,
		/** Combinations (combination.ts) to watch from now on; none: the keyboard is released. */
		follow(texts: readonly string[]): void {
			wanted = texts.flatMap((text) => parseCombination(text) ?? []);
			if (wanted.length === 0 || !works || !open) {
				end();
				return;
			}
			stop ??= clock.every(ASK_EVERY_MS, () => void look(open));
		},
		close: end,
	};
}
