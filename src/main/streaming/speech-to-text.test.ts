import { describe, expect, test } from 'vitest';
import { silentLogger } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { createFakeSockets } from '#test/support/fake-sockets.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import type { SocketEnd } from './socket-ends.ts';
import { createSpeechToText, type SpeechToTextEvent } from './speech-to-text.ts';

const LOST: SocketEnd = { by: 'peer', code: 1006, reason: '' };

/** The engine over sockets whose other end the test plays. */
function start(
	address: Result<string, Problem> = ok('wss://s.example/'),
	closing = Promise.resolve(),
	withoutFinalize = new Set<string>(),
	pace: Partial<Parameters<typeof createSpeechToText>[0]> = {},
) {
	const clock = createManualClock();
	const refusals: Problem[] = [];
	const fakes = createFakeSockets(refusals);
	const sockets: typeof fakes = {
		...fakes,
		async open(...given) {
			const opened = await fakes.open(...given);
			if (!opened.ok) return opened;
			const { value } = opened;
			return ok({
				...value,
				get waitingMs() {
					return value.waitingMs;
				},
				close: () => value.close().then(() => closing),
			});
		},
	};
	const events: SpeechToTextEvent[] = [];
	const engine = createSpeechToText({
		sockets,
		address: () => address,
		clock,
		log: silentLogger,
		random: () => 0.5,
		withoutFinalize,
		...pace,
	});
	engine.listen((event) => events.push(event));
	const control = new AbortController();
	return {
		clock,
		engine,
		events,
		refusals,
		control,
		lines: sockets.lines,
		line: sockets.line,
		types: () => events.map(({ type }) => type),
		open: (targets: readonly string[] = []) => engine.open({ language: 'en', targets }, control.signal),
		say(id: string, text: string, { final = false, translated = false, language = 'es' } = {}) {
			const name = translated ? 'translated_transcription' : 'transcription';
			const place = { message_type: name, transcription_id: id, language: translated ? language : 'en' };
			sockets.line().heard.frame(JSON.stringify({ ...place, is_eos: final, segment: { text } }));
		},
		fail: (code: string, desc = '') =>
			sockets.line().heard.frame(JSON.stringify({ message_type: 'error', code, desc })),
		asked: () => sockets.line().sent.filter((name) => name === 'finalize').length,
		texts: () => events.flatMap((event) => (event.type === 'text' ? [event.text.text] : [])),
		/** How long until it is over, ms; `null` = not within `limitMs`. */
		async over(work: Promise<void>, limitMs = 60_000) {
			const began = clock.now();
			let endMs: number | null = null;
			void work.then(() => {
				endMs = clock.now() - began;
			});
			while (endMs === null && clock.now() - began < limitMs) await clock.run(10);
			return endMs;
		},
		/** Sound as it is captured, 20 ms at a time. */
		async capture(ms: number) {
			for (let passed = 0; passed < ms; passed += 20) {
				engine.audio(new Int16Array(480).fill(9000));
				await clock.run(20);
			}
		},
	};
}

test('sends a file to this computer as fast as it is heard, and asks for its last text after all of it', async () => {
	const rig = start(undefined, undefined, undefined, { asHeard: true, canWait: true });
	await rig.open(['es']);
	const sent = () => rig.line().sent.filter((name) => name === 'audio').length;
	expect(rig.line().target.query).toMatchObject({ pace: 'heard' });
	for (let piece = 0; piece < 20; piece += 1) rig.engine.audio(new Int16Array(2400).fill(9000));
	expect(sent()).toBe(5);
	const finished = rig.engine.finish();
	await rig.clock.run(100);
	expect([sent(), rig.asked()]).toEqual([5, 0]);
	rig.line().heard.frame(JSON.stringify({ message_type: 'sound_heard', data: { ms: 1600 } }));
	expect([sent(), rig.asked()]).toEqual([7, 1]);
	// A slow computer takes long over the last sentence, and over its translation.
	await rig.clock.run(50_000);
	rig.say('a', 'Good morning <fin>', { final: true });
	await rig.clock.run(50_000);
	rig.say('a', 'Buenos días', { final: true, translated: true });
	await rig.clock.run(2000);
	await finished;
	expect(rig.texts()).toEqual(['Good morning', 'Buenos días']);
});

