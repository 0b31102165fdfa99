import { describe, expect, it } from 'vitest';
import { createStore } from 'zustand/vanilla';
import { type ConversationView, idleView } from '#renderer/conversation/conversation.ts';
import type { SettingsView } from '#renderer/settings/settings-mirror.ts';
import type { Mixer, MixerEvent } from '#renderer/sound/mixer.ts';
import type { OutputDevice } from '#renderer/sound/output.ts';
import { noSound, type SoundView } from '#renderer/sound/sound.ts';
import type { RoutingState } from '#shared/host/calls.ts';
import { err, ok } from '#shared/lib/result.ts';
import { defaultSettings, type Settings } from '#shared/settings/schema.ts';
import { createCallOutput } from './call-output.ts';

const virtual = { id: 'v', label: 'Dragoman speaker' };
const headset = { id: 'h', label: 'Headset' };
const stands = {
	state: 'ready',
	speakerLabel: virtual.label,
	microphoneLabel: 'Dragoman microphone',
} as const;

function setUp(first: Partial<Settings> = {}) {
	const settings = createStore<SettingsView>()(() => ({
		loaded: true,
		values: { ...defaultSettings, ...first },
		origins: {},
		sources: {},
		problem: null,
	}));
	const routing = createStore<RoutingState>()(() => ({ revision: 1, virtualMicrophone: stands }));
	const sound = createStore<SoundView>()(() => ({ ...noSound, outputs: [headset, virtual] }));
	const conversation = createStore<ConversationView>()(() => idleView);
	let at: OutputDevice | null = null;
	let volume = 1;
	let original = 0;
	let made = 0;
	let refuses = false;
	let isApart = false;
	const said = new Set<(event: MixerEvent) => void>();
	/** Every device and loudness that could be heard together. */
	const heard: [string, number][] = [];
	const note = () => void heard.push([at?.label ?? 'default', Math.max(volume, original)]);
	const mixer = {
		setVoiceVolume(next: number) {
			volume = next;
			note();
		},
		setOriginalVolume(next: number) {
			original = next;
			note();
		},
		async setOutput(device: OutputDevice | null, apart?: boolean) {
			await Promise.resolve();
			isApart = apart === true;
			if (refuses) {
				at = null;
				note();
				return err({ kind: 'output-missing', device: device?.label ?? '' } as const);
			}
			at = device;
			note();
			return ok();
		},
		listen(tell: (event: MixerEvent) => void) {
			said.add(tell);
			return () => void said.delete(tell);
		},
	} as Partial<Mixer> as Mixer;
	const call = createCallOutput({
		mixer,
		settings: { store: settings },
		routing: {
			store: routing,
			async make() {
				made += 1;
				return ok(routing.getState());
			},
		},
		sound: { store: sound },
	});
	call.follow({ store: conversation });
	/** A conversation in these settings goes on. */
	const live = (patch: Partial<Settings> = {}) => {
		settings.setState({ values: { ...settings.getState().values, ...patch } });
		conversation.setState({ phase: 'live' });
	};
	return {
		call,
		sound,
		routing,
		conversation,
		live,
		heard,
		write: (patch: Partial<Settings>) =>
			settings.setState({ values: { ...settings.getState().values, ...patch } }),
		now: () => ({ at: at?.label ?? 'default', volume, original }),
		apart: () => isApart,
		made: () => made,
		refuse(next: boolean) {
			refuses = next;
		},
		say: (event: MixerEvent) => {
			for (const tell of said) tell(event);
		},
	};
}

const settled = () => new Promise<void>((done) => setImmediate(done));

