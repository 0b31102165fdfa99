import { createScope } from '#shared/lib/scope.ts';
import { createActivity } from '#shared/sound/activity.ts';
import type { Level } from '#shared/sound/level.ts';
import { type TapParts, tapLevelLater } from './level-tap.ts';

/** An open microphone that is silent for this long is reported (faults row 86). */
const SILENT_AFTER_MS = 8000;
/** A microphone that works, noise suppression and all, peaks above this even in a quiet room. */
export const SIGNAL_DB = -80;
/** Speech near a microphone; typing and breathing stay below or are shorter than the attack. */
const SPEECH = { onDb: -40, offDb: -50, attackMs: 250, holdMs: 400 };
/** Least time between two "you are muted" notices. */
const REPEAT_MUTED_MS = 20_000;

export interface MicrophoneWatch {
	setMuted(muted: boolean): void;
	close(): void;
}

/**
 * Watches an open microphone on a copy of its track, which stays enabled while the original is muted. The copy is
 * measured here, each reading is passed to `measured` as well, and it goes nowhere else.
 */
export function watchMicrophone(
	parts: TapParts,
	track: MediaStreamTrack,
	tell: (event: 'silent' | 'speaking-while-muted') => void,
	measured: (rmsDb: number) => void = () => {},
): MicrophoneWatch {
	const copy = track.clone();
	copy.enabled = true;
	const speech = createActivity(SPEECH);
	let muted = !track.enabled;
	let soundAtMs = parts.clock.now();
	let toldSilent = false;
	let toldMutedAtMs = Number.NEGATIVE_INFINITY;

	function heard(level: Level): void {
		measured(level.rmsDb);
		const now = parts.clock.now();
		if (level.peakDb > SIGNAL_DB) {
			soundAtMs = now;
			toldSilent = false;
		}
		const speaking = speech.push(level.rmsDb, now);
		if (muted) {
			if (speaking && now - toldMutedAtMs >= REPEAT_MUTED_MS) {
				toldMutedAtMs = now;
				tell('speaking-while-muted');
			}
		} else if (!toldSilent && now - soundAtMs >= SILENT_AFTER_MS) {
			toldSilent = true;
			tell('silent');
		}
	}

	const scope = createScope(parts.clock);
	scope.add(() => copy.stop());
	scope.add(tapLevelLater(parts, copy, heard));

	return {
		setMuted(next) {
			if (next === muted) return;
			muted = next;
			// Muted and unmuted times are judged separately.
			soundAtMs = parts.clock.now();
			toldSilent = false;
			toldMutedAtMs = Number.NEGATIVE_INFINITY;
			speech.reset();
		},
		close: () => scope.close(),
	};
}