test('gives this computer what was said before there was a socket, at once, as fast as the socket takes it', async () => {
	const rig = start(undefined, undefined, undefined, { chunkMs: 60, isHere: true });
	const opened = rig.open();
	rig.engine.audio(new Int16Array(24 * 6000).fill(9000));
	await opened;
	expect(rig.line().sent).toHaveLength(100);
	rig.line().waitingMs = 1001;
	rig.engine.audio(new Int16Array(24 * 600).fill(9000));
	await rig.clock.run(2);
	expect(rig.line().sent).toHaveLength(100);
	rig.line().waitingMs = 0;
	await rig.clock.run(100);
	expect(rig.line().sent).toHaveLength(100);
	rig.line().heard.drained?.();
	expect(rig.line().sent).toHaveLength(110);
});

describe('opening', () => {
	test('asks for the language, and for translations where there are any; sound flows at once', async () => {
		const rig = start();
		expect([rig.engine.flowing, rig.engine.roundTripMs]).toEqual([false, 0]);
		expect(await rig.open()).toEqual(ok());
		const query = { format: 'pcm_s16le', sample_rate: '24000', language: 'en' };
		expect(rig.line().target).toEqual({ address: 'wss://s.example/', query });
		expect([rig.engine.flowing, rig.engine.roundTripMs]).toEqual([true, 42]);
		await rig.capture(2000);
		expect(rig.line().sent.length).toBeGreaterThanOrEqual(6);
		const other = start();
		await other.open(['es', 'fr']);
		expect(other.line().target.query).toEqual({ ...query, translate_languages: 'es,fr' });
	});

	test('that cannot be ends with the reason and leaves nothing', async () => {
		const off: Problem = { kind: 'socket-off', socket: 'stt' };
		expect(await start(err(off)).open()).toEqual(err(off));
		const rig = start();
		rig.refusals.push({ kind: 'no-credit', detail: '' });
		expect(await rig.open()).toEqual(err({ kind: 'no-credit', detail: '' }));
		expect([rig.engine.flowing, rig.clock.pending]).toEqual([false, 0]);
	});

	test('is cancelled by its signal, before, meanwhile and after', async () => {
		const rig = start();
		const opened = rig.open();
		rig.control.abort();
		expect(await opened).toEqual(err({ kind: 'cancelled' }));
		expect([rig.line().closed, rig.clock.pending]).toEqual([true, 0]);
		expect(await rig.open()).toEqual(err({ kind: 'cancelled' }));
		expect(rig.lines).toHaveLength(1);
		const running = start();
		await running.open();
		running.control.abort();
		await running.clock.run(0);
		expect([running.line().closed, running.engine.flowing, running.clock.pending]).toEqual([true, false, 0]);
	});
});

test('texts and warnings are told, an error is not; sound that is dropped is said', async () => {
	const rig = start();
	await rig.open();
	rig.say('a', 'Hello');
	rig.line().heard.frame('{"message_type":"warning","code":"X","message":"x"}');
	rig.line().heard.frame('{"message_type":"error","code":"X"}');
	rig.line().heard.frame('nonsense');
	rig.line().heard.dropped(320);
	expect(rig.events).toEqual([
		{ type: 'text', text: expect.objectContaining({ kind: 'source', text: 'Hello', final: false }) },
		{ type: 'warning', code: 'X', text: 'x' },
		{ type: 'speech-lost', ms: 320 },
	]);
});

