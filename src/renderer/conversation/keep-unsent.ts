import type { ModelsView } from '#renderer/models/models-mirror.ts';
import { hereBlock } from '#renderer/models/needed-models.ts';
import type { SettingsView } from '#renderer/settings/settings-mirror.ts';
import type { Parts } from '#renderer/shell/parts.ts';
import { createPcmCapture, type PcmCapture } from '#renderer/sound/pcm-capture.ts';
import type { AccountStatus } from '#shared/host/contract.ts';
import { type LegName, legNames } from '#shared/leg-name.ts';
import type { Cancel } from '#shared/lib/clock.ts';
import { UNSENT_MS } from '#shared/protocol/limits.ts';
import { choicesOf, planOf } from './choices.ts';
import { isOver } from './conversation.ts';
import type { Unsent, UnsentKeeper } from './unsent-speech.ts';

/** A text arrives about this long after its last word, ms: the service has heard all earlier speech. */
const TEXT_MS = 1000;

type KeepParts = Pick<Parts, 'account' | 'clock' | 'legs' | 'models' | 'settings'>;

/** Whether this computer can continue what the service interprets now. */
export function canGoOnHere(
	{ values, origins }: SettingsView,
	status: AccountStatus,
	models: ModelsView,
): boolean {
	// An option or a variable fixes the service, whatever is chosen here.
	if (origins.service === 'option' || origins.service === 'variable') return false;
	// The status as it would be once this computer was chosen.
	const account = { ...status, sandbox: 'running' as const };
	return hereBlock({ account, models }, planOf(choicesOf(values))) === null;
}

/**
 * Keeps the last seconds of each direction while the service interprets and this computer could take over, so
 * that this computer can interpret speech the service did not hear. The sound is only in this window's memory,
 * and is dropped with the conversation. Returns a function that stops this.
 */
export function keepUnsent(parts: KeepParts, unsent: { readonly [Name in LegName]: Unsent }): Cancel {
	const { account, models, settings } = parts;
	const follows = legNames.map((name) => keepLeg(name, unsent[name], parts));
	const settle = () => {
		for (const follow of follows) follow();
	};
	const ends = [
		account.store.subscribe(settle),
		settings.store.subscribe(settle),
		models.store.subscribe(settle),
		models.takeOver.subscribe(settle),
		...legNames.flatMap((name, index) =>
			parts.legs[name].conversation.store.subscribe(() => follows[index]?.()),
		),
	];
	return () => {
		for (const end of ends) end();
	};
}

/** Returns a function to call when anything has changed. */
function keepLeg(name: LegName, unsent: Unsent, parts: KeepParts): () => void {
	const { clock, account, models, settings } = parts;
	const { conversation } = parts.legs[name];
	let track: MediaStreamTrack | null = null;
	let capture: PcmCapture | null = null;
	/** The service has heard all speech before this time, monotonic ms. */
	let heardMs = 0;
	/** True if the conversation closed the source, but it remains open for the next conversation. */
	let isHeld = false;
	let isPaused = false;
	let wasLive = false;
	/** Marks speech as lost, except what is kept from `keptMs` on; in order of time. */
	let marks: ((keptMs?: number) => void)[] = [];
	let lost = (): void => {};
	let cancelExpiry: Cancel | null = null;

	const isMoving = () => models.takeOver.getState().isMoving;
	const isHere = () => account.store.getState().status.service === 'local';

	function begin(): void {
		lost = drop;
		capture = createPcmCapture({ engine: unsent.engine, clock, lost: () => lost(), keptMs: UNSENT_MS });
		capture.setTrack(track);
	}

	function markLost(keptMs?: number): void {
		for (const mark of marks) mark(keptMs);
		marks = [];
	}

	function drop(): void {
		capture?.close();
		capture = null;
		markLost();
	}

	/** How much of the latest speech the service may not have heard, and is kept, ms. */
	const unheardMs = () => Math.min(clock.now() - heardMs + TEXT_MS, UNSENT_MS);

	function live(): void {
		const { status } = account.store.getState();
		const isService = status.service === 'service';
		const view = models.store.getState();
		if (isService && !view.choice && !wasLive) void models.load();
		const isWanted = isService && canGoOnHere(settings.store.getState(), status, view);
		if (isWanted && !capture) begin();
		else if (!isWanted) drop();
		if (wasLive) return;
		wasLive = true;
		heardMs = clock.now();
		markLost();
	}

	function follow(): void {
		const view = conversation.store.getState();
		const isStopped = isOver(view) || view.phase === 'ending';
		if (!isStopped) {
			isPaused = view.paused;
			// Speech during a pause is not meant for an interpreter.
			capture?.setTrack(isPaused ? null : track);
		}
		if (view.phase === 'live') live();
		else wasLive = false;
		if (view.phase !== 'failed') {
			cancelExpiry?.();
			cancelExpiry = null;
		} else cancelExpiry ??= clock.after(UNSENT_MS, drop);
		if (!isStopped || isMoving()) return;
		if (isHeld) close();
		// Keep the speech after a failure: the user may continue on this computer.
		if (view.phase !== 'failed') drop();
	}

	const keeper: UnsentKeeper = {
		track(next) {
			track = next;
			isHeld = false;
			capture?.setTrack(isPaused ? null : track);
		},
		holds() {
			isHeld = capture !== null && isMoving();
			// A source that is muted or paused now remains unheard until the next conversation changes that.
			if (isHeld && (isPaused || !track?.enabled)) capture?.setTrack(null);
			return isHeld;
		},
		take() {
			if (!capture || !isHere()) return null;
			const taken = capture;
			capture = null;
			const nowMs = clock.now();
			const fromMs = nowMs - taken.keepLast(unheardMs());
			markLost(fromMs);
			return {
				capture: taken,
				fromMs,
				setLost(next) {
					lost = next;
				},
			};
		},
		keeps: () => capture !== null,
		lost(mark, wasOff) {
			if (!capture) return mark();
			if (wasOff) return void marks.push(() => mark());
			const keptMs = clock.now() - unheardMs();
			mark(Number.NEGATIVE_INFINITY, keptMs);
			marks.push((toMs) => mark(keptMs, toMs));
		},
		settle() {
			if (!isMoving()) markLost();
		},
	};
	const close = unsent.keepBy(keeper);
	conversation.captions.store.subscribe(({ rows }) => {
		const newest = conversation.captions.row(rows - 1);
		// A typed text does not show which sound was heard.
		if (wasLive && newest?.source && !newest.typed) heardMs = clock.now();
	});
	return follow;
}
