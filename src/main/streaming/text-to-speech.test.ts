import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeBase64 } from '#shared/lib/base64.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import type { TtsClientMessage } from '#shared/protocol/text-to-speech.ts';
import { s16ToBytes } from '#shared/sound/pcm.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import type { SocketHeard, Sockets } from './socket.ts';
import { createTextToSpeech } from './text-to-speech.ts';

const signal = new AbortController().signal;
type Text = TtsClientMessage & { type: 'text' };

/** An engine whose service is in the test's hand. */
async function setUp() {
	const clock = createManualClock();
	const said: TtsClientMessage[] = [];
	const connections: SocketHeard[] = [];
	let refusal: Problem | null = null;
	let closes = 0;
	let held: Promise<void> | null = null;
	let release: () => void = () => {};
	const sockets: Sockets = {
		async open(_target, heard) {
			if (refusal) return err(refusal);
			connections.push(heard);
			await held;
			return ok({
				send: (data) => said.push(JSON.parse(String(data))) > 0,
				sendAudio: () => false,
				waitingMs: 0,
				roundTripMs: 0,
				close: async () => {
					closes += 1;
				},
			});
		},
	};
	const engine = createTextToSpeech({
		sockets,
		address: () => ok('wss://voice.test'),
		clock,
		log: silentLogger,
		random: () => 0.5,
	});
	await engine.open({ language: 'en' }, signal);
	/** First sample of each piece, which tells them apart. */
	const heard: number[] = [];
	const results: (Result<void, Problem> | 'waiting')[] = [];
	const texts = () => said.filter((message): message is Text => message.type === 'text');

	return {
		clock,
		engine,
		said,
		heard,
		results,
		connections,
		closes: () => closes,
		texts,
		ids: () => texts().map(({ generation_id: id }) => id ?? ''),
		/** Connections stay under way from now on. */
		hold() {
			const { promise, resolve } = Promise.withResolvers<void>();
			held = promise;
			release = resolve;
		},
		async letOpen() {
			held = null;
			release();
			await clock.run(0);
		},
		refuse: (problem: Problem | null) => {
			refusal = problem;
		},
		async speak(text: string) {
			const at = results.push('waiting') - 1;
			void engine
				.speak(text, ({ samples }) => void heard.push(samples[0] ?? 0))
				.then((result) => {
					results[at] = result;
				});
			await clock.run(100);
		},
		/** The service sends `ms` of sound that begins with `mark`. */
		async sound(generation: string | null, mark: number, last = false, ms = 100) {
			const samples = new Int16Array(ms * 24).fill(mark);
			const audio = encodeBase64(s16ToBytes(samples));
			const data = { audio, generation_id: generation, last_chunk: last };
			connections.at(-1)?.frame(JSON.stringify({ message_type: 'audio_chunk', data }));
			await clock.run(100);
		},
		async lose() {
			connections.at(-1)?.ended({ by: 'failure', cause: 'reset' });
			await clock.run(5000);
		},
		/** As it comes over the wire, with a moment to be heard. */
		async frame(name: string, data: object) {
			connections.at(-1)?.frame(JSON.stringify({ message_type: name, data }));
			await clock.run(0);
		},
		async error(code: string) {
			connections.at(-1)?.frame(JSON.stringify({ message_type: 'error', data: { code, desc: 'why' } }));
			await clock.run(5000);
		},
	};
}

const sentence = (word: string) => `${`${word} `.repeat(50).trim()}. `;
const connectionLost = { ok: false, error: { kind: 'connection-lost', reason: 'reset' } };

test('a text in another language is named so, and its translation is told once, with its sound', async () => {
	const it = await setUp();
	await it.engine.open({ language: 'pt', from: 'en' }, signal);
	expect(it.said.at(-1)).toMatchObject({ type: 'init', language: 'pt', translate_from: 'en' });
	const told: string[] = [];
	void it.engine.speak(
		'Good day.',
		() => {},
		(text) => void told.push(text),
	);
	await it.clock.run(100);
	await it.frame('translated_text', { generation_id: 'g1', text: 'Bom dia.' });
	await it.lose();
	expect(told).toEqual([]);
	await it.frame('translated_text', { generation_id: 'g1', text: 'Late.' });
	await it.frame('translated_text', { generation_id: 'g2', text: 'Bom dia.' });
	await it.sound('g2', 1, true);
	expect(told).toEqual(['Bom dia.']);
});

