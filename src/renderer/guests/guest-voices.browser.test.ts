import { afterEach, expect, test, vi } from 'vitest';
import { createStore } from 'zustand/vanilla';
import type { MixerEvent } from '#renderer/sound/mixer.ts';
import { systemClock } from '#renderer/system-clock.ts';
import type { StreamPorts } from '#renderer/transport/stream-ports.ts';
import { createListeners } from '#shared/lib/listeners.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { ok } from '#shared/lib/result.ts';
import { createVoiceCoder, VOICE_BLOCK } from '#shared/sound/voice-block.ts';
import { createTone, endMixers } from '#test/support/mixer-rig.ts';
import { sendVoices } from './guest-voices.ts';

const ends: (() => void)[] = [];
afterEach(async () => {
	for (const end of ends.splice(0).reverse()) end();
	await endMixers();
});

const soon = { timeout: 5000 };
/** The voices of a direction. */
function createVoices() {
	const voices = new Map<string, { readonly track: MediaStreamTrack }>();
	const { listen, tell } = createListeners<[event: MixerEvent]>();
	return {
		voices: () => voices,
		listen,
		set(language: string, track: MediaStreamTrack | null) {
			if (track) voices.set(language, { track });
			else voices.delete(language);
			tell({ type: 'voices' });
		},
	};
}

function createRig() {
	const sharing = { revision: 1, sharing: true, addresses: [], guests: 1, problem: null };
	const guests = { store: createStore(() => ({ ...sharing, listening: [] as readonly string[] })) };
	const [mine, theirs] = [createVoices(), createVoices()];
	const asked: unknown[] = [];
	const waiting = new Map<string, (ports: StreamPorts) => void>();
	/** The loudest sample of each block that came. */
	const heard: number[] = [];
	const closed = vi.spyOn(AudioContext.prototype, 'close');
	function send(stream: string): void {
		const [control, capture, voice] = [new MessageChannel(), new MessageChannel(), new MessageChannel()];
		capture.port1.onmessage = ({ data }: MessageEvent<Uint8Array>) => {
			const samples = new Float32Array(VOICE_BLOCK.samples);
			createVoiceCoder().decode(data, samples);
			heard.push(Math.max(...samples));
		};
		waiting.get(stream)?.({ control: control.port2, capture: capture.port2, voice: voice.port2 });
	}
	const end = sendVoices({
		host: {
			async ask(name: string, input: unknown) {
				const { stream, ...rest } = input as { readonly stream?: string };
				asked.push([name, rest]);
				if (stream) send(stream);
				return ok() as never;
			},
		},
		receiver: {
			expect(stream, came) {
				waiting.set(stream, came);
				return () => void waiting.delete(stream);
			},
		},
		clock: systemClock,
		log: silentLogger,
		guests: guests as never,
		mixers: [mine, theirs],
	});
	ends.push(end);
	const listen = (...listening: string[]) => guests.store.setState({ listening });
	return { guests, mine, theirs, asked, heard, listen, closed };
}

test('encodes a voice once while guests listen in its language, and not before or after', async () => {
	const { mine, listen, asked, heard, closed } = createRig();
	const tone = createTone();
	tone.loud(0.5);
	mine.set('de-de', tone.track);
	const told = ['guests.voices', { languages: ['de'] }];
	expect(asked).toEqual([told]);
	listen('fr');
	await new Promise((done) => setTimeout(done, 300));
	expect(asked).toEqual([told]);
	listen('de', 'fr');
	await expect.poll(() => heard.length, soon).toBeGreaterThan(20);
	// Each is as loud as the tone, which the way through the encoder keeps.
	expect(heard.slice(5).every((peak) => peak > 0.4 && peak < 0.6)).toBe(true);
	// Others who listen change nothing.
	listen('de');
	listen('de', 'it');
	expect(asked).toEqual([told, ['guests.speak', { language: 'de' }]]);
	expect(closed).not.toHaveBeenCalled();
	listen('it');
	await expect.poll(() => closed.mock.calls.length, soon).toBe(1);
	// What was on its way has come.
	await new Promise((done) => setTimeout(done, 300));
	const before = heard.length;
	await new Promise((done) => setTimeout(done, 300));
	expect(heard).toHaveLength(before);
});

test('asks for nothing when the guest has left before the encoder was loaded', async () => {
	const { mine, listen, asked, closed } = createRig();
	mine.set('de', createTone().track);
	listen('de');
	listen();
	await expect.poll(() => closed.mock.calls.length, soon).toBe(1);
	await new Promise((done) => setTimeout(done, 300));
	expect(asked).toEqual([['guests.voices', { languages: ['de'] }]]);
});

test('sends nothing while nobody speaks, and follows a voice that is replaced', async () => {
	const { mine, listen, asked, heard } = createRig();
	const [quiet, loud] = [createTone(), createTone()];
	loud.loud(0.5);
	listen('de');
	mine.set('de', quiet.track);
	await expect.poll(() => asked.length, soon).toBe(2);
	await new Promise((done) => setTimeout(done, 500));
	expect(heard).toEqual([]);
	mine.set('de', loud.track);
	await expect.poll(() => heard.length, soon).toBeGreaterThan(3);
	// The first one again: nothing more is heard of the other.
	mine.set('de', quiet.track);
	await new Promise((done) => setTimeout(done, 500));
	const before = heard.length;
	await new Promise((done) => setTimeout(done, 300));
	expect(heard).toHaveLength(before);
	expect(asked).toHaveLength(2);
	mine.set('de', null);
	await expect.poll(() => asked.length).toBe(3);
	expect(asked[2]).toEqual(['guests.voices', { languages: [] }]);
});

test('tells nobody which languages are spoken until the captions are shared', () => {
	const { guests, mine, theirs, asked } = createRig();
	guests.store.setState({ sharing: false });
	const { track } = createTone();
	mine.set('en-us', track);
	theirs.set('de', track);
	expect(asked).toEqual([]);
	guests.store.setState({ sharing: true });
	const told = ['guests.voices', { languages: ['de', 'en'] }];
	expect(asked).toEqual([told]);
	// Stopped, and shared again.
	guests.store.setState({ sharing: false });
	guests.store.setState({ sharing: true });
	expect(asked).toEqual([told, told]);
});
