import { describe, expect, type TestContext, test } from 'vitest';
import { createSpeechToSpeech, type SpeechToSpeechEvent } from '#main/streaming/speech-to-speech.ts';
import type { SandboxOptions } from '#sandbox/sandbox.ts';
import { buildTask } from '#shared/conversation/task-builder.ts';
import type { Task } from '#shared/protocol/client-message.ts';
import { defaultSettings } from '#shared/settings/schema.ts';
import { eventually } from '#test/support/eventually.ts';
import { createFastClock } from '#test/support/manual-clock.ts';
import { conversationPcm, type EngineOptions, speakInto, startEngine } from '#test/support/streaming-rig.ts';

const signal = new AbortController().signal;

async function start(context: TestContext, options: SandboxOptions & EngineOptions = {}) {
	const { engine, sandbox } = await startEngine(
		context,
		(parts) => createSpeechToSpeech({ ...parts, address: parts.address('s2s') }),
		options,
	);
	const events: SpeechToSpeechEvent[] = [];
	engine.listen((event) => events.push(event));
	const of = <Type extends SpeechToSpeechEvent['type']>(type: Type) =>
		events.filter((event): event is Extract<SpeechToSpeechEvent, { type: Type }> => event.type === type);
	const finals = (kind: 'source' | 'translation') =>
		of('message').flatMap(({ message }) =>
			message.type === 'transcript' && message.final && message.kind === kind
				? [`${message.language}: ${message.text}`]
				: [],
		);
	const heardMs = (language: string) =>
		of('audio').reduce(
			(sum, { frame }) => sum + (frame.language === language ? frame.samples.length / 24 : 0),
			0,
		);
	return { engine, sandbox, events, of, finals, heardMs };
}

function task(hear: readonly string[] = ['es'], format?: string): Task {
	const built = buildTask({ ...defaultSettings, speak: 'en', hear: [...hear] }, 'websocket');
	if (format && built.output_stream) built.output_stream.target.format = format;
	return built;
}

// They mostly wait, each with a service of its own.
describe.concurrent.each(['current', 'older'] as const)(
	'with a service of the %s generation',
	(generation) => {
		test('a sentence comes back as text and speech, the tail included', {
			timeout: 40_000,
		}, async (context) => {
			const { engine, of, finals, heardMs } = await start(context, { generation });
			expect(await engine.open(task(), signal)).toEqual({ ok: true, value: undefined });
			await speakInto(engine, conversationPcm(4));
			expect(await engine.finish()).toBe(true);
			expect(finals('source')[0]).toMatch(/^en: \w/);
			expect(finals('translation')[0]).toMatch(/^es: \w/);
			expect(heardMs('es')).toBeGreaterThan(500);
			expect(of('audio').some(({ frame }) => frame.last)).toBe(true);
			expect(of('closed')).toEqual([]);
		});

		test('a task it refuses is a problem that names the field, and is not tried again', async (context) => {
			const { engine } = await start(context, { generation, fault: '+refuse-task' });
			const result = await engine.open(task(), signal);
			expect(result).toMatchObject({
				ok: false,
				error: { kind: 'task-refused', field: expect.stringContaining('target_language') },
			});
			expect(engine.counts().connections).toBe(0);
		});
	},
);