describe('sound that comes late', () => {
	test('of a cancelled text is not heard, whatever is spoken meanwhile', async () => {
		const it = await setUp();
		await it.speak('The first.');
		await it.sound('g1', 1);
		it.engine.cancel();
		await it.sound('g1', 2);
		await it.speak('The second.');
		await it.sound('g1', 3);
		await it.sound('g1', 4, true);
		await it.sound('g2', 5, true);
		expect(it.heard).toEqual([1, 5]);
		expect(it.results).toEqual([err({ kind: 'cancelled' }), ok()]);
		expect(it.said.map(({ type }) => type)).toEqual(['init', 'text', 'cancel', 'text']);
	});

	test('of a text that another one replaced is not heard', async () => {
		const it = await setUp();
		await it.speak('The first.');
		await it.speak('The second.');
		await it.sound('g1', 1, true);
		await it.sound('g2', 2, true);
		expect([it.heard, it.results]).toEqual([[2], [err({ kind: 'cancelled' }), ok()]]);
	});

	test('after the end is not heard', async () => {
		const it = await setUp();
		await it.speak('The first.');
		await it.sound('g1', 1, true);
		await it.sound('g1', 2);
		await it.engine.close();
		await it.sound('g1', 3);
		expect(it.heard).toEqual([1]);
	});

	test('never is, whatever the order of texts, cancels and sound', async () => {
		const move = fc.oneof(
			fc.constant({ do: 'speak' as const }),
			fc.constant({ do: 'cancel' as const }),
			fc.record({
				do: fc.constant('sound' as const),
				of: fc.integer({ min: 1, max: 6 }),
				last: fc.boolean(),
			}),
		);
		await fc.assert(
			fc.asyncProperty(fc.array(move, { maxLength: 20 }), async (moves) => {
				const it = await setUp();
				const expected: number[] = [];
				let current = 0;
				let spoken = 0;
				for (const step of moves) {
					if (step.do === 'speak') {
						spoken += 1;
						current = spoken;
						await it.speak('A text.');
					} else if (step.do === 'cancel') {
						current = 0;
						it.engine.cancel();
					} else {
						if (step.of === current) expected.push(step.of);
						if (step.of === current && step.last) current = 0;
						await it.sound(`g${step.of}`, step.of, step.last);
					}
				}
				expect(it.heard).toEqual(expected);
			}),
			{ numRuns: 50 },
		);
	});
});

describe('a long text', () => {
	test('goes out sentence by sentence, none longer than any limit ever named', async () => {
		const it = await setUp();
		await it.speak(sentence('one') + sentence('two') + sentence('six'));
		expect(it.texts()).toHaveLength(1);
		await it.sound('g1', 1, true);
		await it.sound('g2', 2, true);
		await it.sound('g3', 3, true);
		expect(
			it.texts().map(({ text, is_eos: whole }) => [text.slice(0, 3), text.length <= 256, whole]),
		).toEqual([
			['one', true, true],
			['two', true, true],
			['six', true, true],
		]);
		expect([it.heard, it.results]).toEqual([[1, 2, 3], [ok()]]);
	});

	test('goes on after a lost connection with what was not handed out: nothing is lost, nothing twice', async () => {
		const it = await setUp();
		await it.speak(sentence('one') + sentence('two') + sentence('six'));
		await it.sound('g1', 1, true, 5000);
		// The first one is still being heard: this half is kept back until it is whole.
		await it.sound('g2', 2);
		await it.lose();
		expect(it.heard).toEqual([1]);
		expect(it.connections).toHaveLength(2);
		await it.sound('g3', 3, true);
		await it.sound('g4', 4, true);
		expect(it.texts().map(({ text }) => text.slice(0, 3))).toEqual(['one', 'two', 'two', 'six']);
		expect([it.heard, it.results]).toEqual([[1, 3, 4], [ok()]]);
	});

	test('that was cut in the middle of a word is not begun again', async () => {
		const it = await setUp();
		await it.speak(sentence('one') + sentence('two'));
		await it.sound('g1', 1);
		await it.lose();
		expect([it.heard, it.results, it.texts().length]).toEqual([[1], [connectionLost], 1]);
		await it.speak('Another.');
		await it.sound('g2', 2, true);
		expect([it.heard, it.results.at(-1), it.connections.length]).toEqual([[1, 2], ok(), 2]);
	});

	test('is handed out as it comes when nothing is left to be heard', async () => {
		const it = await setUp();
		await it.speak(sentence('one') + sentence('two'));
		await it.sound('g1', 1, true, 50);
		await it.clock.run(2000);
		await it.sound('g2', 2);
		expect(it.heard).toEqual([1, 2]);
	});

	test('is handed out sentence by sentence while enough is left to be heard, to its last piece', async () => {
		const it = await setUp();
		await it.speak(sentence('one') + sentence('two'));
		await it.sound('g1', 1, false, 400);
		await it.sound('g1', 2, true, 400);
		await it.sound('g2', 3);
		expect(it.heard).toEqual([1, 2]);
		await it.sound('g2', 4, true);
		expect([it.heard, it.results]).toEqual([[1, 2, 3, 4], [ok()]]);
	});
});

