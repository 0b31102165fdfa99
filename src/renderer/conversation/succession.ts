import type { AudioEngine } from '#renderer/sound/context.ts';
import { createVoiceHold, type VoiceHold } from '#renderer/sound/held-mixer.ts';
import { READING_MS, tapLevelLater } from '#renderer/sound/meter.ts';
import { createVoice } from '#renderer/sound/mixer.ts';
import { dueMs, type Machine, step } from '#shared/conversation/machine/succession.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import { createSpeechGap } from '#shared/sound/activity.ts';

export interface Succession extends Machine {
	/** Makes the voice of the next session wait until the previous one has finished. */
	readonly keepVoice: KeepVoice;
	/** While a track is silent, reports about every 40 ms for how long, in ms. Returns a stop function. */
	readonly pauses: (track: MediaStreamTrack, quiet: (ms: number) => void) => Cancel;
}

/** Everything needed to replace a live session; a separate file, loaded once a session is live. */
export function createSuccession(parts: {
	readonly engine: AudioEngine;
	readonly clock: Clock;
	readonly log: Logger;
}): Succession {
	return {
		step,
		dueMs,
		keepVoice: createKeepVoice(parts),
		pauses(track, quiet) {
			const gap = createSpeechGap();
			const heard = ({ rmsDb }: { readonly rmsDb: number }) => {
				const ms = gap.push(rmsDb, parts.clock.now());
				if (ms > 0) quiet(ms);
			};
			return tapLevelLater(parts, track, heard, READING_MS);
		},
	};
}

/** A voice waiting for another: its sound is kept, and played afterwards with shortened pauses. */
export interface KeptVoice {
	/** The track to play in place of the voice while any sound waits; null while the track is being created. */
	readonly track: MediaStreamTrack | null;
	waits(): boolean;
	/** Plays the kept sound, and then the voice as it arrives. Calling it twice is harmless. */
	letGo(): void;
	close(): void;
}

/** `changed` is called when `track` has changed, or when no sound waits any more. */
export type KeepVoice = (track: MediaStreamTrack, changed: () => void) => KeptVoice;

export function createKeepVoice(parts: {
	readonly engine: AudioEngine;
	readonly clock: Clock;
	readonly log: Logger;
}): KeepVoice {
	return (track, changed) => {
		// Chromium delivers the sound of a remote track only while an element plays it.
		const input = createVoice(track, { clock: parts.clock, blocked: () => {} });
		let held = true;
		let waiting = false;
		let output: MediaStreamTrack | null = null;
		let hold: VoiceHold | null = null;
		let closed = false;

		function tell(waits: boolean): void {
			if (waits === waiting) return;
			waiting = waits;
			if (!closed && !held) changed();
		}

		const leave = parts.engine.use((context) => {
			const destination = context.createMediaStreamDestination();
			const source = context.createMediaStreamSource(new MediaStream([track]));
			let own: VoiceHold | null = null;
			let gone = false;
			output = destination.stream.getAudioTracks()[0] ?? null;
			void createVoiceHold(context, parts.log, tell).then((made) => {
				if (gone) return made?.end();
				own = made;
				hold = made;
				// Without the worklet the voice cannot wait; no more is lost than without this feature.
				if (!made) return;
				made.hold(held);
				source.connect(made.node).connect(destination);
			});
			return () => {
				gone = true;
				own?.end();
				source.disconnect();
				if (hold === own) hold = null;
				for (const one of destination.stream.getTracks()) one.stop();
				tell(false);
			};
		});

		return {
			get track() {
				return output;
			},
			waits: () => waiting,
			letGo() {
				if (!held) return;
				held = false;
				hold?.hold(false);
			},
			close() {
				closed = true;
				leave();
				input.close();
			},
		};
	};
}
