import { describe, expect, test } from 'vitest';
import type { SpeakDown, VoiceFrame } from '#shared/host/streams.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import type { ClientMessage } from '#shared/protocol/client-message.ts';
import type { TranscriptMessage } from '#shared/protocol/server-message.ts';
import { createFakePorts } from '#test/support/fake-sockets.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createStreams, type SpeechStreamEvent } from './streams.ts';
import type { SpokenPiece, TextToSpeech } from './text-to-speech.ts';

const opening = {
	stream: 'a-name-nobody-guesses',
	purpose: 'speech-to-speech',
	keepSpeech: true,
	chunkMs: 100,
} as const;

function createRig(answer: Result<void, Problem> | 'never' = ok()) {
	const clock = createManualClock();
	const ends = createFakePorts();
	const sent: ClientMessage[] = [];
	const sound: Int16Array[] = [];
	const wishes: unknown[] = [];
	let hear: (event: SpeechStreamEvent) => void = () => {};
	let closes = 0;
	let hasWindow = true;
	const streams = createStreams({
		clock,
		log: silentLogger,
		createPorts: () => (hasWindow ? ends.ends : null),
		createSpeaker: () => {
			throw new Error('nothing is typed');
		},
		createSpeechStream(options, heard) {
			wishes.push(options);
			hear = heard;
			return {
				open: (signal) =>
					new Promise((done) => {
						if (answer !== 'never') done(answer);
						signal.addEventListener('abort', () => done(err({ kind: 'cancelled' })));
					}),
				send: (command) => sent.push(command) > 0,
				audio: (samples) => void sound.push(samples),
				async close() {
					closes += 1;
				},
				counts: () => ({ chunksSent: 7, chunksReceived: 3, roundTripMs: 0 }),
			};
		},
	});
	return {
		clock,
		streams,
		ends,
		sent,
		sound,
		wishes,
		hear: (event: SpeechStreamEvent) => hear(event),
		closes: () => closes,
		closeWindow: () => {
			hasWindow = false;
		},
	};
}

const getTask: ClientMessage = { message_type: 'get_task', data: {} };
const frame = {
	language: 'es',
	transcriptionId: 'a',
	partId: '0',
	sequence: 0,
	last: true,
	samples: Int16Array.of(1, 2),
};

test('brings sound and commands up, messages and sound down, each by its own port', async () => {
	const rig = createRig();
	expect(await rig.streams.open(opening)).toEqual(ok());
	expect(rig.wishes).toMatchObject([{ keepSpeech: true, chunkMs: 100 }]);
	rig.ends.capture.say(Int16Array.of(5, 6));
	rig.ends.control.say({ type: 'command', command: getTask });
	expect([rig.sound, rig.sent]).toEqual([[Int16Array.of(5, 6)], [getTask]]);

	rig.hear({
		type: 'message',
		message: { type: 'queue-level', levels: new Map([['es', { currentMs: 1, maxMs: null }]]) },
	});
	rig.hear({ type: 'audio', frame });
	rig.hear({ type: 'restoring', cause: 'closed 1006' });
	rig.hear({ type: 'up' });
	rig.hear({ type: 'speech-lost', ms: 40 });
	expect(rig.ends.voice.posted).toEqual([frame]);
	expect(rig.ends.control.posted).toEqual([
		{ type: 'message', message: { type: 'queue-level', levels: [['es', { currentMs: 1, maxMs: null }]] } },
		{ type: 'restoring', cause: 'closed 1006' },
		{ type: 'up' },
		{ type: 'speech-lost', ms: 40 },
	]);
	await rig.clock.run(250);
	expect(rig.ends.control.posted.at(-1)).toEqual({
		type: 'counts',
		chunksSent: 7,
		chunksReceived: 3,
		roundTripMs: 0,
	});
});

test('of ten thousand unfinished texts a second the page gets the newest twenty times a second, and every final one', async () => {
	const rig = createRig();
	await rig.streams.open(opening);
	const say = (text: string, final: boolean, transcriptionId = 'a') => {
		const segment = { transcriptionId, partId: '0', language: 'en', startS: null, endS: null };
		const message: TranscriptMessage = { type: 'transcript', kind: 'source', final, text, ...segment };
		rig.hear({ type: 'message', message });
	};
	const told = () =>
		rig.ends.control.posted.flatMap((one) => {
			const { message } = one as { message?: TranscriptMessage };
			return message ? [message.text] : [];
		});
	say('first', false);
	expect(told()).toEqual(['first']);
	for (let n = 0; n < 500; n += 1) {
		say(`a${n}`, false);
		say(`b${n}`, false, 'b');
	}
	expect(told()).toEqual(['first']);
	await rig.clock.run(50);
	expect(told()).toEqual(['first', 'a499', 'b499']);
	// Final texts are not delayed, and no earlier text follows them.
	say('a500', false);
	say('A.', true);
	expect(told().slice(3)).toEqual(['a500', 'A.']);
	await rig.clock.run(1000);
	expect(told()).toHaveLength(5);
	// After a pause the next one goes out at once again.
	say('c', false, 'c');
	expect(told().at(-1)).toBe('c');
	say('cc', false, 'c');
	rig.hear({ type: 'closed', problem: { kind: 'connection-lost', reason: 'closed 1011' } });
	expect(told().at(-1)).toBe('cc');
});

