import { afterEach, expect, test } from 'vitest';
import { createAudioEngine } from '#renderer/sound/context.ts';
import type { MicrophoneEvent } from '#renderer/sound/microphone.ts';
import { systemClock } from '#renderer/system-clock.ts';
import type { RecordedFrame } from '#shared/host/recording.ts';
import { silentLogger } from '#shared/lib/log.ts';
import {
	createMicrophoneRig,
	endMicrophones,
	headset,
	laptop,
	wantHeadset,
} from '#test/support/microphone-rig.ts';
import { createConversationRecorder, RECORDED_HZ } from './conversation-recorder.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
	for (const end of ends.splice(0).reverse()) await end();
	await endMicrophones();
});

const soon = { timeout: 5000 };

/** A recording that has begun. */
async function createRig() {
	const createContext = () => new AudioContext({ sampleRate: RECORDED_HZ, latencyHint: 'playback' });
	const engine = createAudioEngine({ clock: systemClock, log: silentLogger, createContext });
	ends.push(() => engine.close());
	const recorder = createConversationRecorder({ engine, clock: systemClock, lost: () => {} });
	const { port1, port2 } = new MessageChannel();
	ends.push(() => port1.close());
	let pieces = 0;
	/** The sides that were not silent. */
	const loud = new Set<string>();
	port1.onmessage = ({ data: { samples } }: MessageEvent<RecordedFrame>) => {
		pieces += 1;
		samples?.forEach((sample, at) => {
			if (Math.abs(sample) > 1000) loud.add(at % 2 === 0 ? 'left' : 'right');
		});
	};
	recorder.start(port2, systemClock.now());
	ends.push(() => recorder.stop());
	await expect.poll(() => pieces, soon).toBeGreaterThan(0);
	return { recorder, loud: () => [...loud] };
}

test('a microphone that takes over from another is recorded as well, on the side of the speech', async () => {
	const { recorder, loud } = await createRig();
	const { microphone, media } = await createMicrophoneRig([laptop, headset], wantHeadset);
	const source = recorder.source(microphone);
	const told: MicrophoneEvent[] = [];
	source.listen((event) => void told.push(event));
	expect((await source.open()).ok).toBe(true);
	media.plug([laptop]);
	await expect.poll(() => told, soon).toMatchObject([{ type: 'replaced', from: 'Headset', to: 'Laptop' }]);
	expect(loud()).toEqual([]);
	// Only now does any microphone hear something.
	media.setLoudness(0.5);
	await expect.poll(loud, soon).toEqual(['left']);
});