describe('failure', () => {
	test('that passes is waited for, at most three times, then said', async () => {
		const it = await setUp();
		await it.speak('Hello.');
		for (let count = 0; count < 4; count += 1)
			await it.error('SERVICE_UNAVAILABLE').then(() => it.clock.run(8000));
		expect(it.results).toEqual([
			{
				ok: false,
				error: { kind: 'service-failed', status: 503, detail: 'why', code: 'SERVICE_UNAVAILABLE' },
			},
		]);
		expect(it.texts().length).toBeLessThanOrEqual(4);
	});

	test('that does not pass is said at once', async () => {
		const it = await setUp();
		await it.speak('Hello.');
		await it.error('VALIDATION_ERROR');
		expect(it.results).toMatchObject([{ error: { kind: 'task-refused', detail: 'why' } }]);
	});

	test('a service that says nothing is given up', async () => {
		const it = await setUp();
		await it.speak('Hello.');
		await it.clock.run(20_000);
		expect(it.results).toMatchObject([{ error: { kind: 'timed-out', what: 'speak' } }]);
	});

	test('a service that cannot be reached any more is said', async () => {
		const it = await setUp();
		await it.speak('Hello.');
		it.refuse({ kind: 'service-unreachable', cause: 'ENOTFOUND' });
		await it.lose();
		await it.clock.run(20_000);
		expect(it.results).toEqual([err({ kind: 'service-unreachable', cause: 'ENOTFOUND' })]);
	});

	test('to reach the service for some seconds delays a text whose connection was lost', async () => {
		const it = await setUp();
		await it.speak('Hello.');
		it.refuse({ kind: 'service-unreachable', cause: 'ENOTFOUND' });
		await it.lose();
		await it.clock.run(1500);
		expect(it.results).toEqual(['waiting']);
		it.refuse(null);
		await it.clock.run(5000);
		expect(it.texts().map(({ text }) => text)).toEqual(['Hello.', 'Hello.']);
		await it.sound(null, 1, true);
		expect([it.heard, it.results]).toEqual([[1], [ok()]]);
	});

	test('of one text is not that of the next', async () => {
		const it = await setUp();
		await it.speak('Hello.');
		await it.error('VALIDATION_ERROR');
		await it.clock.run(20_000);
		await it.speak('Hello again.');
		await it.lose();
		await it.clock.run(2000);
		expect(it.results[1]).toBe('waiting');
		expect(it.texts().map(({ text }) => text)).toEqual(['Hello.', 'Hello again.', 'Hello again.']);
	});
});

