import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildTask } from '#shared/conversation/task-builder.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import type { Task } from '#shared/protocol/client-message.ts';
import { defaultSettings } from '#shared/settings/schema.ts';
import { s16ToBytes } from '#shared/sound/pcm.ts';
import { createFakeSockets } from '#test/support/fake-sockets.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import type { SocketEnd } from './socket-ends.ts';
import {
	createDroppedPhrases,
	createHeardPieces,
	createSpeechToSpeech,
	missingPiece,
	type SpeechToSpeechEvent,
	samplesReader,
} from './speech-to-speech.ts';

const plain: Task = buildTask(defaultSettings, 'websocket');
const packed: Task = {
	...plain,
	output_stream: {
		content_type: 'audio',
		target: { type: 'ws', format: 'zlib_pcm_s16le', sample_rate: 24_000, channels: 1 },
	},
};
const pcm = Int16Array.of(0, 1, -1, 32_767, -32_768);

describe('reading the samples of a message', () => {
	test('takes them as they are, or inflated when the task asked for that', () => {
		const bytes = s16ToBytes(pcm);
		expect(samplesReader(plain)(bytes)).toEqual(pcm);
		expect(samplesReader(null)(bytes)).toEqual(pcm);
		expect(samplesReader(packed)(deflateSync(bytes))).toEqual(pcm);
	});

	test('gives nothing for an empty one, and null for one without bytes', () => {
		for (const task of [plain, packed, null]) {
			expect(samplesReader(task)(new Uint8Array(0))).toEqual(new Int16Array(0));
			expect(samplesReader(task)(null)).toBeNull();
		}
	});

	test('gives null for half a sample and for what cannot be inflated', () => {
		expect(samplesReader(plain)(Uint8Array.of(1, 2, 3))).toBeNull();
		expect(samplesReader(packed)(s16ToBytes(pcm))).toBeNull();
		expect(samplesReader(packed)(deflateSync(Uint8Array.of(1)))).toBeNull();
	});

	test('does not unpack a bomb', () => {
		expect(samplesReader(packed)(deflateSync(new Uint8Array(8 * 1024 * 1024)))).toBeNull();
	});

	test('never throws, whatever comes', () => {
		fc.assert(
			fc.property(fc.uint8Array({ maxLength: 200 }), fc.constantFrom(plain, packed, null), (bytes, task) => {
				const samples = samplesReader(task)(bytes);
				expect(samples === null || samples instanceof Int16Array).toBe(true);
			}),
		);
	});
});

describe('pieces that come twice', () => {
	const place = { transcriptionId: 'a', partId: '0', language: 'es' };
	const speech = (seed: number) =>
		Int16Array.from({ length: 50 }, (_, index) => (index * seed * 7919) % 9001);

	test('are known by their sound, also when others came between them', () => {
		const pieces = createHeardPieces();
		expect([1, 2, 1, 3, 2, 3].map((seed) => pieces.isRepeated(place, speech(seed)))).toEqual([
			false,
			false,
			true,
			false,
			true,
			true,
		]);
	});

	test('are none in another sentence, part or language, after silence, or on another connection', () => {
		const pieces = createHeardPieces();
		expect(pieces.isRepeated(place, speech(1))).toBe(false);
		for (const other of [{ transcriptionId: 'b' }, { partId: '1' }, { language: 'de' }])
			expect(pieces.isRepeated({ ...place, ...other }, speech(1))).toBe(false);
		const silence = new Int16Array(4800);
		expect([pieces.isRepeated(place, silence), pieces.isRepeated(place, silence)]).toEqual([false, false]);
		pieces.clear();
		expect(pieces.isRepeated(place, speech(1))).toBe(false);
	});
});