describe('a socket that is lost', () => {
	test('is made again after a second; what is said meanwhile is sent, at most five seconds of it', async () => {
		const rig = start();
		await rig.open();
		const first = rig.line();
		rig.refusals.push(
			{ kind: 'timed-out', what: 'socket', afterMs: 1 },
			{ kind: 'timed-out', what: 'socket', afterMs: 1 },
		);
		first.heard.ended(LOST);
		expect([rig.types(), rig.engine.flowing]).toEqual([['restoring'], false]);
		await rig.capture(6980);
		const lost = rig.events.flatMap((event) => (event.type === 'speech-lost' ? [event.ms] : []));
		expect(lost.reduce((sum, ms) => sum + ms, 0)).toBeCloseTo(1980, -2);
		expect(rig.lines).toHaveLength(1);
		await rig.capture(20);
		expect([rig.types().at(-1), rig.lines.length]).toEqual(['up', 2]);
		await rig.clock.run(1000);
		expect(rig.line().sent.length).toBeGreaterThan(3);
		const before = rig.events.length;
		first.heard.frame('{"message_type":"warning","code":"X","message":"x"}');
		first.heard.dropped(1);
		first.heard.ended(LOST);
		expect(rig.events).toHaveLength(before);
	});

	test('is made again also where the service still takes the lost one for a second session', async () => {
		const rig = start();
		await rig.open();
		rig.refusals.push({ kind: 'service-failed', status: 409, detail: '' });
		rig.line().heard.ended(LOST);
		await rig.clock.run(4000);
		expect(rig.types()).toEqual(['restoring', 'up']);
	});

	test.each([
		[0, 'task-refused'],
		[10_000, 'task-refused'],
		[10_001, 'rate-limited'],
	])('is called by the error that came %d ms before it: %s', async (ms, kind) => {
		const rig = start();
		await rig.open();
		rig.line().heard.frame('{"message_type":"error","data":{"code":"VALIDATION_ERROR","desc":"x"}}');
		await rig.clock.run(ms);
		rig.line().heard.ended({ by: 'peer', code: 1008, reason: '' });
		expect(rig.events).toContainEqual({ type: 'restoring', cause: kind });
		await rig.clock.run(0);
		expect(rig.types().at(-1)).toBe(kind === 'task-refused' ? 'closed' : 'restoring');
	});

	test('is not made again once it is closed', async () => {
		const rig = start();
		await rig.open();
		rig.line().heard.ended(LOST);
		await rig.engine.close();
		await rig.clock.run(10_000);
		expect([rig.lines.length, rig.types(), rig.clock.pending]).toEqual([1, ['restoring'], 0]);
	});
});

describe('the end', () => {
	/** How long it takes, ms, looked at every 50; `said`: what comes meanwhile. */
	async function lasts(said: (rig: ReturnType<typeof start>, atMs: number) => void): Promise<number> {
		const rig = start();
		await rig.open();
		await rig.capture(640);
		const began = rig.clock.now();
		let endMs: number | null = null;
		void rig.engine.finish().then(() => {
			endMs = rig.clock.now() - began;
		});
		for (let atMs = 0; endMs === null && atMs < 60_000; atMs += 50) {
			said(rig, atMs);
			await rig.clock.run(50);
		}
		expect([rig.line().closed, rig.clock.pending]).toEqual([true, 0]);
		return endMs ?? Infinity;
	}
	const within = (ms: number, least: number) => {
		expect(ms).toBeGreaterThanOrEqual(least);
		expect(ms).toBeLessThanOrEqual(least + 700);
	};

	test('is when silence has made the last text final, and nothing more comes', async () => {
		within(await lasts(() => {}), 1500);
		within(
			await lasts((rig, atMs) => {
				if (atMs === 0) rig.say('a', 'Hello');
				if (atMs === 3000) rig.say('a', 'Hello.', { final: true });
				if (atMs === 4000) rig.say('a', 'Hola.', { translated: true });
			}),
			5500,
		);
	});

	test.each([0, 640, 3000])(
		'has a second and a half of silence behind %d ms that still wait',
		async (waitingMs) => {
			const rig = start();
			await rig.open();
			await rig.capture(640);
			rig.engine.audio(new Int16Array(24 * waitingMs).fill(9000));
			const before = rig.line().sent.length;
			const began = rig.clock.now();
			let isOver = false;
			void rig.engine.finish().then(() => {
				isOver = true;
			});
			while (!isOver) await rig.clock.run(10);
			// What is sent is sound, and then silence, which begins 640 ms after the last sound was captured.
			const sentMs = (rig.line().sent.length - before) * 320;
			expect(sentMs).toBeGreaterThanOrEqual(waitingMs + 1500 - 640);
			expect(rig.clock.now() - began).toBeLessThan(waitingMs + 1500 + 700);
		},
	);

	test('does not wait for a text that never becomes final, nor for ever', async () => {
		within(await lasts((rig, atMs) => void (atMs === 0 && rig.say('a', 'Hello'))), 6000);
		within(await lasts((rig) => rig.say('a', 'Hello')), 30_000);
	});

	test('is that of the socket, for everybody who asks for it', async () => {
		const { promise, resolve } = Promise.withResolvers<void>();
		const rig = start(undefined, promise);
		await rig.open();
		let ended = 0;
		for (let asked = 0; asked < 2; asked += 1) void rig.engine.close().then(() => (ended += 1));
		await rig.clock.run(0);
		expect(ended).toBe(0);
		resolve();
		await rig.clock.run(0);
		expect(ended).toBe(2);
	});

	test('of a text whose socket was lost is not waited for', async () => {
		const ms = await lasts((rig, atMs) => {
			if (atMs === 0) rig.say('a', 'Hello');
			if (atMs === 100) rig.lines[0]?.heard.ended(LOST);
		});
		within(ms, 1500);
	});
});

