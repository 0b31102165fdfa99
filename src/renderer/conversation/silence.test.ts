import { expect, test } from 'vitest';
import { createStore } from 'zustand/vanilla';
import type { MicrophoneEvent } from '#renderer/sound/microphone.ts';
import type { MixerEvent } from '#renderer/sound/mixer.ts';
import type { Transport, TransportEvent, TransportStats } from '#renderer/transport/transport.ts';
import { ok } from '#shared/lib/result.ts';
import type { Level } from '#shared/sound/level.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { type ConversationView, idleView } from './conversation.ts';
import { createSilenceWatch } from './silence.ts';

const quiet: Level = { peakDb: -70, rmsDb: -75 };
const loud: Level = { peakDb: -12, rmsDb: -20 };
const dead: Level = { peakDb: -100, rmsDb: -100 };

async function setUp({ applies = true } = {}) {
	const clock = createManualClock();
	let tell: (level: Level) => void = () => {};
	const tapped = new Set<MediaStreamTrack>();
	let packets = 0;
	let holdsVoice = false;
	let onlyFinals = false;
	const toTransport = new Set<(event: TransportEvent) => void>();
	const toMicrophone = new Set<(event: MicrophoneEvent) => void>();
	const toMixer = new Set<(event: MixerEvent) => void>();
	const watch = createSilenceWatch({
		clock,
		source: 'microphone',
		tap(track, heard) {
			tapped.add(track);
			tell = heard;
			return () => void tapped.delete(track);
		},
		voiceOf: () => 'es',
		applies: () => applies,
	});
	const stats = async (): Promise<TransportStats> => ({
		packetsSent: packets,
		jitterBufferMs: 0,
		roundTripMs: 0,
		packetsReceived: 0,
		concealedRatio: 0,
		...(holdsVoice ? { holdsVoice } : {}),
		...(onlyFinals ? { onlyFinals } : {}),
	});
	const listen = (heard: (event: TransportEvent) => void) => {
		toTransport.add(heard);
		return () => void toTransport.delete(heard);
	};
	const transport = watch.transport({
		capabilities: { kind: 'webrtc' },
		stats,
		listen,
	} as Partial<Transport> as Transport);
	transport.listen(() => {});
	const microphone = watch.microphone({
		open: async () => ok({} as MediaStreamTrack),
		close() {},
		listen(heard: (event: MicrophoneEvent) => void) {
			toMicrophone.add(heard);
			return () => void toMicrophone.delete(heard);
		},
	});
	microphone.listen(() => {});
	const conversation = createStore<ConversationView>()(() => idleView);
	watch.follow(
		{ store: conversation },
		{
			listen(heard) {
				toMixer.add(heard);
				return () => void toMixer.delete(heard);
			},
		},
	);
	await microphone.open();
	conversation.setState({ phase: 'preparing' });
	conversation.setState({ phase: 'live' });
	return {
		watch,
		conversation,
		microphone,
		stage: () => watch.store.getState().stage,
		/** The tracks whose level is read. */
		tapped: () => [...tapped],
		microphoneSays(event: MicrophoneEvent) {
			for (const heard of toMicrophone) heard(event);
		},
		/** Seconds of sound, with the counters read after each. */
		async live(seconds: number, level: Level) {
			for (let tenth = 0; tenth < seconds * 10; tenth += 1) {
				clock.advance(100);
				tell(level);
				if (tenth % 10 !== 9) continue;
				packets += 50;
				await transport.stats();
			}
		},
		say(kind: 'source' | 'translation', language: string) {
			const text = { transcriptionId: 't', partId: '0', text: 'x', startS: 0, endS: 1 };
			const message = { type: 'transcript', kind, final: true, language, ...text } as const;
			for (const heard of toTransport) heard({ type: 'message', message });
		},
		holdVoice(held: boolean) {
			holdsVoice = held;
		},
		leaveOutPartials(only: boolean) {
			onlyFinals = only;
		},
		voice(active: boolean) {
			for (const heard of toMixer) heard({ type: 'voice-active', active });
		},
	};
}

test('an interpreter that gives nothing for speech is named, and taken back with the first word', async () => {
	const { live, stage, say } = await setUp();
	await live(8, loud);
	expect(stage()).toBe('transcript');
	say('source', 'en');
	expect(stage()).toBeNull();
});