describe('what is remembered of pieces', () => {
	const place = { transcriptionId: 'a', partId: '0', language: 'es' };
	const sound = (level: number) => Int16Array.of(0, level, 0);

	test('is the last eight of a part', () => {
		const pieces = createHeardPieces();
		for (let count = 1; count <= 8; count += 1) pieces.isRepeated(place, sound(1000 + count));
		expect(pieces.isRepeated(place, sound(1001))).toBe(true);
		pieces.isRepeated(place, sound(1009));
		expect([1002, 1001].map((level) => pieces.isRepeated(place, sound(level)))).toEqual([true, false]);
	});

	test('is of the last 256 parts, those that speak still among them', () => {
		const pieces = createHeardPieces();
		const part = (count: number) => ({ ...place, partId: String(count) });
		for (let count = 0; count < 256; count += 1) pieces.isRepeated(part(count), sound(1000));
		expect(pieces.isRepeated(part(0), sound(1000))).toBe(true);
		pieces.isRepeated(part(0), sound(2000));
		pieces.isRepeated(part(256), sound(1000));
		expect([0, 2, 256].map((count) => pieces.isRepeated(part(count), sound(1000)))).toEqual([
			true,
			true,
			true,
		]);
		expect(pieces.isRepeated(part(1), sound(1000))).toBe(false);
	});

	test.each([
		[100, false],
		[-100, false],
		[101, true],
		[-101, true],
	])('is nothing of silence: with a level of %d it counts: %j', (level, isSound) => {
		const pieces = createHeardPieces();
		pieces.isRepeated(place, sound(level));
		expect(pieces.isRepeated(place, sound(level))).toBe(isSound);
	});
});

test('a piece that is missing is 200 ms of silence', () => {
	const piece = missingPiece();
	expect([piece.length, piece.every((sample) => sample === 0)]).toEqual([4800, true]);
});

test('a message of four megabytes is unpacked, and not one of a byte more', () => {
	const most = 4 * 1024 * 1024;
	expect(samplesReader(packed)(deflateSync(new Uint8Array(most)))?.length).toBe(most / 2);
	expect(samplesReader(packed)(deflateSync(new Uint8Array(most + 2)))).toBeNull();
});

describe('phrases that were dropped', () => {
	test('in one language after the other are dropped in both; in all, they stay so', () => {
		const phrases = createDroppedPhrases();
		phrases.met('a');
		phrases.drop(['es']);
		phrases.drop(['de']);
		const has = () => ['es', 'de', 'fr'].map((language) => phrases.has('a', language));
		expect(has()).toEqual([true, true, false]);
		phrases.drop(null);
		phrases.drop(['es']);
		expect(has()).toEqual([true, true, true]);
	});

	test('are the last 256 that were met, and as many that were dropped', () => {
		const phrases = createDroppedPhrases();
		for (let count = 0; count < 257; count += 1) phrases.met(`p${count}`);
		phrases.met('p1');
		phrases.drop(['es']);
		expect(['p0', 'p1', 'p256'].map((id) => phrases.has(id, 'es'))).toEqual([false, true, true]);
		phrases.met('p257');
		phrases.drop(['es']);
		expect(['p1', 'p2', 'p257'].map((id) => phrases.has(id, 'es'))).toEqual([false, true, true]);
	});

	test('are those met before, in the languages that were named; later ones are heard', () => {
		const phrases = createDroppedPhrases();
		phrases.met('a');
		phrases.drop(['es']);
		phrases.met('b');
		expect([phrases.has('a', 'es'), phrases.has('a', 'de'), phrases.has('b', 'es')]).toEqual([
			true,
			false,
			false,
		]);
		phrases.drop(null);
		expect([phrases.has('a', 'de'), phrases.has('b', 'fr')]).toEqual([true, true]);
	});

	test('are unknown before they are met, and forgotten with the connection', () => {
		const phrases = createDroppedPhrases();
		phrases.drop(null);
		phrases.met('a');
		expect(phrases.has('a', 'es')).toBe(false);
		phrases.drop(null);
		phrases.clear();
		expect(phrases.has('a', 'es')).toBe(false);
		phrases.drop(null);
		expect(phrases.has('a', 'es')).toBe(false);
	});

	test('are remembered to a bound, the newest ones', () => {
		const phrases = createDroppedPhrases();
		for (let count = 0; count < 1000; count += 1) {
			phrases.met(`p${count}`);
			phrases.drop(null);
		}
		expect([phrases.has('p999', 'es'), phrases.has('p900', 'es'), phrases.has('p0', 'es')]).toEqual([
			true,
			true,
			false,
		]);
	});

	test('a phrase is dropped exactly when a drop of its language came after it was met', () => {
		const phrase = fc.constantFrom('a', 'b', 'c');
		const move = fc.oneof(
			phrase.map((id) => ({ met: id })),
			fc.constantFrom<(readonly string[] | null)[]>(null, ['es'], ['de']).map((drop) => ({ drop })),
		);
		fc.assert(
			fc.property(
				fc.array(move, { maxLength: 12 }),
				phrase,
				fc.constantFrom('es', 'de'),
				(moves, id, language) => {
					const phrases = createDroppedPhrases();
					let met = false;
					let expected = false;
					for (const step of moves) {
						if ('met' in step) {
							phrases.met(step.met);
							met ||= step.met === id;
						} else {
							phrases.drop(step.drop);
							if (met) expected ||= step.drop === null || step.drop.includes(language);
						}
					}
					expect(phrases.has(id, language)).toBe(expected);
				},
			),
		);
	});
});

