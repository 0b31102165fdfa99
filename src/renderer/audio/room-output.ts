import type { Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import type { Devices } from './devices.ts';
import type { Mixer } from './mixer.ts';
import { createOutput, type OutputDevice } from './output.ts';
import { withSelectedVoice } from './selected-voice.ts';
import { createVoice, type Voice } from './voice.ts';

/** The selected voice once more, on a loudspeaker of its own: for those in the room. */
export interface RoomOutput {
	/** Its voices are heard in the room as well, while `wanted` says so. */
	alsoHere(mixer: Mixer, wanted: () => boolean): Mixer;
	/** `null` = nowhere. A device that is not there is silent, and takes up again when it comes. */
	setDevice(device: OutputDevice | null): void;
	/** 0 to 1. */
	setVolume(volume: number): void;
	/** `wanted` may have changed. */
	apply(): void;
}

export interface RoomOutputParts {
	readonly devices: Devices;
	readonly clock: Clock;
	readonly log: Logger;
}

/** What one mixer has for the room. */
interface Source {
	readonly wanted: () => boolean;
	track: MediaStreamTrack | null;
	cut: boolean;
	voice: Voice | null;
}

export function createRoomOutput(parts: RoomOutputParts): RoomOutput {
	const sources = new Set<Source>();
	let device: OutputDevice | null = null;
	let volume = 1;
	let sink = '';
	const output = createOutput({
		devices: parts.devices,
		log: parts.log,
		async apply(id) {
			sink = id;
			const moved = await Promise.all([...sources].map((one) => one.voice?.setSink(id) ?? true));
			settle();
			return moved.every((worked) => worked);
		},
		switched() {},
	});

	function settle(): void {
		for (const source of sources) {
			// The default loudspeaker plays it already.
			const track = device && sink !== '' && source.wanted() ? source.track : null;
			if (source.voice?.track !== track) {
				source.voice?.close();
				source.voice = track && createVoice(track, { clock: parts.clock, blocked: () => {} });
				void source.voice?.setSink(sink);
			}
			source.voice?.setVolume(volume);
			source.voice?.setHeard(!source.cut);
		}
	}

	return {
		alsoHere(mixer, wanted) {
			const source: Source = { wanted, track: null, cut: false, voice: null };
			sources.add(source);
			const heard = withSelectedVoice(mixer, (track) => {
				source.track = track;
				settle();
			});
			return {
				...heard,
				cut() {
					source.cut = true;
					mixer.cut();
					settle();
				},
				resumeVoice() {
					source.cut = false;
					mixer.resumeVoice();
					settle();
				},
				clear() {
					source.cut = false;
					heard.clear();
				},
			};
		},
		setDevice(next) {
			device = next;
			void output.choose(next).then(settle);
		},
		setVolume(next) {
			volume = Math.min(1, Math.max(0, next));
			settle();
		},
		apply: settle,
	};
}
