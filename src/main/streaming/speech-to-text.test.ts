import { describe, expect, test } from 'vitest';
import { silentLogger } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { createFakeSockets } from '#test/support/fake-sockets.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import type { SocketEnd } from './close-codes.ts';
import { createSpeechToText, type SpeechToTextEvent } from './speech-to-text.ts';

const LOST: SocketEnd = { by: 'peer', code: 1006, reason: '' };

/** The engine over sockets whose other end the test plays. */
function start(address: Result<string, Problem> = ok('wss://s.example/'), closing = Promise.resolve()) {
	const clock = createManualClock();
	const refusals: Problem[] = [];
	const fakes = createFakeSockets(refusals);
	const sockets: typeof fakes = {
		...fakes,
		async open(...given) {
			const opened = await fakes.open(...given);
			if (!opened.ok) return opened;
			const { value } = opened;
			return ok({ ...value, close: () => value.close().then(() => closing) });
		},
	};
	const events: SpeechToTextEvent[] = [];
	const engine = createSpeechToText({
		sockets,
		address: () => address,
		clock,
		log: silentLogger,
		random: () => 0.5,
	});
	engine.listen((event) => events.push(event));
	const control = new AbortController();
	return {
		...{ clock, engine, events, refusals, control },
		lines: sockets.lines,
		line: sockets.line,
		types: () => events.map(({ type }) => type),
		open: (targets: readonly string[] = []) => engine.open({ language: 'en', targets }, control.signal),
		say(id: string, text: string, { final = false, translated = false } = {}) {
			const name = translated ? 'translated_transcription' : 'transcription';
			const place = { message_type: name, transcription_id: id, language: translated ? 'es' : 'en' };
			sockets.line().heard.frame(JSON.stringify({ ...place, is_eos: final, segment: { text } }));
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
