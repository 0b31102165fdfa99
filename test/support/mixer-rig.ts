import { vi } from 'vitest';
import { createAudioEngine } from '#renderer/sound/context.ts';
import { createDevices } from '#renderer/sound/device-list.ts';
import { createMixer, type MixerEvent } from '#renderer/sound/mixer.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { createFakeMedia, type FakeDevice } from './fake-media.ts';
import { createManualClock } from './manual-clock.ts';

export const speakers: FakeDevice = { kind: 'audiooutput', id: 's1', label: 'Speakers' };
export const headset: FakeDevice = { kind: 'audiooutput', id: 'h1', label: 'Headset' };
/** The mixer measures the voice this often, ms. */
export const tick = 40;

const ends: (() => Promise<void>)[] = [];

/** Call in `afterEach`. */
export async function endMixers(): Promise<void> {
	for (const end of ends.splice(0)) await end();
	vi.restoreAllMocks();
}

/** A glide of a gain, times in s, as the browser was told it (Web Audio 1.6.3, `setTargetAtTime`). */
export interface Glide {
	readonly to: number;
	readonly from: number;
	readonly timeConstant: number;
}

/** The glides of all gains from now on; ended by `endMixers`. */
export function glidesOf(): readonly Glide[] {
	const glides: Glide[] = [];
	const set = AudioParam.prototype.setTargetAtTime;
	vi.spyOn(AudioParam.prototype, 'setTargetAtTime').mockImplementation(function (
		this: AudioParam,
		to,
		from,
		timeConstant,
	) {
		glides.push({ to, from, timeConstant });
		return set.call(this, to, from, timeConstant);
	});
	return glides;
}

/** A track of a tone whose loudness and pitch can be changed. */
export function createTone() {
	const context = new AudioContext();
	const tone = context.createOscillator();
	const gain = context.createGain();
	const sink = context.createMediaStreamDestination();
	gain.gain.value = 0;
	tone.connect(gain).connect(sink);
	tone.start();
	ends.push(() => context.close());
	const [track] = sink.stream.getAudioTracks();
	if (!track) throw new Error('no track');
	return {
		track,
		loud(volume: number) {
			gain.gain.value = volume;
		},
		pitch(hz: number) {
			tone.frequency.value = hz;
		},
	};
}

/** A mixer, with devices, elements and time controlled by the test. */
export async function createMixerRig() {
	// Elements live outside the document; this is how a test sees them, and where they are told to play.
	const elements: HTMLAudioElement[] = [];
	const play = HTMLMediaElement.prototype.play;
	const refusals: string[] = [];
	vi.spyOn(HTMLMediaElement.prototype, 'play').mockImplementation(function (this: HTMLMediaElement) {
		if (!elements.includes(this as HTMLAudioElement)) elements.push(this as HTMLAudioElement);
		const refusal = refusals.shift();
		return refusal ? Promise.reject(new DOMException('', refusal)) : play.call(this);
	});
	const sinks: string[] = [];
	vi.spyOn(HTMLMediaElement.prototype, 'setSinkId').mockImplementation(async (id) => {
		if (id === 'broken') throw new DOMException('', 'NotFoundError');
		sinks.push(id);
	});
	const clock = createManualClock();
	const media = createFakeMedia([speakers, headset]);
	const devices = createDevices({ media, clock });
	await devices.refresh();
	const gestures = new EventTarget();
	const contextSinks: string[] = [];
	const engine = createAudioEngine({
		clock,
		log: silentLogger,
		createContext() {
			const context = new AudioContext();
			Object.assign(context, { setSinkId: async (id: string) => void contextSinks.push(id) });
			return context;
		},
	});
	const mixer = createMixer({ engine, devices, clock, log: silentLogger, gestures });
	const events: MixerEvent[] = [];
	mixer.listen((event) => {
		if (event.type !== 'voices') events.push(event);
	});
	ends.push(async () => {
		await mixer.close();
		devices.close();
		await engine.close();
		await media.close();
	});
	const playing = () => elements.filter((element) => element.srcObject !== null);
	return { clock, media, devices, mixer, events, elements, playing, refusals, sinks, contextSinks, gestures };
}
