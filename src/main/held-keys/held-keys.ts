import { assignedBy } from '#shared/commands/assigned.ts';
import { type Combination, parseCombination } from '#shared/commands/combination.ts';
import type { PhaseReport } from '#shared/host/contract.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import type { Settings } from '#shared/settings/schema.ts';

/** Sooner than a person notices, and cheap: the keyboard is asked only while a conversation has a key to be held. */
export const ASK_EVERY_MS = 25;

/** A keyboard that can be asked while any program has it. */
export interface Keyboard {
	/** Whether the keys of one of these are down now. Rejects when it can be asked no more. */
	anyDown(combinations: readonly Combination[]): Promise<boolean>;
	close(): void;
}

export interface HeldKeysParts {
	/** Null where this system tells nobody of keys that are held in other programs. */
	readonly open: (() => Promise<Keyboard>) | null;
	readonly clock: Clock;
	readonly log: Logger;
	/** The keys went down, or up. */
	readonly held: (down: boolean) => void;
	/** `works` is another. */
	readonly changed: () => void;
}

/** Keys that are held while another program is in front. */
export interface HeldKeys {
	/** False: nobody tells of a release here. */
	works(): boolean;
	/** Combinations (combination.ts) to look for from now on; none: the keyboard is let go of. */
	follow(texts: readonly string[]): void;
	close(): void;
}

/** Combinations that are looked for: only while they can do anything, because whoever looks sees every key. */
export function keysToHold(
	{ globalKeys, shortcuts, talk }: Pick<Settings, 'globalKeys' | 'shortcuts' | 'talk'>,
	phase: PhaseReport,
): readonly string[] {
	const isLive = phase !== 'idle' && phase !== 'failed';
	return isLive && globalKeys && talk !== 'open' ? (assignedBy(shortcuts).get('global.talk') ?? []) : [];
}

export function createHeldKeys({ open, clock, log, held, changed }: HeldKeysParts): HeldKeys {
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
		// Nobody is heard on because nobody looks any more.
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
			// Closed by ourselves, it was not the keyboard's doing.
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
		works: () => works,
		follow(texts) {
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