describe('one connection', () => {
	test('is made for a text and the one that replaces it while it is under way', async () => {
		const it = await setUp();
		await it.lose();
		it.hold();
		await it.speak('The first.');
		it.engine.cancel();
		await it.speak('The second.');
		await it.letOpen();
		expect([it.connections.length, it.texts().map(({ text }) => text)]).toEqual([2, ['The second.']]);
		await it.sound(null, 1, true);
		expect([it.heard, it.results]).toEqual([[1], [err({ kind: 'cancelled' }), ok()]]);
		await it.engine.close();
		expect(it.closes()).toBe(1);
	});

	test('that was closed under way is not shared with what is opened next', async () => {
		const it = await setUp();
		await it.lose();
		it.hold();
		await it.speak('The first.');
		await it.engine.close();
		const opened = it.engine.open({ language: 'es' }, signal);
		await it.letOpen();
		expect([await opened, it.results, it.closes()]).toEqual([ok(), [err({ kind: 'cancelled' })], 1]);
		await it.speak('The second.');
		expect(it.said.slice(1).map(({ type }) => type)).toEqual(['init', 'text']);
		expect(it.connections).toHaveLength(3);
	});

	test('that is no longer in use does not end what another one speaks', async () => {
		const it = await setUp();
		await it.lose();
		await it.speak('Hello.');
		await it.sound('g1', 1);
		it.connections[0]?.ended({ by: 'peer', code: 1000, reason: '' });
		await it.sound('g1', 2, true);
		await it.speak('Bye.');
		expect([it.heard, it.results, it.connections.length]).toEqual([[1, 2], [ok(), 'waiting'], 2]);
	});
});

describe('a voice that nobody has', () => {
	const warning = JSON.stringify({ message_type: 'warning', data: { code: 'VOICE_NOT_FOUND', message: '' } });
	const refusal = JSON.stringify({
		message_type: 'error',
		data: { code: 'VALIDATION_ERROR', desc: 'no such voice', param: 'voice_options.voice_id' },
	});

	test.each([
		['a warning', warning],
		['a refusal', refusal],
	])('is not found where no other may speak: %s', async (_, answer) => {
		const rig = await setUp();
		await rig.engine.open({ language: 'en', voiceId: 'nobody', noOtherVoice: true }, signal);
		const spoken = rig.engine.speak('Hi.', () => {});
		rig.connections.at(-1)?.frame(answer);
		expect(await spoken).toEqual({ ok: false, error: { kind: 'not-found', what: 'voice', name: 'nobody' } });
	});

	test('that the service tells before there is a text is not found either', async () => {
		const rig = await setUp();
		await rig.engine.open({ language: 'en', voiceId: 'nobody', noOtherVoice: true }, signal);
		rig.connections.at(-1)?.frame(warning);
		expect(await rig.engine.speak('Hi.', () => {})).toMatchObject({ ok: false, error: { what: 'voice' } });
		expect(rig.texts()).toEqual([]);
	});

	test('is forgotten with its signal when another voice is opened', async () => {
		const rig = await setUp();
		const first = new AbortController();
		await rig.engine.open({ language: 'en', voiceId: 'nobody', noOtherVoice: true }, first.signal);
		rig.connections.at(-1)?.frame(warning);
		await rig.engine.open({ language: 'en', voiceId: 'somebody', noOtherVoice: true }, signal);
		first.abort();
		await rig.speak('Hi.');
		await rig.sound('g1', 1, true);
		expect([rig.heard, rig.results]).toEqual([[1], [ok()]]);
	});
});

describe('what is said to the service', () => {
	const init = (voice: string, language = 'en') => ({
		type: 'init',
		language,
		model: 'auto',
		voice_options: { voice_id: voice },
		output: { format: 'pcm', sample_rate: 24_000 },
	});

	test('is who shall speak, then each text under a number of its own', async () => {
		const it = await setUp();
		await it.speak('Hello.');
		await it.sound('g1', 1, true);
		await it.speak('Bye.');
		await it.engine.open({ language: 'es', voiceId: 'mine' }, signal);
		expect(it.said).toEqual([
			init('default_low'),
			{ type: 'text', text: 'Hello.', is_eos: true, generation_id: 'g1' },
			{ type: 'text', text: 'Bye.', is_eos: true, generation_id: 'g2' },
			init('mine', 'es'),
		]);
		expect(it.results[0]).toEqual(ok());
	});

	test('is that a text is dropped, where there is one', async () => {
		const it = await setUp();
		it.engine.cancel();
		expect(it.said).toHaveLength(1);
		await it.speak('Hello.');
		it.engine.cancel();
		await it.clock.run(0);
		expect(it.said.at(-1)).toEqual({ type: 'cancel', generation_id: 'g1' });
		expect([it.results, it.clock.pending]).toEqual([[err({ kind: 'cancelled' })], 0]);
	});

	test('is nothing of an empty text', async () => {
		const it = await setUp();
		await it.speak(' \n ');
		expect([it.results, it.said.length]).toEqual([[ok()], 1]);
	});
});

