import { afterEach, expect, test, vi } from 'vitest';
import { createStore } from 'zustand/vanilla';
import type { SpokenRows } from '#renderer/captions/spoken-rows.ts';
import type { SettingsView } from '#renderer/settings/settings-mirror.ts';
import { createAudioEngine } from '#renderer/sound/context.ts';
import { createSoundActions } from '#renderer/sound/sound-actions.ts';
import { systemClock } from '#renderer/system-clock.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { defaultSettings } from '#shared/settings/schema.ts';
import { createFakeConversation } from '#test/support/fake-conversation.ts';
import { createMixerRig, createTone, endMixers } from '#test/support/mixer-rig.ts';
import { createReplay } from './load-replay.ts';

/* Replay with everything but the service: a voice is kept, cut, stretched and played; what is played is measured. */

afterEach(async () => {
	vi.unstubAllGlobals();
	await endMixers();
});

const later = (ms: number) => new Promise((done) => setTimeout(done, ms));

/** What is played again from now on, as it leaves its element. */
function listenToPlayed() {
	const context = new AudioContext();
	const analyser = new AnalyserNode(context, { fftSize: 8192 });
	const Real = Audio;
	class Tapped extends Real {
		constructor(address?: string) {
			super(address);
			// A live voice is a stream; what is played again is a file.
			if (address !== undefined) context.createMediaElementSource(this).connect(analyser);
		}
	}
	vi.stubGlobal('Audio', Tapped);
	const block = new Float32Array(analyser.fftSize);
	return {
		/** Hz of a tone that fills the last 170 ms; null where it does not. */
		hz(): number | null {
			analyser.getFloatTimeDomainData(block);
			const piece = block.length / 8;
			for (let at = 0; at < block.length; at += piece)
				if (!block.subarray(at, at + piece).some((sample) => Math.abs(sample) > 0.1)) return null;
			let first = -1;
			let last = -1;
			let crossings = -1;
			for (let at = 1; at < block.length; at++) {
				const [before = 0, now = 0] = [block[at - 1], block[at]];
				if (before >= 0 || now < 0) continue;
				last = at - now / (now - before);
				if (first < 0) first = last;
				crossings++;
			}
			return (crossings / (last - first)) * context.sampleRate;
		},
		close: () => context.close(),
	};
}

test('a row plays its own voice, the key the last one and then the one before, slower at the same pitch, while the live voice waits', async () => {
	const { mixer: output, devices, media } = await createMixerRig();
	const heard = listenToPlayed();
	const engine = createAudioEngine({ clock: systemClock, log: silentLogger });
	const settings = createStore<SettingsView>()(() => ({
		loaded: true,
		values: defaultSettings,
		origins: {},
		sources: {},
		problem: null,
	}));
	const actions = createSoundActions({
		engine,
		devices,
		media,
		clock: systemClock,
		settings: { store: settings } as never,
		captureSettings: () => ({}) as never,
	});
	const spoken: SpokenRows['store'] = createStore(() => ({ lit: [], sides: [] }) as never);
	const light = (row: string | null) => spoken.setState({ lit: row ? [row] : [], sides: [row, null] });
	const conversation = createFakeConversation();
	const again = createReplay();
	let speed = 1;
	let isQuiet = false;
	again.begin({
		engines: { outgoing: engine, incoming: engine },
		log: silentLogger,
		spoken,
		clock: systemClock,
		conversation,
		settings: { store: settings },
		sound: (slice, at, signal) => actions.play(slice, signal, at),
		ears: () => ['outgoing'],
		mine: () => ['outgoing'],
		quiet: (_, quiet) => {
			isQuiet = quiet;
		},
		speed: () => speed,
	});
	const { replay } = again;
	const mixer = again.memories.outgoing.voice(output);
	const voice = createTone();
	mixer.selectVoice('es');
	mixer.setVoice('es', voice.track);
	// The code, which the first voice loads, is there; a second later the voice is kept.
	await import('./replay.ts');
	await later(2000);
	const pitches = { first: 440, second: 660 };
	for (const [row, hz] of Object.entries(pitches)) {
		voice.pitch(hz);
		light(row);
		voice.loud(0.5);
		await later(1000);
		voice.loud(0);
		light(null);
		await later(500);
	}
	expect([...replay.rows.getState()]).toEqual(['first', 'second']);

	/** The pitch of what is played, and whether the live voice waited; by then it has ended. */
	async function pitchOf(press: () => void): Promise<{ hz: number; ms: number; waited: boolean }> {
		const found: number[] = [];
		const from = performance.now();
		press();
		let waited = true;
		while (replay.store.getState().row !== null) {
			waited &&= isQuiet;
			const hz = heard.hz();
			if (hz !== null) found.push(hz);
			await later(20);
		}
		await expect.poll(() => isQuiet).toBe(false);
		// The pitch that most readings agree on: a busy machine tears holes into some of them.
		const agree = (one: number) => found.filter((other) => Math.abs(other / one - 1) < 0.01).length;
		const [hz = Number.NaN] = found.toSorted((a, b) => agree(b) - agree(a));
		return { hz, ms: performance.now() - from, waited };
	}

	const presses = [
		[0.7, pitches.second, () => replay.last()],
		[0.7, pitches.first, () => replay.last()],
		[0.85, pitches.second, () => replay.play('second')],
		[1, pitches.first, () => replay.play('first')],
	] as const;
	for (const [at, hz, press] of presses) {
		speed = at;
		const played = await pitchOf(press);
		expect(played.waited).toBe(true);
		expect(Math.abs(played.hz / hz - 1), `${hz} Hz at ${at}`).toBeLessThan(0.02);
		expect(played.ms, `${hz} Hz at ${at}`).toBeGreaterThan(900 / at);
	}
	// Neither voices nor notices outlast their conversation, and captions alone have no voice that could be missed.
	const seen = () => [replay.rows.getState().size, replay.store.getState().nothing];
	conversation.show({ phase: 'preparing' });
	expect(seen()).toEqual([0, false]);
	const mode = (next: 'solo' | 'captions') =>
		settings.setState({ values: { ...settings.getState().values, mode: next } });
	mode('captions');
	replay.last();
	expect(seen()).toEqual([0, false]);
	mode('solo');
	replay.last();
	expect(seen()).toEqual([0, true]);
	mode('captions');
	expect(seen()).toEqual([0, false]);
	mode('solo');
	replay.last();
	conversation.show({ phase: 'idle' });
	expect(seen()).toEqual([0, false]);
	replay.last();
	conversation.show({ phase: 'preparing' });
	expect(seen()).toEqual([0, false]);
	mixer.clear();
	await engine.close();
	await heard.close();
}, 60_000);