test('a translation without its voice is named; one in a language that nobody hears is not', async () => {
	const { live, stage, say, voice } = await setUp();
	say('translation', 'de');
	await live(8, quiet);
	expect(stage()).toBeNull();
	say('translation', 'es');
	await live(8, quiet);
	expect(stage()).toBe('voice');
	voice(true);
	expect(stage()).toBeNull();
});

test('a line that has no room for the voice is named as such, for as long as it has none', async () => {
	const { live, stage, say, holdVoice } = await setUp();
	say('translation', 'es');
	holdVoice(true);
	await live(8, quiet);
	expect(stage()).toBe('line');
	holdVoice(false);
	await live(1, quiet);
	expect(stage()).toBeNull();
});

test('captions of finished sentences only are explained once, and a long sentence is no silence then', async () => {
	const { live, stage, say, leaveOutPartials } = await setUp();
	say('source', 'en');
	leaveOutPartials(true);
	await live(19, loud);
	expect(stage()).toBe('captions');
	await live(2, loud);
	expect(stage()).toBe('transcript');
	say('source', 'en');
	leaveOutPartials(false);
	await live(1, quiet);
	expect(stage()).toBeNull();
	leaveOutPartials(true);
	await live(5, quiet);
	expect(stage()).toBeNull();
});

test('what was dismissed stays away until it has been right again; a quiet beginning is said once', async () => {
	const { live, stage, watch } = await setUp();
	await live(8, dead);
	expect(stage()).toBe('microphone');
	watch.dismiss();
	await live(20, dead);
	expect(stage()).toBeNull();
	await live(1, quiet);
	await live(8, dead);
	expect(stage()).toBe('microphone');
	const quietly = await setUp();
	await quietly.live(8, quiet);
	expect(quietly.stage()).toBe('speech');
	await quietly.live(1, loud);
	quietly.say('source', 'en');
	expect(quietly.stage()).toBeNull();
	await quietly.live(60, quiet);
	expect(quietly.stage()).toBeNull();
});

test('shows a notice once per conversation, and again in the next one', async () => {
	const { live, stage, conversation } = await setUp();
	await live(8, quiet);
	expect(stage()).toBe('speech');
	for (const phase of ['idle', 'preparing', 'live'] as const) conversation.setState({ phase });
	expect(stage()).toBeNull();
	await live(8, quiet);
	expect(stage()).toBe('speech');
});

test('who speaks while muted is told so at once, until the microphone is on again', async () => {
	const { stage, conversation, microphoneSays } = await setUp();
	conversation.setState({ muted: true });
	expect(stage()).toBeNull();
	microphoneSays({ type: 'speaking-while-muted' });
	expect(stage()).toBe('muted');
	conversation.setState({ muted: false });
	expect(stage()).toBeNull();
});

test('another microphone that takes over is the one that is watched', async () => {
	const { tapped, microphoneSays } = await setUp();
	const track = {} as MediaStreamTrack;
	microphoneSays({ type: 'replaced', track, from: 'USB', to: 'Laptop' });
	expect(tapped()).toHaveLength(1);
	expect(tapped()[0]).toBe(track);
});

test('a microphone that is kept shut, as until a key is held, is not silent, and is given its time once it is open', async () => {
	const { live, stage, microphoneSays } = await setUp();
	const track = { enabled: false } as MediaStreamTrack;
	microphoneSays({ type: 'replaced', track, from: 'USB', to: 'USB' });
	await live(20, dead);
	expect(stage()).toBeNull();
	track.enabled = true;
	await live(6, dead);
	expect(stage()).toBeNull();
	await live(2, dead);
	expect(stage()).toBe('microphone');
	track.enabled = false;
	await live(1, dead);
	expect(stage()).toBeNull();
});

test('nothing is judged where microphones are shut by hand, and nothing is measured after the end', async () => {
	const { live, stage } = await setUp({ applies: false });
	await live(20, dead);
	expect(stage()).toBeNull();
	const { live: go, stage: said, conversation, microphone, tapped } = await setUp();
	await go(8, dead);
	expect(said()).toBe('microphone');
	conversation.setState({ phase: 'idle' });
	microphone.close();
	expect([said(), tapped()]).toEqual([null, []]);
});

test('what is said once in a conversation and was put away is not said again after a reconnection', async () => {
	const { live, stage, watch, conversation } = await setUp();
	await live(8, quiet);
	expect(stage()).toBe('speech');
	watch.dismiss();
	for (const phase of ['reconnecting', 'live'] as const) conversation.setState({ phase });
	await live(8, quiet);
	expect(stage()).toBeNull();
});
