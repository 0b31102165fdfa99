import { expect, test } from 'vitest';
import type { SpeakDown, VoiceFrame } from '#shared/host/streams.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { createFakePorts } from '#test/support/fake-ports.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createStreams } from './streams.ts';
import type { SpokenPiece, TextToSpeech } from './text-to-speech.ts';

const opening = {
	stream: 'a-name-nobody-guesses',
	purpose: 'text-to-speech',
	language: 'es',
	voiceId: 'default_low',
} as const;

async function setUp() {
	const ports = createFakePorts();
	const did: string[] = [];
	/** What was told, and which ports were closed, before the socket was. */
	let untilClosed: readonly number[] = [];
	let hear: (piece: SpokenPiece) => void = () => {};
	let finish: (result: Result<void, Problem>) => void = () => {};
	const speaker: TextToSpeech = {
		piecesDropped: 0,
		async open({ language, voiceId }) {
			did.push(`open ${language} ${voiceId}`);
			return ok();
		},
		speak(text, heard) {
			did.push(`speak ${text}`);
			finish(err({ kind: 'cancelled' }));
			hear = heard;
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
	expect(await streams.open(opening)).toEqual(ok());
	return {
		streams,
		did,
		ports,
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

test('what is not in the contract changes nothing; closing closes the socket and every port', async () => {
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