describe('a piece', () => {
	test('without a number is of the text that is spoken; one of another is not heard', async () => {
		const it = await setUp();
		await it.speak('Hello.');
		await it.sound('g9', 1, true);
		await it.sound(null, 2);
		expect([it.heard, it.results]).toEqual([[2], ['waiting']]);
		await it.sound(null, 3, true);
		expect([it.heard, it.results]).toEqual([[2, 3], [ok()]]);
		await it.sound(null, 4);
		expect(it.heard).toEqual([2, 3]);
	});

	test('that cannot be read is counted, and may be the last all the same; an empty one is none', async () => {
		const it = await setUp();
		await it.speak('Hello.');
		await it.frame('audio_chunk', { audio: 'AAAA', generation_id: 'g1', last_chunk: false });
		await it.frame('audio_chunk', { audio: '', generation_id: 'g1', last_chunk: false });
		expect([it.engine.piecesDropped, it.heard]).toEqual([1, []]);
		await it.frame('audio_chunk', { audio: '!', generation_id: 'g1', last_chunk: true });
		expect([it.engine.piecesDropped, it.heard, it.results]).toEqual([2, [], [ok()]]);
	});

	test('tells whose it is', async () => {
		const it = await setUp();
		const ids: string[] = [];
		void it.engine.speak('Hello.', ({ generationId }) => void ids.push(generationId));
		await it.sound(null, 1);
		expect(ids).toEqual(['g1']);
	});
});

describe('an error', () => {
	const said = (code: string) => ({ code, errors: [{ code, detail: 'why' }] });
	test.each<[string, unknown]>([
		['VALIDATION_ERROR', { kind: 'task-refused', field: '', detail: 'why' }],
		['BAD_REQUEST', { kind: 'task-refused', field: '', detail: 'why' }],
		['UNAUTHORIZED', { kind: 'api-key-rejected', status: 401, ...said('UNAUTHORIZED') }],
		['ODD', { kind: 'service-failed', status: 503, detail: 'why', code: 'ODD' }],
	])('%s is said at once, and not tried again', async (code, problem) => {
		const it = await setUp();
		await it.speak('Hello.');
		await it.error(code);
		expect([it.results, it.texts().length]).toEqual([[{ ok: false, error: problem }], 1]);
	});

	test.each<[string, unknown]>([
		['RATE_LIMIT_EXCEEDED', { kind: 'rate-limited', retryAfterMs: 1000, ...said('RATE_LIMIT_EXCEEDED') }],
		[
			'SERVICE_UNAVAILABLE',
			{ kind: 'service-failed', status: 503, detail: 'why', code: 'SERVICE_UNAVAILABLE' },
		],
	])('%s passes, but not for a text of which something was heard', async (code, problem) => {
		const it = await setUp();
		await it.speak('Hello.');
		await it.error(code);
		expect([it.results, it.texts().length]).toEqual([['waiting'], 2]);
		await it.sound('g2', 1);
		await it.error(code);
		expect([it.results, it.texts().length]).toEqual([[{ ok: false, error: problem }], 2]);
	});

	test('without words is called by its code; without a text it is nobody’s', async () => {
		const it = await setUp();
		await it.error('BAD_REQUEST');
		await it.speak('Hello.');
		await it.frame('error', { code: 'BAD_REQUEST', param: 'a.b' });
		expect(it.results).toEqual([err({ kind: 'task-refused', field: 'a.b', detail: 'BAD_REQUEST' })]);
	});

	test('about a voice is nothing but that where another may speak', async () => {
		const it = await setUp();
		await it.speak('Hello.');
		await it.frame('warning', { code: 'VOICE_NOT_FOUND', message: '' });
		expect(it.results).toEqual(['waiting']);
		await it.frame('error', { code: 'VALIDATION_ERROR', desc: 'no', param: 'voice_options.voice_id' });
		expect(it.results).toEqual([
			err({ kind: 'task-refused', field: 'voice_options.voice_id', detail: 'no' }),
		]);
	});
});