describe('where the voice for the others is heard', () => {
	it('by the person, as loud as they like, when there is no meeting', async () => {
		const { call, now, write } = setUp();
		await call.mixer.setOutput(headset);
		call.mixer.setVoiceVolume(0.5);
		write({ voiceVolume: 0.5 });
		await settled();
		expect(now()).toEqual({ at: 'Headset', volume: 0.5, original: 0 });
		expect(call.store.getState()).toEqual({ to: 'ear' });
	});

	it('by the call in a meeting, and by the person again afterwards', async () => {
		const { call, now, conversation, live, apart } = setUp();
		await call.mixer.setOutput(headset);
		call.mixer.setVoiceVolume(0.8);
		live({ mode: 'meeting' });
		await settled();
		expect(now()).toMatchObject({ at: virtual.label, volume: 1 });
		// What the others say is played elsewhere meanwhile.
		expect(apart()).toBe(true);
		expect(call.store.getState()).toMatchObject({ to: 'call', microphoneLabel: 'Dragoman microphone' });
		conversation.setState({ phase: 'ending' });
		await settled();
		expect(now()).toMatchObject({ at: virtual.label, volume: 1 });
		conversation.setState({ phase: 'idle' });
		await settled();
		expect(now()).toMatchObject({ at: 'Headset', volume: 0.8 });
		expect(apart()).toBe(false);
	});

	it('by the person outside a conversation, also where the next one is a meeting', async () => {
		const { call, now, write, sound, conversation } = setUp({ mode: 'meeting' });
		await call.mixer.setOutput(null);
		call.mixer.setVoiceVolume(0.8);
		await call.mixer.setOutput(headset);
		await settled();
		expect(now()).toEqual({ at: 'Headset', volume: 0.8, original: 0 });
		// Where a meeting would be heard is shown all the same.
		expect(call.store.getState()).toMatchObject({ to: 'call', microphoneLabel: 'Dragoman microphone' });
		sound.setState({ outputs: [headset] });
		expect(call.store.getState()).toEqual({ to: 'nowhere', missing: virtual.label });
		conversation.setState({ phase: 'preparing' });
		expect(now().volume).toBe(0);
		conversation.setState({ phase: 'idle' });
		write({ mode: 'solo' });
		await settled();
		expect(now()).toMatchObject({ at: 'Headset', volume: 0.8 });
		expect(call.store.getState()).toEqual({ to: 'ear' });
	});

	it('by nobody while the way into the call is not there, and never loudly on the way', async () => {
		const { call, now, live, routing, sound, heard } = setUp();
		call.mixer.setVoiceVolume(1);
		live({ mode: 'meeting' });
		await settled();
		heard.length = 0;
		sound.setState({ outputs: [headset] });
		expect(now().volume).toBe(0);
		expect(call.store.getState()).toEqual({ to: 'nowhere', missing: virtual.label });
		routing.setState({ revision: 2, virtualMicrophone: { state: 'none' } });
		await settled();
		expect(call.store.getState()).toEqual({ to: 'nowhere', missing: '' });
		routing.setState({ revision: 3, virtualMicrophone: stands });
		sound.setState({ outputs: [headset, virtual] });
		await settled();
		expect(now()).toMatchObject({ at: virtual.label, volume: 1 });
		expect(heard.filter(([at, loud]) => at !== virtual.label && loud > 0)).toEqual([]);
	});

	it('by nobody when the device refuses', async () => {
		const { call, now, live, refuse } = setUp();
		refuse(true);
		live({ mode: 'meeting' });
		await settled();
		expect(now().volume).toBe(0);
		expect(call.store.getState()).toEqual({ to: 'nowhere', missing: virtual.label });
	});

	it('with my own voice under it, as loud as wished, in the call alone', async () => {
		const { call, now, write, live } = setUp({ passOriginal: 0.3 });
		call.mixer.setOriginalVolume(0.9);
		await settled();
		expect(now().original).toBe(0.9);
		live({ mode: 'meeting' });
		await settled();
		expect(now().original).toBe(0.3);
		write({ passOriginal: 0 });
		expect(now().original).toBe(0);
	});

	it('says nothing of loudspeakers that stand in: in a meeting none do', async () => {
		const { call, live, say } = setUp();
		const told: string[] = [];
		call.mixer.listen(({ type }) => told.push(type));
		say({ type: 'output-switched', from: 'a', to: 'b' });
		live({ mode: 'meeting' });
		say({ type: 'output-switched', from: virtual.label, to: '' });
		say({ type: 'blocked' });
		expect(told).toEqual(['output-switched', 'blocked']);
	});
});