describe('the last words', () => {
	/** A conversation in which one text is not final yet. */
	async function begun(targets: readonly string[] = [], known = new Set<string>()) {
		const rig = start(undefined, undefined, known);
		await rig.open(targets);
		await rig.capture(700);
		rig.say('a', 'Hello');
		return rig;
	}

	test('are asked for when all that was said has left, and are there when the marker comes', async () => {
		const rig = await begun();
		const before = rig.line().sent.length;
		const finish = rig.engine.finish();
		const over = rig.over(finish);
		await rig.clock.run(300);
		expect(rig.line().sent.slice(before)).toEqual(['audio', 'finalize']);
		rig.say('a', 'Hello, world. <fin>', { final: true });
		expect(await over).toBeLessThanOrEqual(350);
		expect(rig.texts()).toEqual(['Hello', 'Hello, world.']);
		expect([rig.types(), rig.line().closed, rig.clock.pending]).toEqual([['text', 'text'], true, 0]);
	});

	test('are none when the marker comes alone; nothing of it is told', async () => {
		const rig = start();
		await rig.open();
		await rig.capture(640);
		const over = rig.over(rig.engine.finish());
		await rig.clock.run(100);
		rig.line().heard.frame('{"message_type":"transcription","is_eos":true,"segment":{"text":"<fin>"}}');
		expect(await over).toBeLessThanOrEqual(150);
		expect(rig.events).toEqual([]);
	});

	test('are complete with their translations, for which the end waits, but not for ever', async () => {
		const rig = await begun(['es', 'de']);
		const over = rig.over(rig.engine.finish());
		await rig.clock.run(400);
		rig.say('a', 'Hello, world. <fin>', { final: true });
		await rig.clock.run(500);
		rig.say('a', 'Hola, mundo. <fin>', { translated: true });
		await rig.clock.run(500);
		rig.say('a', 'Hallo, Welt.', { translated: true, language: 'de' });
		expect(await over).toBeLessThanOrEqual(1450);
		expect(rig.texts().slice(1)).toEqual(['Hello, world.', 'Hola, mundo.', 'Hallo, Welt.']);

		const lost = await begun(['es', 'de']);
		const end = lost.over(lost.engine.finish());
		await lost.clock.run(400);
		lost.say('a', 'Hello, world. <fin>', { final: true });
		lost.say('a', 'Hola, mundo.', { translated: true });
		const lastedMs = await end;
		expect(lastedMs).toBeGreaterThanOrEqual(1900);
		expect(lastedMs).toBeLessThanOrEqual(1960);
	});

	test('of another text that is open are waited for although the marker has come', async () => {
		const rig = await begun();
		rig.say('b', 'And');
		const over = rig.over(rig.engine.finish());
		await rig.clock.run(400);
		rig.say('b', 'And so on. <fin>', { final: true });
		await rig.clock.run(600);
		rig.say('a', 'Hello, world.', { final: true });
		expect(await over).toBeLessThanOrEqual(1050);
		expect(rig.texts().at(-1)).toBe('Hello, world.');
	});

	test.each([
		['says nothing', () => {}],
		[
			'says that it does not know the question',
			(rig: Rig) => rig.fail('VALIDATION_ERROR', 'message_type: no'),
		],
		['calls it by a code of its own', (rig: Rig) => rig.fail('NO_SUCH_THING', 'unknown message_type')],
	])('come as before from a service that %s; it is not asked again', async (_, answer) => {
		const known = new Set<string>();
		const rig = await begun([], known);
		const over = rig.over(rig.engine.finish());
		await rig.clock.run(350);
		expect(rig.asked()).toBe(1);
		answer(rig);
		await rig.clock.run(1000);
		rig.say('a', 'Hello, world.', { final: true });
		const lastedMs = await over;
		expect(lastedMs).toBeGreaterThanOrEqual(2850);
		expect(lastedMs).toBeLessThanOrEqual(2950);
		expect(rig.types()).toEqual(['text', 'text']);
		const next = await begun([], known);
		next.engine.finalize();
		const end = next.over(next.engine.finish());
		await next.clock.run(1350);
		next.say('a', 'Hello, world.', { final: true });
		expect(await end).toBeGreaterThanOrEqual(2850);
		expect(next.asked()).toBe(0);
	});

	test('of a service that leaves when it is asked are no failure, and it is not asked again', async () => {
		const known = new Set<string>();
		const rig = await begun([], known);
		const over = rig.over(rig.engine.finish());
		await rig.clock.run(350);
		rig.fail('BAD_REQUEST', 'unknown message');
		rig.line().heard.ended({ by: 'peer', code: 1003, reason: '' });
		expect(await over).toBeLessThanOrEqual(450);
		expect([rig.types(), rig.lines.length, rig.clock.pending]).toEqual([['text'], 1, 0]);
		expect(known).toEqual(new Set(['wss://s.example/']));
	});

	test('before a mute: a service that leaves is found again, and the conversation goes on', async () => {
		const rig = await begun();
		rig.engine.finalize();
		await rig.capture(320);
		expect(rig.asked()).toBe(1);
		rig.line().heard.ended({ by: 'peer', code: 1003, reason: '' });
		await rig.capture(2000);
		expect([rig.types(), rig.lines.length]).toEqual([['text', 'restoring', 'up'], 2]);
		rig.engine.finalize();
		await rig.capture(1000);
		expect(rig.asked()).toBe(0);
	});

	test('before a mute: a connection that is lost owes no answer, and the next one is asked', async () => {
		const known = new Set<string>();
		const rig = await begun([], known);
		rig.engine.finalize();
		await rig.capture(320);
		rig.line().heard.ended(LOST);
		await rig.capture(6000);
		expect([rig.types(), known.size]).toEqual([['text', 'restoring', 'up'], 0]);
		rig.engine.finalize();
		await rig.capture(2000);
		expect(rig.asked()).toBe(1);
	});

	test('are asked for a second time on the same connection, each time for what was said since', async () => {
		const rig = await begun();
		rig.engine.finalize();
		await rig.capture(320);
		rig.say('a', 'Hello, world. <fin>', { final: true });
		await rig.capture(10_000);
		const over = rig.over(rig.engine.finish());
		await rig.clock.run(400);
		expect([rig.asked(), rig.line().closed]).toEqual([2, false]);
		await rig.clock.run(400);
		expect(rig.line().closed).toBe(false);
		rig.say('b', 'Good bye. <fin>', { final: true });
		expect(await over).toBeLessThanOrEqual(850);
		expect(rig.texts()).toEqual(['Hello', 'Hello, world.', 'Good bye.']);
		// Nor does its answer end the wait on the next connection.
		await rig.open();
		await rig.capture(700);
		const end = rig.over(rig.engine.finish());
		await rig.clock.run(800);
		expect([rig.asked(), rig.line().closed]).toEqual([1, false]);
		rig.say('a', 'Hello again. <fin>', { final: true });
		expect(await end).toBeLessThanOrEqual(850);
	});

	test('are there with the second answer when the first is still to come at Stop', async () => {
		const rig = await begun();
		rig.engine.finalize();
		await rig.capture(320);
		rig.say('b', 'Good');
		const over = rig.over(rig.engine.finish());
		await rig.clock.run(400);
		expect(rig.asked()).toBe(2);
		rig.say('a', 'Hello, world. <fin>', { final: true });
		await rig.clock.run(2500);
		expect(rig.line().closed).toBe(false);
		rig.say('b', 'Good bye. <fin>', { final: true });
		expect(await over).toBeLessThanOrEqual(2950);
	});

	test('are waited for no longer once it is closed, and at most as long as a tail', async () => {
		const rig = await begun();
		const over = rig.over(rig.engine.finish());
		await rig.clock.run(400);
		await rig.engine.close();
		expect(await over).toBeLessThanOrEqual(450);
		expect([rig.line().closed, rig.clock.pending]).toEqual([true, 0]);
		const silent = await begun();
		const lastedMs = await silent.over(silent.engine.finish());
		expect(lastedMs).toBeGreaterThanOrEqual(6000);
		expect(lastedMs).toBeLessThanOrEqual(6100);
	});

	test('a late answer shows that the question is known', async () => {
		const known = new Set<string>();
		const rig = await begun([], known);
		rig.engine.finalize();
		await rig.capture(5320);
		expect(known.size).toBe(1);
		rig.say('a', 'Hello, world. <fin>', { final: true });
		rig.engine.finalize();
		await rig.capture(320);
		expect([known.size, rig.asked()]).toEqual([0, 2]);
		// And it stays known when an answer is missing.
		await rig.over(rig.engine.finish());
		expect(known.size).toBe(0);
	});

	test('a refusal of the question is not the reason of what happens next', async () => {
		const rig = await begun();
		rig.engine.finalize();
		await rig.capture(320);
		rig.fail('VALIDATION_ERROR', 'message_type: no');
		rig.line().heard.ended(LOST);
		expect(rig.events.at(-1)).toEqual({ type: 'restoring', cause: 'connection-lost' });
	});

	test('an error of the account that comes meanwhile is what ends the conversation', async () => {
		const rig = await begun();
		rig.engine.finalize();
		await rig.capture(320);
		rig.fail('UNAUTHORIZED', 'the key was withdrawn');
		rig.line().heard.ended({ by: 'peer', code: 4003, reason: '' });
		await rig.clock.run(0);
		expect(rig.types()).toEqual(['text', 'restoring', 'closed']);
	});
});

test('a finished text that comes again, and an empty one, are not told and hold nothing up', async () => {
	const rig = start();
	await rig.open(['es']);
	await rig.capture(700);
	rig.say('a', '');
	rig.say('a', 'Hello');
	rig.say('a', '');
	rig.say('a', 'Hello.', { final: true });
	rig.say('a', 'Hello.', { final: true });
	rig.say('a', 'Hello again');
	rig.say('a', '');
	rig.say('b', '', { final: true });
	rig.say('c', 'um');
	rig.say('c', '', { final: true });
	rig.say('a', 'Hola.', { translated: true });
	rig.say('a', '', { translated: true });
	// The end of a text of which nothing is left ends its row.
	expect(rig.texts()).toEqual(['Hello', 'Hello.', 'um', '', 'Hola.']);
	const over = rig.over(rig.engine.finish());
	for (let times = 0; times < 10; times += 1) {
		await rig.clock.run(150);
		rig.say('a', 'Hello again');
	}
	expect(await over).toBeLessThanOrEqual(1700);
	// Of another connection the id is new.
	expect((await rig.open()).ok).toBe(true);
	rig.say('a', 'Welcome');
	expect(rig.texts().at(-1)).toBe('Welcome');
});

type Rig = ReturnType<typeof start>;