test('what is not in the contract is not passed on', async () => {
	const rig = createRig();
	await rig.streams.open(opening);
	for (const odd of [
		null,
		'x',
		{ type: 'command', command: { message_type: 'input_audio_data' } },
		{ type: 'other' },
	])
		rig.ends.control.say(odd);
	for (const odd of [null, [1, 2], new Uint8Array(4), 'sound']) rig.ends.capture.say(odd);
	expect([rig.sent, rig.sound]).toEqual([[], []]);
});

test.each<[string, (rig: ReturnType<typeof createRig>) => void | Promise<void>]>([
	['is asked to', (rig) => rig.streams.close(opening.stream)],
	['closes everything', (rig) => rig.streams.closeAll()],
	['says so on the port', (rig) => rig.ends.control.say({ type: 'close' })],
	['dies, and its end of the port with it', (rig) => rig.ends.control.leave()],
])('the socket and the ports are closed, once, when the window %s', async (_how, leave) => {
	const rig = createRig();
	await rig.streams.open(opening);
	await leave(rig);
	await rig.clock.run(0);
	expect(rig.closes()).toBe(1);
	await rig.streams.close(opening.stream);
	expect([
		rig.closes(),
		rig.ends.control.closes(),
		rig.ends.capture.closes(),
		rig.ends.voice.closes(),
	]).toEqual([1, 1, 1, 1]);
	const before = rig.ends.control.posted.length;
	rig.hear({ type: 'up' });
	rig.ends.capture.say(Int16Array.of(1));
	await rig.clock.run(1000);
	expect([rig.ends.control.posted.length, rig.sound]).toEqual([before, []]);
	expect(await rig.streams.open(opening)).toEqual(ok());
});

test('a socket that ends by itself says why before its ports go', async () => {
	const rig = createRig();
	await rig.streams.open(opening);
	const problem = { kind: 'connection-lost', reason: 'closed 1011' } as const;
	rig.hear({ type: 'closed', problem });
	await rig.clock.run(0);
	expect(rig.ends.control.posted.at(-1)).toEqual({ type: 'down', problem });
	expect([rig.closes(), rig.ends.control.closes()]).toEqual([1, 1]);
});

test('a socket that cannot be opened leaves nothing behind, and neither does one that is given up meanwhile', async () => {
	const refused = err({ kind: 'api-key-rejected', status: 403 } as const);
	const rig = createRig(refused);
	expect(await rig.streams.open(opening)).toEqual(refused);
	expect([rig.closes(), rig.ends.control.closes()]).toEqual([1, 1]);

	const slow = createRig('never');
	const asked = slow.streams.open(opening);
	await slow.streams.close(opening.stream);
	expect(await asked).toEqual(err({ kind: 'cancelled' }));
	expect([slow.closes(), slow.ends.control.closes()]).toEqual([1, 1]);
});

test('there are no two streams of one name, and none without a window', async () => {
	const rig = createRig();
	await rig.streams.open(opening);
	expect(await rig.streams.open(opening)).toMatchObject({ error: { kind: 'bug' } });
	rig.closeWindow();
	expect(await rig.streams.open({ ...opening, stream: 'another-name-nobody-guesses' })).toEqual(
		err({ kind: 'cancelled' }),
	);
});

test('five are open at once: two directions, one of each that closes, and the typed texts', async () => {
	const rig = createRig();
	const open = (at: number) => rig.streams.open({ ...opening, stream: `a-name-nobody-guesses-${at}` });
	for (let at = 0; at < 5; at += 1) expect([at, await open(at)]).toEqual([at, ok()]);
	expect(await open(5)).toMatchObject({ error: { kind: 'bug' } });
	await rig.streams.close('a-name-nobody-guesses-0');
	expect(await open(5)).toEqual(ok());
});

