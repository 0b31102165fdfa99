import { expect, test } from 'vitest';
import { createStore } from 'zustand/vanilla';
import { type ConversationView, idleView } from '#renderer/conversation/conversation.ts';
import type { SettingsView } from '#renderer/settings/settings-mirror.ts';
import type { RoutingState } from '#shared/host/calls.ts';
import { ok } from '#shared/lib/result.ts';
import { defaultSettings, type Settings } from '#shared/settings/schema.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import type { AudioEngine } from './context.ts';
import type { Microphone } from './microphone.ts';
import type { Mixer } from './mixer.ts';
import { noSound, type SoundView } from './sound.ts';
import { incomingVoicePath, outgoingVoicePath } from './voice-path.ts';

/** Real mute, push to talk and call output between stages that only record that they were passed. */
function setUp(values: Partial<Settings> = {}) {
	const passed: string[] = [];
	const lowered: number[] = [];
	let speaks = (_active: boolean) => {};
	const stage = (name: string, mixer: Mixer): Mixer => ({
		...mixer,
		setVoiceVolume(volume) {
			passed.push(`${name} ${volume}`);
			mixer.setVoiceVolume(volume);
		},
		setOriginal(track) {
			passed.push(`${name} ${track?.id ?? 'none'}`);
			mixer.setOriginal(track);
		},
	});
	const output = stage('output', {
		setVoice() {},
		selectVoice() {},
		voices: () => new Map(),
		cut() {},
		resumeVoice() {},
		setDucking() {},
		clear() {},
		setVoiceVolume() {},
		setOriginal() {},
		setOriginalVolume() {},
		setOutput: async () => ok(),
		listen: (tell) => {
			speaks = (active) => tell({ type: 'voice-active', active });
			return () => {};
		},
		close: async () => {},
	});
	const settings = createStore<SettingsView>()(() => ({
		loaded: true,
		values: { ...defaultSettings, ...values },
		origins: {},
		sources: {},
		problem: null,
	}));
	const routing = createStore<RoutingState>()(() => ({
		revision: 1,
		virtualMicrophone: { state: 'unsupported' },
	}));
	const parts = {
		output,
		engine: {} as AudioEngine,
		guard: { hear: (mixer: Mixer) => stage('echo guard', mixer) },
		room: { alsoHere: (mixer: Mixer) => stage('room', mixer) },
		recorder: { voice: (mixer: Mixer) => stage('recorder', mixer) },
		memory: { voice: (mixer: Mixer) => stage('memory', mixer) },
		face: { mixerOf: (mixer: Mixer) => stage('held', mixer) },
		window: {
			meteredMixer: (mixer: Mixer) => stage('meter', mixer),
			meteredOthersMixer: (mixer: Mixer) => stage('meter of others', mixer),
			sound: { store: createStore<SoundView>()(() => noSound) } as never,
		},
	};
	const outgoing = () =>
		outgoingVoicePath({
			...parts,
			settings: { store: settings },
			routing: { store: routing, make: async () => ok(routing.getState()) },
			clock: createManualClock(),
			host: { listen: () => () => {} },
			microphone: { setMuted() {}, listen: () => () => {} } as unknown as Microphone,
		});
	const lowerOthers = (gain: number) => void lowered.push(gain);
	const incoming = () => incomingVoicePath({ ...parts, settings: { store: settings }, lowerOthers });
	const set = (next: Partial<Settings>) =>
		settings.setState((view) => ({ ...view, values: { ...view.values, ...next } }));
	return { passed, lowered, outgoing, incoming, set, speaks: (active: boolean) => speaks(active) };
}

test('my voice passes its stages in order, from who holds it back to the loudspeaker', async () => {
	const { passed, outgoing } = setUp();
	const { mixer } = outgoing();
	await mixer.setOutput(null);
	mixer.setVoiceVolume(0.5);
	const names = ['held', 'memory', 'recorder', 'room', 'echo guard', 'meter', 'output'];
	expect(passed).toEqual(names.map((name) => `${name} 0.5`));
});

test('the voice of others passes the same stages', () => {
	const { passed, incoming } = setUp();
	incoming().mixer.setVoiceVolume(0.5);
	const names = ['held', 'memory', 'recorder', 'room', 'echo guard', 'meter of others', 'output'];
	expect(passed).toEqual(names.map((name) => `${name} 0.5`));
});

test('a muted voice is not made heard by a volume that comes later; afterwards that volume counts', async () => {
	for (const direction of ['outgoing', 'incoming'] as const) {
		const rig = setUp();
		const { mixer, mute } = rig[direction]();
		await mixer.setOutput(null);
		mute(true);
		mixer.setVoiceVolume(0.7);
		expect(rig.passed.at(-1)).toBe('output 0');
		mute(false);
		expect(rig.passed.at(-1)).toBe('output 0.7');
	}
});

test('a voice that waits for what is heard again is silent, and afterwards as loud or mute as before', async () => {
	for (const direction of ['outgoing', 'incoming'] as const) {
		const rig = setUp();
		const { mixer, mute, quiet } = rig[direction]();
		await mixer.setOutput(null);
		mixer.setVoiceVolume(0.7);
		quiet(true);
		expect(rig.passed.at(-1)).toBe('output 0');
		mixer.setVoiceVolume(0.6);
		expect(rig.passed.at(-1)).toBe('output 0');
		mute(true);
		quiet(false);
		expect(rig.passed.at(-1)).toBe('output 0');
		mute(false);
		expect(rig.passed.at(-1)).toBe('output 0.6');
	}
});

test('in a meeting without a way into the call no volume and no end of mute is heard', () => {
	const { passed, outgoing } = setUp({ mode: 'meeting' });
	const { mixer, mute, callOutput } = outgoing();
	callOutput.follow({ store: createStore<ConversationView>()(() => ({ ...idleView, phase: 'live' })) });
	passed.length = 0;
	mute(true);
	mixer.setVoiceVolume(0.7);
	mute(false);
	expect(passed.filter((line) => line.startsWith('output'))).toEqual(Array(3).fill('output 0'));
});

test('in push to translate the call is given the microphone past the button, not the gated one', () => {
	const { passed, outgoing } = setUp({ mode: 'meeting', talk: 'push-to-translate' });
	const { mixer, talk } = outgoing();
	talk.follow({ store: createStore<ConversationView>()(() => ({ ...idleView, phase: 'live' })) });
	const copy = { id: 'copy', enabled: true, stop() {} };
	mixer.setOriginal({ id: 'gated', clone: () => copy } as unknown as MediaStreamTrack);
	expect(passed).toContain('held gated');
	expect(passed).toContain('recorder copy');
	expect(passed).not.toContain('recorder gated');
});

test('what others play is lower while their translation is heard, and only then', () => {
	const { incoming, lowered, speaks, set } = setUp({ othersVolume: 0.4 });
	const { mixer, mute } = incoming();
	mixer.setVoiceVolume(1);
	expect(lowered).toEqual([]);
	speaks(true);
	set({ othersVolume: 0.2 });
	speaks(false);
	expect(lowered).toEqual([0.4, 0.2, 1]);
	mute(true);
	speaks(true);
	expect(lowered).toHaveLength(3);
	mute(false);
	mixer.setVoiceVolume(0);
	expect(lowered).toEqual([0.4, 0.2, 1, 0.2, 1]);
});