const task = buildTask({ ...defaultSettings, speak: 'en', hear: ['es'] }, 'websocket');
const LOST: SocketEnd = { by: 'peer', code: 1006, reason: '' };

interface Given {
	/** The task runs as soon as it was set; default true. */
	readonly runs?: boolean;
	/** Problems with which opening a socket fails, in turn; after them it succeeds. */
	readonly refusals?: readonly Problem[];
	readonly keepSpeech?: boolean;
	readonly asHeard?: boolean;
	readonly isHere?: boolean;
	readonly address?: Result<string, Problem>;
}

/** The engine over sockets whose other end the test plays. */
function start({
	runs = true,
	refusals = [],
	keepSpeech = false,
	asHeard = false,
	isHere = false,
	address = ok('wss://s.example/'),
}: Given = {}) {
	const clock = createManualClock();
	const left: Problem[] = [...refusals];
	const sockets = createFakeSockets(left, (name) => {
		if (name === 'set_task' && runs) clock.after(10, () => tell('task_status', running));
	});
	const { lines, line } = sockets;
	const events: SpeechToSpeechEvent[] = [];
	const engine = createSpeechToSpeech({
		sockets,
		address: () => address,
		clock,
		log: silentLogger,
		random: () => 0.5,
		...(keepSpeech && { keepSpeech }),
		...(asHeard && { asHeard, canWait: true }),
		...(isHere && { isHere }),
	});
	engine.listen((event) => events.push(event));
	const running = { command: 'set_task', event: 'started', task_status: 'running' };
	const tell = (name: string, data: object, to = line()) =>
		to.heard.frame(JSON.stringify({ message_type: name, data }));
	const control = new AbortController();
	return {
		clock,
		engine,
		events,
		lines,
		line,
		tell,
		running,
		control,
		refusals: left,
		types: () => events.map((event) => event.type).filter((type) => type !== 'message'),
		async open(wanted: typeof task | null = task) {
			const opened = engine.open(wanted, control.signal);
			await clock.run(20);
			return opened;
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

const speech = (fields: object = {}, sample = 3000) => ({
	transcription_id: 'a',
	translation_part_id: '0',
	language: 'es',
	last_chunk: false,
	data: Buffer.from(new Int16Array(240).fill(sample).buffer).toString('base64'),
	...fields,
});
const heardPieces = ({ events }: ReturnType<typeof start>) =>
	events.flatMap((event) =>
		event.type === 'audio' ? [[event.frame.sequence, event.frame.samples.length, event.frame.last]] : [],
	);

describe('the end', () => {
	test('of a connection after that of its task is the end: none is made again', async () => {
		const rig = start();
		await rig.open(null);
		rig.engine.send({ message_type: 'set_task', data: task });
		rig.engine.send({ message_type: 'end_task', data: {} });
		rig.line().heard.ended(LOST);
		await rig.clock.run(20_000);
		expect([rig.lines.length, rig.types()]).toEqual([1, ['closed']]);
		expect(rig.events.at(-2)).toEqual({ type: 'message', message: { type: 'end-of-stream' } });
	});
});

describe('a file that this computer hears', () => {
	test('is sent as fast as it is heard, and its last second, too, before the task ends', async () => {
		const rig = start({ asHeard: true });
		await rig.open();
		const sent = () => rig.line().sent.filter((name) => name === 'audio').length;
		expect(rig.line().target.query).toEqual({ pace: 'heard' });
		for (let piece = 0; piece < 24; piece += 1) rig.engine.audio(new Int16Array(2400).fill(9000));
		expect([sent(), rig.engine.flowing]).toEqual([5, false]);
		rig.tell('sound_heard', { ms: 640 });
		expect([sent(), rig.engine.flowing]).toEqual([7, true]);
		expect(rig.events.filter(({ type }) => type === 'message')).toHaveLength(1);
		const finished = rig.engine.finish();
		await rig.clock.run(100);
		expect([sent(), rig.line().sent.at(-1)]).toEqual([7, 'audio']);
		rig.tell('sound_heard', { ms: 1600 });
		await rig.clock.run(100);
		expect([sent(), rig.line().sent.at(-1)]).toEqual([8, 'end_task']);
		// A slow computer takes long over the last sentence.
		await rig.clock.run(50_000);
		rig.tell('end_of_stream', {});
		await rig.clock.run(100);
		expect(await finished).toBe(true);
	});
});

describe('opening', () => {
	test('sets the task, resolves when it runs, and sound flows from then on', async () => {
		const rig = start({ runs: false });
		const opened = rig.engine.open(task, rig.control.signal);
		await rig.clock.run(500);
		expect([rig.line().sent.includes('audio'), rig.engine.flowing]).toEqual([false, false]);
		rig.tell('task_status', rig.running);
		await rig.clock.run(0);
		expect(await opened).toEqual(ok());
		expect([rig.line().sent[0], rig.engine.flowing]).toEqual(['set_task', true]);
		await rig.capture(2000);
		expect(rig.line().sent.filter((name) => name === 'audio').length).toBeGreaterThanOrEqual(6);
		expect(rig.engine.counts()).toMatchObject({ connections: 1, roundTripMs: 42, piecesDropped: 0 });
		await rig.engine.close();
		expect(rig.engine.counts().roundTripMs).toBe(0);
	});

	test('without an address, or with a refusal, ends with the reason and leaves nothing', async () => {
		const off: Problem = { kind: 'socket-off', socket: 's2s' };
		expect(await start({ address: err(off) }).open()).toEqual(err(off));
		const refused: Problem = { kind: 'no-credit', detail: '' };
		const rig = start({ refusals: [refused] });
		expect(await rig.open()).toEqual(err(refused));
		expect([rig.lines.length, rig.clock.pending]).toEqual([0, 0]);
	});

	test('to an interpreter that does not begin is tried twice', async () => {
		const rig = start({ runs: false });
		const opened = rig.open();
		await rig.clock.run(30_000);
		expect(rig.lines.map(({ closed }) => closed)).toEqual([true, false]);
		await rig.clock.run(30_000);
		expect(await opened).toMatchObject({ error: { kind: 'interpreter-silent' } });
		expect([rig.lines.map(({ closed }) => closed), rig.clock.pending]).toEqual([[true, true], 0]);
	});

	test('is cancelled by its signal, before, meanwhile and after', async () => {
		const rig = start({ runs: false });
		const opened = rig.open();
		await rig.clock.run(100);
		rig.control.abort();
		await rig.clock.run(0);
		expect(await opened).toEqual(err({ kind: 'cancelled' }));
		expect([rig.line().closed, rig.clock.pending]).toEqual([true, 0]);
		expect(await rig.open()).toEqual(err({ kind: 'cancelled' }));
		expect(rig.lines).toHaveLength(1);
		const open = start();
		await open.open();
		open.control.abort();
		await open.clock.run(0);
		expect([open.line().closed, open.engine.send({ message_type: 'get_task', data: {} })]).toEqual([
			true,
			false,
		]);
	});

	test('without a task leaves setting it to the owner', async () => {
		const rig = start({ runs: false });
		const getTask = { message_type: 'get_task', data: {} } as const;
		expect(rig.engine.send(getTask)).toBe(false);
		expect(await rig.open(null)).toEqual(ok());
		expect([rig.line().sent, rig.engine.flowing]).toEqual([[], false]);
		// At once, one after another: the owner keeps the limits.
		for (let times = 0; times < 2; times += 1) expect(rig.engine.send(getTask)).toBe(true);
		expect(rig.line().sent).toEqual(['get_task', 'get_task']);
		rig.tell('task_status', { ...rig.running, task_status: 'paused' });
		expect(rig.engine.flowing).toBe(false);
		rig.tell('task_status', rig.running);
		expect(rig.engine.flowing).toBe(true);
	});
});

describe('a connection that is lost', () => {
	test('is made again after a second, with its task, and what was said meanwhile is sent', async () => {
		const rig = start();
		await rig.open();
		const first = rig.line();
		first.heard.ended(LOST);
		expect([rig.types(), rig.engine.flowing]).toEqual([['restoring'], false]);
		await rig.capture(980);
		expect(rig.lines).toHaveLength(1);
		await rig.clock.run(20);
		await rig.clock.run(20);
		expect([rig.types(), rig.lines.length, rig.engine.counts().connections]).toEqual([
			['restoring', 'up'],
			2,
			2,
		]);
		await rig.capture(400);
		expect(rig.line().sent.slice(0, 3)).toEqual(['set_task', 'audio', 'audio']);
		// Messages that still come from the old connection are ignored.
		const before = rig.events.length;
		rig.tell('end_of_stream', {}, first);
		first.heard.dropped(100);
		first.heard.ended(LOST);
		expect(rig.events).toHaveLength(before);
	});

	test('for good is tried again after 1, 2, 4 and 8 s, and then ends with the reason', async () => {
		const gone: Problem = { kind: 'service-unreachable', cause: 'x' };
		const rig = start();
		await rig.open();
		rig.refusals.push(...Array<Problem>(9).fill(gone));
		rig.line().heard.ended(LOST);
		const left: number[] = [];
		for (const ms of [999, 1, 1999, 1, 3999, 1, 7999, 1]) {
			await rig.clock.run(ms);
			left.push(rig.refusals.length);
		}
		expect(left).toEqual([9, 8, 8, 7, 7, 6, 6, 5]);
		expect(rig.events.at(-1)).toEqual({ type: 'closed', problem: gone });
		expect([rig.types(), rig.clock.pending]).toEqual([['restoring', 'closed'], 0]);
	});

	test('ends at once where coming again is of no use', async () => {
		const rig = start();
		await rig.open();
		rig.line().heard.ended({ by: 'peer', code: 1002, reason: '' });
		await rig.clock.run(0);
		expect([rig.types(), rig.clock.pending, rig.line().closed]).toEqual([['restoring', 'closed'], 0, false]);
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

describe('what is said', () => {
	test('is told, sound apart from the rest, each piece with its number', async () => {
		const rig = start();
		await rig.open();
		rig.tell('output_audio_data', speech());
		rig.tell('output_audio_data', speech({ last_chunk: true }, 4000));
		expect(heardPieces(rig)).toEqual([
			[0, 240, false],
			[1, 240, true],
		]);
		rig.tell('warning', { code: 'X', desc: 'x' });
		expect(rig.events.at(-1)).toMatchObject({ type: 'message', message: { type: 'warning' } });
		rig.line().heard.dropped(320);
		expect(rig.events.at(-1)).toEqual({ type: 'speech-lost', ms: 320 });
	});

	test('twice, or not to be read, is counted; a gap stands for it, and an end stays an end', async () => {
		const rig = start();
		await rig.open();
		for (let times = 0; times < 2; times += 1) rig.tell('output_audio_data', speech());
		rig.tell('output_audio_data', speech({ data: '!' }));
		rig.tell('output_audio_data', speech({ last_chunk: true }));
		expect(heardPieces(rig)).toEqual([
			[0, 240, false],
			[1, 4800, false],
			[2, 0, true],
		]);
		expect(rig.engine.counts().piecesDropped).toBe(3);
	});

	test.each([
		['global', [true, true]],
		['fr', [false, true]],
	])('of a phrase that was dropped in %s is not heard any more', async (language, expected) => {
		const rig = start();
		await rig.open();
		rig.tell('output_audio_data', speech());
		rig.tell('output_audio_data', speech({ language: 'fr' }));
		const data = { languages: [language], pause_task: false };
		rig.engine.send({ message_type: 'interrupt_task', data });
		const before = rig.engine.counts().piecesDropped;
		const isDropped = ['es', 'fr'].map((of) => {
			const heard = heardPieces(rig).length;
			rig.tell('output_audio_data', speech({ language: of }, 5000));
			return heardPieces(rig).length === heard;
		});
		expect([isDropped, rig.engine.counts().piecesDropped - before]).toEqual([
			expected,
			expected.filter(Boolean).length,
		]);
		rig.tell('output_audio_data', speech({ transcription_id: 'b' }, 6000));
		expect(heardPieces(rig).at(-1)?.[1]).toBe(240);
	});
});

test('in a pause nothing is sent, also when the service says that the task runs; a task ends it', async () => {
	const rig = start();
	await rig.open();
	await rig.capture(1000);
	rig.engine.send({ message_type: 'pause_task', data: {} });
	await rig.clock.run(0);
	const sent = rig.line().sent.length;
	await rig.capture(2000);
	rig.tell('task_status', rig.running);
	expect([rig.line().sent.slice(sent), rig.engine.flowing]).toEqual([[], false]);
	rig.engine.send({ message_type: 'set_task', data: task });
	await rig.clock.run(3000);
	expect(rig.engine.flowing).toBe(true);
});

describe('the end', () => {
	async function ending(rig = start()) {
		await rig.open();
		await rig.capture(1000);
		let said: boolean | null = null;
		void rig.engine.finish().then((is) => {
			said = is;
		});
		await rig.clock.run(3500);
		expect([rig.line().sent.at(-1), said]).toEqual(['end_task', null]);
		return { ...rig, said: () => said };
	}

	test('is when the service says so', async () => {
		const rig = await ending();
		rig.tell('end_of_stream', {});
		await rig.clock.run(100);
		expect([rig.said(), rig.line().closed, rig.clock.pending, rig.types()]).toEqual([true, true, 0, []]);
	});

	test('is when the socket goes', async () => {
		const rig = await ending();
		rig.line().heard.ended(LOST);
		await rig.clock.run(100);
		expect([rig.said(), rig.types(), rig.clock.pending]).toEqual([false, [], 0]);
	});

	test('is after six seconds in which nothing is said, and after thirty in all', async () => {
		const quiet = await ending();
		await quiet.clock.run(2000);
		expect(quiet.said()).toBeNull();
		await quiet.clock.run(2000);
		expect(quiet.said()).toBe(false);
		const talking = await ending();
		for (let second = 0; second < 25; second += 1) {
			talking.tell('output_audio_data', speech({}, 1000 + second * 50));
			await talking.clock.run(1000);
		}
		expect(talking.said()).toBeNull();
		for (let second = 0; second < 6; second += 1) {
			talking.tell('output_audio_data', speech({}, 9000 + second * 50));
			await talking.clock.run(1000);
		}
		expect([talking.said(), talking.line().closed]).toEqual([false, true]);
	});
});

test('what is said before the task runs is kept where the conversation goes on from elsewhere', async () => {
	for (const keepSpeech of [false, true]) {
		const rig = start({ runs: false, keepSpeech });
		const opened = rig.engine.open(task, rig.control.signal);
		await rig.capture(1000);
		rig.tell('task_status', rig.running);
		await rig.clock.run(0);
		await opened;
		expect(rig.line().sent.includes('audio')).toBe(keepSpeech);
	}
});

test('this computer is given what was said before at once, as fast as its socket takes it', async () => {
	const rig = start({ runs: false, keepSpeech: true, isHere: true });
	const opened = rig.engine.open(task, rig.control.signal);
	await rig.clock.run(20);
	rig.engine.audio(new Int16Array(24 * 20_000).fill(9000));
	rig.line().waitingMs = 1001;
	rig.tell('task_status', rig.running);
	await rig.clock.run(100);
	await opened;
	const chunks = () => rig.line().sent.filter((name) => name === 'audio').length;
	expect(chunks()).toBe(0);
	rig.line().waitingMs = 1000;
	// It does not look again by itself, but when the socket says that it has sent something.
	await rig.clock.run(100);
	expect(chunks()).toBe(0);
	rig.line().heard.drained?.();
	expect(chunks()).toBe(62);
	expect(rig.types()).not.toContain('speech-lost');
});

test('nothing is taken before it is open; then commands are', async () => {
	const rig = start();
	const say = () => rig.engine.send({ message_type: 'get_task', data: {} });
	expect(say()).toBe(false);
	await rig.open();
	expect(say()).toBe(true);
	await rig.engine.close();
	expect(say()).toBe(false);
});

test('sound flows in time while less than two chunks wait', async () => {
	const flows = async (ms: number) => {
		const rig = start();
		await rig.open();
		// The first chunk of it leaves at once.
		rig.engine.audio(new Int16Array(24 * (320 + ms)).fill(9000));
		return rig.engine.flowing;
	};
	expect([await flows(639), await flows(640)]).toEqual([true, false]);
});

test('told that it is too fast, it waits', async () => {
	const sent = async (code: string) => {
		const rig = start();
		await rig.open();
		await rig.capture(300);
		rig.tell('warning', { code, desc: 'x' });
		await rig.capture(100);
		return rig.line().sent.filter((name) => name === 'audio').length;
	};
	expect([await sent('X'), await sent('AUDIO_STREAM_TOO_FAST')]).toEqual([1, 0]);
});

describe('a connection that was lost and came back', () => {
	test('knows nothing of what was heard or dropped on the one before, which is heard no more', async () => {
		const rig = start();
		await rig.open();
		const first = rig.line();
		rig.tell('output_audio_data', speech());
		rig.engine.send({ message_type: 'interrupt_task', data: { languages: ['global'], pause_task: false } });
		first.heard.ended(LOST);
		await rig.clock.run(2000);
		expect(rig.types()).toEqual(['audio', 'restoring', 'up']);
		rig.tell('output_audio_data', speech({}, 7000), first);
		rig.tell('output_audio_data', speech());
		expect(heardPieces(rig).map(([sequence]) => sequence)).toEqual([0, 1]);
		expect(rig.engine.counts()).toMatchObject({ connections: 2, piecesDropped: 0 });
	});

	test('is tried for after a second again when it ran for half a minute', async () => {
		const rig = start();
		await rig.open();
		for (let times = 1; times <= 3; times += 1) {
			rig.line().heard.ended(LOST);
			await rig.clock.run(1100);
			expect(rig.lines).toHaveLength(times + 1);
			await rig.clock.run(30_000);
		}
	});

	test('was away too long for what was said: five seconds are kept, the rest is said to be lost', async () => {
		const rig = start();
		await rig.open();
		rig.refusals.push(...[1, 2].map(() => ({ kind: 'timed-out', what: 'socket', afterMs: 1 }) as const));
		rig.line().heard.ended(LOST);
		await rig.capture(6000);
		const lost = rig.events.flatMap((event) => (event.type === 'speech-lost' ? [event.ms] : []));
		expect([lost.length, new Set(lost)]).toEqual([50, new Set([20])]);
	});
});

test('the end of what has no connection is without an end of the stream, and bounded', async () => {
	const rig = start();
	await rig.open();
	rig.refusals.push(
		...Array.from({ length: 9 }, () => ({ kind: 'timed-out', what: 'socket', afterMs: 1 }) as const),
	);
	rig.line().heard.ended(LOST);
	let said: boolean | null = null;
	void rig.engine.finish().then((is) => {
		said = is;
	});
	await rig.clock.run(10_000);
	expect(said).toBeNull();
	await rig.clock.run(21_000);
	expect([said, rig.clock.pending]).toEqual([false, 0]);
});

test.each([
	[10_000, 2],
	[10_001, 1],
])('closed %d ms after the word that nothing was heard, there are %d connections soon', async (ms, count) => {
	const rig = start();
	await rig.open();
	rig.tell('error', { code: 'SERVICE_TIMEOUT', desc: 'x' });
	await rig.clock.run(ms);
	// Without that word it would be one connection too many, which takes a minute to mend.
	rig.line().heard.ended({ by: 'peer', code: 1008, reason: '' });
	await rig.clock.run(2000);
	expect(rig.lines).toHaveLength(count);
});