describe('speaking port', () => {
	const opening = {
		stream: 'a-name-nobody-guesses',
		purpose: 'text-to-speech',
		language: 'es',
		voiceId: 'default_low',
	} as const;

	async function setUp(more: { from?: string } = {}) {
		const ports = createFakePorts();
		const did: string[] = [];
		/** The number of messages sent and ports closed before the socket was closed. */
		let untilClosed: readonly number[] = [];
		let hear: (piece: SpokenPiece) => void = () => {};
		let translated: (text: string) => void = () => {};
		let finish: (result: Result<void, Problem>) => void = () => {};
		const speaker: TextToSpeech = {
			piecesDropped: 0,
			async open({ language, voiceId, from = '' }) {
				did.push(`open ${language} ${voiceId} ${from}`.trim());
				return ok();
			},
			speak(text, heard, told = () => {}) {
				did.push(`speak ${text}`);
				finish(err({ kind: 'cancelled' }));
				hear = heard;
				translated = told;
				return new Promise((done) => {
					finish = done;
				});
			},
			cancel() {
				did.push('cancel');
				finish(err({ kind: 'cancelled' }));
			},
			async close() {
				await Promise.resolve();
				did.push('close');
				untilClosed = [ports.control.posted.length, ports.closes()];
			},
		};
		const streams = createStreams({
			clock: createManualClock(),
			log: silentLogger,
			createPorts: () => ports.ends,
			createSpeechStream: () => {
				throw new Error('not a conversation');
			},
			createSpeaker: () => speaker,
		});
		expect(await streams.open({ ...opening, ...more })).toEqual(ok());
		return {
			streams,
			did,
			ports,
			translated: (text: string) => translated(text),
			untilClosed: () => untilClosed,
			say: (message: object) => ports.control.say(message),
			sound: (mark: number, count = 1) =>
				hear({ generationId: 'g1', samples: new Int16Array(count).fill(mark) }),
			async finish(result: Result<void, Problem>) {
				finish(result);
				await Promise.resolve();
				await Promise.resolve();
			},
			frames: () =>
				(ports.voice.posted as VoiceFrame[]).map(({ transcriptionId, last, samples }) => [
					transcriptionId,
					...samples,
					...(last ? ['last'] : []),
				]),
			told: () => ports.control.posted as SpeakDown[],
		};
	}

	test('the translation of a text is told until the text is over', async () => {
		const it = await setUp({ from: 'en' });
		expect(it.did).toEqual(['open es default_low en']);
		it.say({ type: 'speak', id: 'a', text: 'Hello' });
		it.translated('Hola');
		it.say({ type: 'cancel', id: 'a' });
		it.translated('Adiós');
		expect(it.told()).toEqual([{ type: 'translated', id: 'a', text: 'Hola' }]);
	});

	test('a text goes to the voice, its speech comes by the port, and its end is told once', async () => {
		const it = await setUp();
		it.say({ type: 'speak', id: 'a', text: 'Hola' });
		it.sound(1);
		it.sound(2);
		await it.finish(ok());
		expect(it.did).toEqual(['open es default_low', 'speak Hola']);
		expect(it.frames()).toEqual([
			['a', 1],
			['a', 2],
			['a', 'last'],
		]);
		expect(it.told()).toEqual([{ type: 'made', id: 'a', ms: 0 }]);
	});

	test('what fails is told with its reason, and what was handed out is still heard to its end', async () => {
		const it = await setUp();
		it.say({ type: 'speak', id: 'a', text: 'Hola' });
		it.sound(1);
		const problem = { kind: 'connection-lost', reason: 'closed 1006' } as const;
		await it.finish(err(problem));
		expect(it.frames()).toEqual([
			['a', 1],
			['a', 'last'],
		]);
		expect(it.told()).toEqual([{ type: 'failed', id: 'a', ms: 0, problem }]);
	});

	test('of a cancelled text nothing more is handed out or told', async () => {
		const it = await setUp();
		it.say({ type: 'speak', id: 'a', text: 'Hola' });
		it.sound(1);
		it.say({ type: 'cancel', id: 'a' });
		it.sound(2);
		await it.finish(ok());
		expect([it.frames(), it.told(), it.did.at(-1)]).toEqual([[['a', 1]], [], 'cancel']);
	});

	test('a cancel that comes too late leaves the next text alone', async () => {
		const it = await setUp();
		it.say({ type: 'speak', id: 'a', text: 'Hola' });
		await it.finish(ok());
		it.say({ type: 'speak', id: 'b', text: 'Adiós' });
		it.say({ type: 'cancel', id: 'a' });
		it.sound(3);
		await it.finish(ok());
		expect(it.did).not.toContain('cancel');
		expect(it.frames().slice(1)).toEqual([
			['b', 3],
			['b', 'last'],
		]);
	});

	test('ignores messages outside the contract; closing closes the socket and every port', async () => {
		const it = await setUp();
		it.say({ type: 'speak', id: 'a', text: '' });
		it.say({ type: 'speak', id: 'a', text: 'x'.repeat(5001) });
		it.say({ type: 'command', command: { message_type: 'get_task', data: {} } });
		expect(it.did).toEqual(['open es default_low']);
		it.say({ type: 'close' });
		await it.streams.close(opening.stream);
		expect([it.did.at(-1), it.ports.closes(), it.told()]).toEqual(['close', 3, [{ type: 'closed' }]]);
		expect(it.untilClosed()).toEqual([0, 0]);
	});

	test('a page that died leaves no socket behind', async () => {
		const it = await setUp();
		it.ports.control.leave();
		await expect.poll(() => it.did.at(-1)).toBe('close');
	});

	test('how long the speech is that was handed out is told, also of a text that failed', async () => {
		const it = await setUp();
		it.say({ type: 'speak', id: 'a', text: 'Hola' });
		it.sound(1, 24_000);
		it.sound(2, 12_000);
		await it.finish(ok());
		it.say({ type: 'speak', id: 'b', text: 'Adiós' });
		it.sound(3, 6000);
		const problem = { kind: 'connection-lost', reason: 'closed 1006' } as const;
		await it.finish(err(problem));
		expect(it.told()).toEqual([
			{ type: 'made', id: 'a', ms: 1500 },
			{ type: 'failed', id: 'b', ms: 250, problem },
		]);
	});
});