describe.concurrent('speech to speech', () => {
	test('two targets at once, packed with zlib, come apart by language', {
		timeout: 40_000,
	}, async (context) => {
		const { engine, heardMs } = await start(context);
		expect((await engine.open(task(['es', 'fr'], 'zlib_pcm_s16le'), signal)).ok).toBe(true);
		await speakInto(engine, conversationPcm(8));
		await engine.finish();
		expect(heardMs('es')).toBeGreaterThan(500);
		expect(heardMs('fr')).toBeGreaterThan(500);
		expect(engine.counts().piecesDropped).toBe(0);
	});

	test.for(['odd-bytes', 'bad-base64', 'garbage-frames+binary-frames+unknown-messages'])(
		'under "%s" what can be read is heard, and the connection lives',
		{ timeout: 40_000 },
		async (fault, context) => {
			const { engine, heardMs } = await start(context, { fault: `+${fault}` });
			expect((await engine.open(task(), signal)).ok).toBe(true);
			await speakInto(engine, conversationPcm(4));
			await engine.finish();
			expect(heardMs('es')).toBeGreaterThan(0);
			expect(engine.counts().connections).toBe(1);
			if (fault === 'odd-bytes' || fault === 'bad-base64')
				expect(engine.counts().piecesDropped).toBeGreaterThan(0);
		},
	);

	test('a zlib bomb is dropped and counted, the rest is heard', { timeout: 40_000 }, async (context) => {
		const { engine } = await start(context, { fault: '+zlib-bomb' });
		expect((await engine.open(task(['es'], 'zlib_pcm_s16le'), signal)).ok).toBe(true);
		await speakInto(engine, conversationPcm(4));
		await engine.finish();
		expect(engine.counts().piecesDropped).toBeGreaterThan(0);
	});

	test('a lost connection is made again, with its task, and the conversation goes on', {
		timeout: 40_000,
	}, async (context) => {
		const { engine, events, finals, heardMs } = await start(context, { fault: '+socket-1006:1' });
		expect((await engine.open(task(), signal)).ok).toBe(true);
		await speakInto(engine, conversationPcm(10));
		await engine.finish();
		expect(events.flatMap(({ type }) => (type === 'up' || type === 'restoring' ? [type] : []))).toEqual([
			'restoring',
			'up',
		]);
		expect(engine.counts().connections).toBe(2);
		expect(finals('translation').length).toBeGreaterThan(0);
		expect(heardMs('es')).toBeGreaterThan(500);
	});

	test('a refused key is said at once', async (context) => {
		const { engine } = await start(context, { key: 'wrong' });
		expect(await engine.open(task(), signal)).toMatchObject({
			ok: false,
			error: { kind: 'api-key-rejected', status: 403 },
		});
	});

	test('an interpreter that never begins is given up after a second session', {
		timeout: 30_000,
	}, async (context) => {
		const { engine, sandbox } = await start(context, { fault: '+never-ready', clock: createFastClock(10) });
		const result = await engine.open(task(), signal);
		expect(result).toMatchObject({ ok: false, error: { kind: 'interpreter-silent' } });
		expect(sandbox.counts().created).toBe(2);
	});

	test('while nobody speaks silence flows, and the service does not time out', {
		timeout: 30_000,
	}, async (context) => {
		const { engine, of } = await start(context);
		expect((await engine.open(task(), signal)).ok).toBe(true);
		// Twelve seconds of it, however long a busy machine takes.
		await eventually(
			() => engine.counts().silentChunks,
			(seen) => expect(seen).toBeGreaterThan(37),
			25_000,
		);
		expect(of('closed')).toEqual([]);
		expect([...of('restoring'), ...of('up')]).toEqual([]);
		const warnings = of('message').flatMap(({ message }) => (message.type === 'warning' ? [message] : []));
		// The service reckons by the wall: a process that a busy machine does not let run sends too slowly.
		expect(warnings.filter(({ code }) => code !== 'AUDIO_STREAM_TOO_SLOW')).toEqual([]);
	});

	test('can be ended at any moment, and then no session is left and nothing more is said', {
		timeout: 20_000,
	}, async (context) => {
		const { engine, sandbox, events } = await start(context);
		const control = new AbortController();
		const opening = engine.open(task(), control.signal);
		await eventually(
			() => sandbox.openSessions(),
			(seen) => expect(seen).toHaveLength(1),
		);
		control.abort();
		expect(await opening).toEqual({ ok: false, error: { kind: 'cancelled' } });
		await eventually(
			() => sandbox.openSessions(),
			(seen) => expect(seen).toEqual([]),
		);
		expect((await engine.open(task(), signal)).ok).toBe(true);
		await engine.close();
		const count = events.length;
		await new Promise((done) => setTimeout(done, 500));
		expect(events).toHaveLength(count);
	});
});
