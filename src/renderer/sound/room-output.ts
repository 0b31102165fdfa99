import type { Logger } from '#shared/lib/log.ts';
import type { AudioEngine } from './context.ts';
import type { Devices } from './devices.ts';
import { createOriginal, type Mixer, type Original, withSelectedVoice } from './mixer.ts';
import { createOutput, type OutputDevice } from './output.ts';

/**
 * The selected voice once more, on a loudspeaker of its own: for those in the room. Through WebAudio, because a second
 * element would move the first one's output as well (see `Mixer`).
 */
export interface RoomOutput {
	/** Its voices are heard in the room as well, while `wanted` says so. */
	alsoHere(mixer: Mixer, wanted: () => boolean): Mixer;
	/** `null` = nowhere. Silent while the device is missing; plays again when it comes. */
	setDevice(device: OutputDevice | null): void;
	/** 0 to 1. */
	setVolume(volume: number): void;
	/** `wanted` may have changed. */
	apply(): void;
}

/** What one mixer plays in the room. */
interface Source {
	readonly wanted: () => boolean;
	readonly player: Original;
	track: MediaStreamTrack | null;
	cut: boolean;
}

export function createRoomOutput(parts: {
	readonly devices: Devices;
	/** An engine of its own, because its output is different. */
	readonly engine: AudioEngine;
	readonly log: Logger;
}): RoomOutput {
	const sources = new Set<Source>();
	let device: OutputDevice | null = null;
	let volume = 1;
	let sink = '';
	const output = createOutput({
		devices: parts.devices,
		log: parts.log,
		async apply(id) {
			// Silent on the way: the default loudspeaker must not play it twice.
			sink = '';
			settle();
			const moved = await parts.engine.setSink(id);
			sink = moved ? id : '';
			settle();
			return moved;
		},
		switched() {},
	});

	function settle(): void {
		for (const { track, wanted, cut, player } of sources) {
			// The default loudspeaker plays it already.
			player.setTrack(device && sink !== '' && !cut && wanted() ? track : null);
			player.setVolume(volume);
		}
	}

	return {
		alsoHere(mixer, wanted) {
			const source: Source = { wanted, player: createOriginal(parts.engine), track: null, cut: false };
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
