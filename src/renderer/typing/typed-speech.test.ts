import { expect, test } from 'vitest';
import { silentLogger } from '#shared/lib/log.ts';
import type { Problem } from '#shared/problem.ts';
import { IDLE_MS, MAKING_LIMIT_MS } from '#shared/typing/type-to-speak-queue.ts';
import { createFakeSpeaking, type FakeSpeaking } from '#test/support/fake-window.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createTypedSpeech } from './typed-speech.ts';

const es = { language: 'es', voiceId: 'default_low' };
const de = { language: 'de', voiceId: 'default_low' };
const lost: Problem = { kind: 'connection-lost', reason: 'closed 1006' };
const track = { kind: 'audio' } as MediaStreamTrack;

function setUp() {
	const clock = createManualClock();
	const streams: FakeSpeaking[] = [];
	const mixer: string[] = [];
	const speech = createTypedSpeech({
		clock,
		log: silentLogger,
		mixer: {
			setVoice: (name, voice) => void mixer.push(`${name} ${voice ? 'on' : 'off'}`),
			selectVoice: (name) => void mixer.push(`select ${name}`),
			resumeVoice: () => {},
		},
		openStream: createFakeSpeaking(streams),
	});
	const states = () => speech.store.getState().texts.map(({ state }) => state.is);
	return { clock, streams, mixer, speech, states };
}

test('speaks a text over a stream of its voice, which plays through the mixer', () => {
	const { speech, streams, mixer, states } = setUp();
	speech.say('  Hola  ', es);
	speech.say('   ', es);
	expect(streams.map(({ voice }) => voice)).toEqual([es]);
	streams[0]?.tell({ type: 'opened' });
	expect(streams[0]?.did).toEqual(['speak t1 Hola']);
	streams[0]?.tell({ type: 'voice', track });
	streams[0]?.tell({ type: 'sounding', id: 't1' });
	expect([states(), mixer]).toEqual([['speaking'], ['typed on', 'select typed']]);
	streams[0]?.tell({ type: 'played', id: 't1' });
	expect(states()).toEqual(['spoken']);
});

test('an unused stream is given back after a while, and its voice with it', async () => {
	const { speech, streams, mixer, clock } = setUp();
	speech.say('Hola', es);
	streams[0]?.tell({ type: 'opened' });
	streams[0]?.tell({ type: 'played', id: 't1' });
	await clock.run(IDLE_MS - 1000);
	expect(streams[0]?.did).toEqual(['speak t1 Hola']);
	await clock.run(2000);
	expect([streams[0]?.did.at(-1), mixer]).toEqual(['close', ['typed off']]);
});

test('a service that never answers is given up in the end', async () => {
	const { speech, streams, states, clock } = setUp();
	speech.say('Hola', es);
	streams[0]?.tell({ type: 'opened' });
	await clock.run(MAKING_LIMIT_MS + 1000);
	expect([states(), streams[0]?.did.at(-1)]).toEqual([['failed'], 'close']);
});

test('ignores messages of an abandoned stream', () => {
	const { speech, streams, states, mixer } = setUp();
	speech.say('Hola', es);
	streams[0]?.tell({ type: 'opened' });
	speech.say('Hallo', de);
	speech.cancel('t1');
	expect([streams[0]?.did, streams[1]?.voice]).toEqual([['speak t1 Hola', 'drop t1', 'close'], de]);
	const before = mixer.length;
	streams[0]?.tell({ type: 'voice', track });
	streams[0]?.tell({ type: 'lost', problem: lost });
	streams[1]?.tell({ type: 'opened' });
	expect([states(), mixer.length]).toEqual([['cancelled', 'making'], before]);
});

test('repeats the text over another stream after a lost one, and only once', () => {
	const { speech, streams, states } = setUp();
	speech.say('Hola', es);
	streams[0]?.tell({ type: 'opened' });
	streams[0]?.tell({ type: 'lost', problem: lost });
	streams[1]?.tell({ type: 'opened' });
	// A late event of the first stream: nothing of the second was heard yet.
	streams[0]?.tell({ type: 'sounding', id: 't1' });
	expect([states(), streams[1]?.did]).toEqual([['making'], ['speak t1 Hola']]);
	streams[1]?.tell({ type: 'sounding', id: 't1' });
	streams[1]?.tell({ type: 'lost', problem: lost });
	expect([states(), streams.length]).toEqual([['failed'], 2]);
});

test('silence cancels everything and closes the stream', () => {
	const { speech, streams, states } = setUp();
	for (const text of ['Uno', 'Dos']) speech.say(text, es);
	streams[0]?.tell({ type: 'opened' });
	speech.silence();
	expect([states(), streams[0]?.did]).toEqual([
		['cancelled', 'cancelled'],
		['speak t1 Uno', 'drop t1', 'close'],
	]);
	speech.silence();
	expect(streams).toHaveLength(1);
});