describe('when a meeting begins', () => {
	it('the virtual microphone is made when none stands and nothing else was chosen', () => {
		const { routing, write, conversation, made } = setUp();
		routing.setState({ revision: 2, virtualMicrophone: { state: 'none' } });
		conversation.setState({ phase: 'preparing' });
		expect(made()).toBe(0);
		conversation.setState({ phase: 'idle' });
		write({ mode: 'meeting' });
		conversation.setState({ phase: 'preparing' });
		conversation.setState({ phase: 'connecting' });
		expect(made()).toBe(1);
	});

	it('before main has said whether one stands, that is waited for, as long as the meeting lasts', () => {
		const { routing, conversation, made } = setUp({ mode: 'meeting' });
		const unread = { revision: -1, virtualMicrophone: { state: 'unsupported' } } as const;
		const none = { revision: 2, virtualMicrophone: { state: 'none' } } as const;
		routing.setState(unread);
		conversation.setState({ phase: 'preparing' });
		expect(made()).toBe(0);
		routing.setState(none);
		routing.setState({ ...none, revision: 3 });
		expect(made()).toBe(1);

		conversation.setState({ phase: 'idle' });
		routing.setState(unread);
		conversation.setState({ phase: 'preparing' });
		conversation.setState({ phase: 'idle' });
		routing.setState({ ...none, revision: 4 });
		expect(made()).toBe(1);
	});

	it('the virtual microphone is made too where it was chosen by name, in an earlier run', () => {
		const callOutput = { id: 'old', label: 'Dragoman voice' };
		const { routing, conversation, made } = setUp({ mode: 'meeting', callOutput });
		routing.setState({ revision: 2, virtualMicrophone: { state: 'none' } });
		conversation.setState({ phase: 'preparing' });
		expect(made()).toBe(1);
	});

	it('nothing is made where a device was chosen, even a missing one, or where it stands', () => {
		const { routing, write, conversation, made } = setUp({ mode: 'meeting' });
		conversation.setState({ phase: 'preparing' });
		conversation.setState({ phase: 'idle' });
		routing.setState({ revision: 2, virtualMicrophone: { state: 'none' } });
		write({ callOutput: headset });
		conversation.setState({ phase: 'preparing' });
		conversation.setState({ phase: 'idle' });
		write({ callOutput: { id: 'x', label: 'Unplugged' } });
		conversation.setState({ phase: 'preparing' });
		expect(made()).toBe(0);
	});
});

it('hears my own voice at full loudness while push to translate asks for it, then as loud as chosen', async () => {
	let isRaw = true;
	let changed = () => {};
	let original = -1;
	const routing: RoutingState = { revision: 1, virtualMicrophone: stands };
	const call = createCallOutput({
		mixer: {
			setVoiceVolume() {},
			setOriginalVolume: (next: number) => {
				original = next;
			},
			setOutput: async () => ok(),
			listen: () => () => {},
		} as Partial<Mixer> as Mixer,
		settings: {
			store: createStore<SettingsView>()(() => ({
				loaded: true,
				origins: {},
				sources: {},
				problem: null,
				values: { ...defaultSettings, mode: 'meeting', passOriginal: 0.2 },
			})),
		},
		routing: { store: createStore<RoutingState>()(() => routing), make: async () => ok(routing) },
		sound: { store: createStore<SoundView>()(() => ({ ...noSound, outputs: [headset, virtual] })) },
		raw: {
			raw: () => isRaw,
			listenRaw(tell) {
				changed = tell;
				return () => {};
			},
		},
	});
	call.follow({ store: createStore<ConversationView>()(() => ({ ...idleView, phase: 'live' })) });
	call.mixer.setVoiceVolume(1);
	await expect.poll(() => original).toBe(1);
	isRaw = false;
	changed();
	expect(original).toBe(0.2);
});