describe('silence', () => {
	test('of 15 s ends a text of which nothing was heard, and not a ms less; each piece begins it anew', async () => {
		const it = await setUp();
		await it.speak('Hello.');
		await it.clock.run(9900);
		await it.frame('audio_chunk', { audio: '', generation_id: 'g1', last_chunk: false });
		await it.clock.run(14_999);
		expect(it.results).toEqual(['waiting']);
		await it.clock.run(1000);
		expect(it.results).toEqual([err({ kind: 'timed-out', what: 'speak', afterMs: 15_000 })]);
		expect(it.clock.pending).toBe(0);
	});

	test('of 8 s ends a text without a last piece, and the rest of it and the next text are spoken', async () => {
		const it = await setUp();
		await it.speak(`${sentence('one')}${sentence('two')}`);
		await it.sound('g1', 1, false, 2000);
		// Held back, because enough is still to be heard.
		await it.sound('g1', 6);
		await it.clock.run(7799);
		expect(it.texts()).toHaveLength(1);
		await it.clock.run(1100);
		expect(it.ids()).toEqual(['g1', 'g2']);
		// A late piece of the first text would be heard in the middle of the second.
		await it.sound('g1', 2);
		await it.sound('g2', 3);
		await it.sound('g1', 4, true);
		await it.clock.run(9000);
		expect(it.results).toEqual([ok()]);
		await it.speak('Bye.');
		await it.sound('g3', 5, true);
		expect([it.results, it.heard]).toEqual([
			[ok(), ok()],
			[1, 6, 3, 5],
		]);
		expect(it.clock.pending).toBe(0);
	});

	test('after a cancelled text does not end the one that follows it', async () => {
		const it = await setUp();
		await it.speak('Hello.');
		await it.sound('g1', 1);
		await it.clock.run(7000);
		it.engine.cancel();
		await it.speak('Bye.');
		await it.clock.run(2000);
		await it.sound('g2', 2, true);
		expect([it.results, it.heard]).toEqual([
			[err({ kind: 'cancelled' }), ok()],
			[1, 2],
		]);
	});

	test('is looked at each second', async () => {
		const it = await setUp();
		await it.speak('Hello.');
		await it.clock.run(14_899);
		expect(it.results).toEqual(['waiting']);
		await it.clock.run(1);
		expect(it.results).toMatchObject([{ ok: false }]);
	});
});

describe('the end', () => {
	test('of the engine is that of its text and its socket; twice is once', async () => {
		const it = await setUp();
		await it.speak('Hello.');
		await it.engine.close();
		await it.engine.close();
		await it.clock.run(0);
		expect([it.results, it.closes(), it.clock.pending]).toEqual([[err({ kind: 'cancelled' })], 1, 0]);
	});

	test('comes with the signal, and before it nothing is opened', async () => {
		const it = await setUp();
		const control = new AbortController();
		await it.engine.open({ language: 'en' }, control.signal);
		await it.speak('Hello.');
		control.abort();
		await it.clock.run(0);
		expect([it.results, it.closes()]).toEqual([[err({ kind: 'cancelled' })], 1]);
		expect(await it.engine.open({ language: 'en' }, control.signal)).toEqual(err({ kind: 'cancelled' }));
		expect(it.connections).toHaveLength(2);
	});

	test('that the service said is said, and the next text opens another socket', async () => {
		const it = await setUp();
		await it.speak('Hello.');
		it.connections.at(-1)?.ended({ by: 'peer', code: 1000, reason: '' });
		await it.clock.run(5000);
		expect(it.results).toEqual([err({ kind: 'session-lost', cause: 'closed by the service' })]);
		await it.speak('Hello.');
		expect([it.connections.length, it.results.at(-1)]).toEqual([2, 'waiting']);
	});
});
