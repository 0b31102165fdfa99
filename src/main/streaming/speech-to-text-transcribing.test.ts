import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pause } from '#shared/lib/clock.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import type { Task } from '#shared/protocol/client-message.ts';
import type { SttText } from '#shared/protocol/speech-to-text.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import type { SpeechToText, SpeechToTextEvent, TranscribeSettings } from './speech-to-text.ts';
import { createTranscribing } from './speech-to-text.ts';
import type { SpeechStreamEvent } from './streams.ts';

const signal = new AbortController().signal;
const loud = new Int16Array(480).fill(9000);

function taskOf(language: string, ...targets: string[]): Task {
	return {
		input_stream: { content_type: 'audio', source: { type: 'ws' } },
		output_stream: { content_type: 'audio', target: { type: 'ws' } },
		pipeline: {
			transcription: { source_language: language },
			translations: targets.map((target_language) => ({ target_language })),
		},
	} as unknown as Task;
}

/** Engines that do as they are told, and remember; each takes `closeMs` to close. */
function rig(opens: Result<void, Problem>[] = [], closeMs = 0) {
	const clock = createManualClock();
	const engines: { settings: TranscribeSettings; open: boolean; heardMs: number; asked: number }[] = [];
	let say: (event: SpeechToTextEvent) => void = () => {};
	let stuck = false;
	const createEngine = (): SpeechToText => {
		const settings = { language: '', targets: [] as readonly string[] };
		const own = { settings, open: false, heardMs: 0, asked: 0 };
		engines.push(own);
		return {
			async open(settings) {
				const outcome = opens.shift() ?? ok();
				Object.assign(own, { settings, open: outcome.ok });
				return outcome;
			},
			audio: (pcm) => {
				own.heardMs += pcm.length / 24;
			},
			flowing: true,
			roundTripMs: 34,
			finalize() {
				own.asked += 1;
			},
			async finish() {
				if (stuck) return new Promise(() => {});
				say({ type: 'text', text: text('late', 'the last words') });
				own.open = false;
			},
			close: async () => {
				if (closeMs > 0) await pause(clock, closeMs, signal);
				own.open = false;
			},
			listen(heard) {
				say = heard;
				return () => {};
			},
		};
	};
	const events: SpeechStreamEvent[] = [];
	const stream = createTranscribing({ clock, createEngine }, { language: 'en', targets: ['es'] }, (event) =>
		events.push(event),
	);
	const messages = () => events.flatMap((event) => (event.type === 'message' ? [event.message] : []));
	const settle = () => clock.run(0);
	const stick = (is = true) => {
		stuck = is;
	};
	return {
		stream,
		clock,
		engines,
		events,
		messages,
		settle,
		stick,
		say: (event: SpeechToTextEvent) => say(event),
	};
}

function text(id: string, words: string): SttText {
	return { type: 'text', kind: 'source', id, language: 'en', text: words, final: true, startS: 1, endS: 2 };
}

const status = (command: string, state: 'running' | 'paused' | 'unknown') =>
	expect.objectContaining({ type: 'task-status', command, status: state });

test('the task that the socket was opened for is confirmed without another socket; regions are left out', async () => {
	const { stream, engines, messages, settle } = rig();
	expect(await stream.open(signal)).toEqual(ok());
	stream.send({ message_type: 'set_task', data: taskOf('en', 'es-mx') });
	await settle();
	expect(messages()).toEqual([status('set_task', 'running')]);
	expect(engines.map(({ settings }) => settings)).toEqual([{ language: 'en', targets: ['es'] }]);
});

const changing = status('set_task', 'unknown');
const changed = { type: 'task-status', command: 'set_task', event: 'started', status: 'running' };

test('other languages take another socket, which begins a new stream once the last words are final', async () => {
	const { stream, clock, engines, messages } = rig();
	await stream.open(signal);
	stream.send({ message_type: 'set_task', data: taskOf('de', 'es', 'zh-hant') });
	await clock.run(100);
	const last = expect.objectContaining({ type: 'transcript', text: 'the last words' });
	expect(messages()).toEqual([changing, last, expect.objectContaining(changed)]);
	expect(engines.map(({ open }) => open)).toEqual([false, true]);
	expect(engines[1]?.settings).toEqual({ language: 'de', targets: ['es', 'zh'] });
});

test('last words are heard, but not waited for without end; speech is lost meanwhile, and that is told', async () => {
	const { stream, clock, engines, events, settle, say, stick } = rig();
	await stream.open(signal);
	stick();
	say({ type: 'text', text: { ...text('1', 'the last'), final: false } });
	stream.send({ message_type: 'set_task', data: taskOf('de', 'es') });
	await settle();
	stream.audio(loud);
	await clock.run(1000);
	stream.audio(loud);
	say({ type: 'text', text: text('1', 'the last words') });
	expect(engines.length).toBe(1);
	await clock.run(2000);
	stream.audio(loud);
	const said = (words: string) => ({ type: 'message', message: expect.objectContaining({ text: words }) });
	expect(events).toEqual([
		said('the last'),
		{ type: 'message', message: changing },
		said('the last words'),
		{ type: 'speech-lost', ms: 40 },
		{ type: 'message', message: expect.objectContaining(changed) },
	]);
	expect(engines.map(({ open, heardMs }) => [open, heardMs])).toEqual([
		[false, 0],
		[true, 20],
	]);
});

test('silence meanwhile is not lost speech; sound is counted on, so that the link does not seem dead', async () => {
	const { stream, clock, events, settle } = rig();
	await stream.open(signal);
	stream.send({ message_type: 'set_task', data: taskOf('de', 'es') });
	await settle();
	stream.audio(new Int16Array(480).fill(20));
	await clock.run(100);
	expect(events.every(({ type }) => type === 'message')).toBe(true);
	expect(stream.counts().chunksSent).toBe(1);
});

test('languages that change again meanwhile take a third socket, after the second', async () => {
	const { stream, clock, engines, messages, settle, stick } = rig();
	await stream.open(signal);
	stick();
	stream.send({ message_type: 'set_task', data: taskOf('de') });
	await settle();
	stream.send({ message_type: 'set_task', data: taskOf('fr') });
	await clock.run(10_000);
	const done = expect.objectContaining(changed);
	expect(messages()).toEqual([changing, done, changing, done]);
	expect(engines.map(({ settings, open }) => [settings.language, open])).toEqual([
		['en', false],
		['de', false],
		['fr', true],
	]);
});

test.each(['pause_task', 'end_task'] as const)(
	'other languages take no socket when %s follows before it is open',
	async (message_type) => {
		const { stream, clock, engines, messages, settle, stick } = rig();
		await stream.open(signal);
		stick();
		stream.send({ message_type: 'set_task', data: taskOf('de') });
		await settle();
		stream.send({ message_type, data: {} });
		await clock.run(10_000);
		const answer = message_type === 'end_task' ? { type: 'end-of-stream' } : status(message_type, 'paused');
		expect(messages()).toEqual([changing, expect.objectContaining(changed), answer]);
		expect(engines.map(({ open }) => open)).toEqual([false]);
	},
);

test('a socket that is lost while its last words are awaited is no end, and the next waits until it is closed', async () => {
	for (const event of [
		{ type: 'up' },
		{ type: 'restoring', cause: 'x' },
		{ type: 'closed', problem: { kind: 'connection-lost', reason: 'x' } },
	] as const) {
		const { stream, clock, engines, events, settle, say, stick } = rig([], 1000);
		await stream.open(signal);
		stick();
		stream.send({ message_type: 'set_task', data: taskOf('de') });
		await settle();
		say(event);
		await clock.run(500);
		expect(engines.length).toBe(1);
		await clock.run(5000);
		expect(events.map(({ type }) => type)).toEqual(['message', 'message']);
		expect(engines.at(-1)?.open).toBe(true);
		expect(engines.length).toBe(2);
	}
});

test('asks for the last words at a mute, as often as that happens, but not of a socket that is already ending', async () => {
	const { stream, engines, settle, stick } = rig();
	stream.finalize?.();
	await stream.open(signal);
	stream.finalize?.();
	stream.audio(loud);
	stream.finalize?.();
	expect(engines.map(({ asked, heardMs }) => [asked, heardMs])).toEqual([[2, 20]]);
	stick();
	stream.send({ message_type: 'pause_task', data: {} });
	await settle();
	stream.finalize?.();
	expect(engines.map(({ asked }) => asked)).toEqual([2]);
});

test('a pause leaves no socket open and takes no sound; what follows has ids and times of its own', async () => {
	const { stream, clock, engines, messages, settle, say } = rig();
	await stream.open(signal);
	say({ type: 'text', text: text('1', 'one') });
	stream.send({ message_type: 'pause_task', data: {} });
	await settle();
	stream.audio(new Int16Array(480));
	expect(engines.map(({ open, heardMs }) => [open, heardMs])).toEqual([[false, 0]]);
	await clock.run(60_000);
	stream.send({ message_type: 'get_task', data: {} });
	stream.send({ message_type: 'set_task', data: taskOf('en', 'es') });
	await settle();
	say({ type: 'text', text: text('1', 'two') });
	stream.audio(new Int16Array(480));
	expect(engines.map(({ open, heardMs }) => [open, heardMs])).toEqual([
		[false, 0],
		[true, 20],
	]);
	const said = messages().filter((message) => message.type === 'transcript');
	expect(said.map(({ text: words, startS }) => [words, startS])).toEqual([
		['one', 1],
		['the last words', 1],
		['two', 61],
	]);
	expect(new Set(said.map(({ transcriptionId }) => transcriptionId)).size).toBe(3);
	expect(messages().filter((message) => message.type === 'current-task')).toEqual([
		expect.objectContaining({ status: 'paused' }),
	]);
});

test('who goes on while the last words are still to come waits for them, but not for ever', async () => {
	const { stream, clock, engines, messages, settle, stick } = rig();
	await stream.open(signal);
	stick();
	stream.send({ message_type: 'pause_task', data: {} });
	stream.send({ message_type: 'set_task', data: taskOf('en', 'es') });
	await settle();
	expect(messages()).toEqual([status('pause_task', 'paused')]);
	expect(engines.length).toBe(1);
	await clock.run(3000);
	expect(messages().at(-1)).toEqual(status('set_task', 'running'));
	expect(engines.map(({ open }) => open)).toEqual([false, true]);
});

test('a socket that is lost while it is paused is neither opened again nor the end', async () => {
	const { stream, clock, engines, events, settle, say, stick } = rig();
	await stream.open(signal);
	stick();
	stream.send({ message_type: 'pause_task', data: {} });
	await settle();
	say({ type: 'restoring', cause: 'connection-lost' });
	await clock.run(60_000);
	expect(events.map(({ type }) => type)).toEqual(['message']);
	expect(engines.map(({ open }) => open)).toEqual([false]);
});

test('a socket that was lost and came back has ids of its own too', async () => {
	const { stream, events, messages, say } = rig();
	await stream.open(signal);
	say({ type: 'text', text: text('1', 'one') });
	say({ type: 'restoring', cause: 'connection-lost' });
	say({ type: 'up' });
	say({ type: 'text', text: text('1', 'two') });
	expect(events.map(({ type }) => type)).toEqual(['message', 'restoring', 'up', 'message']);
	const ids = messages().map((message) => message.type === 'transcript' && message.transcriptionId);
	expect(new Set(ids).size).toBe(2);
});

test('the end waits for the last words, then says so; a forced one does not', async () => {
	const { stream, engines, messages, settle } = rig();
	await stream.open(signal);
	stream.send({ message_type: 'end_task', data: {} });
	await settle();
	expect(messages().map(({ type }) => type)).toEqual(['transcript', 'end-of-stream']);
	expect(engines[0]?.open).toBe(false);

	const forced = rig();
	await forced.stream.open(signal);
	forced.stream.send({ message_type: 'end_task', data: { force: true } });
	await forced.settle();
	expect(forced.messages().map(({ type }) => type)).toEqual(['end-of-stream']);
});

test('a refusal is the outcome of opening, and the end of a conversation that goes on', async () => {
	const refused: Problem = { kind: 'api-key-rejected', status: 401 };
	const first = rig([err(refused)]);
	expect(await first.stream.open(signal)).toEqual(err(refused));

	const { stream, events, settle } = rig([ok(), err(refused)]);
	await stream.open(signal);
	stream.send({ message_type: 'pause_task', data: {} });
	stream.send({ message_type: 'set_task', data: taskOf('en', 'es') });
	await settle();
	expect(events.at(-1)).toEqual({ type: 'closed', problem: refused });
});

test('whatever is asked in whatever order, no two sockets are open, each command is answered, and none stays', async () => {
	const command = fc.constantFrom(
		{ message_type: 'set_task', data: taskOf('en', 'es') } as const,
		{ message_type: 'set_task', data: taskOf('de') } as const,
		{ message_type: 'pause_task', data: {} } as const,
		{ message_type: 'get_task', data: {} } as const,
	);
	const move = fc.oneof(
		command.map((asked) => ({ do: 'ask', asked }) as const),
		fc.nat(4000).map((ms) => ({ do: 'wait', ms }) as const),
		fc.boolean().map((stuck) => ({ do: 'stick', stuck }) as const),
		fc.constant({ do: 'lose' } as const),
		fc.constant({ do: 'find' } as const),
	);
	await fc.assert(
		fc.asyncProperty(fc.array(move, { maxLength: 20 }), fc.nat(2000), async (moves, closeMs) => {
			const { stream, clock, engines, messages, settle, stick, say } = rig([], closeMs);
			await stream.open(signal);
			const openNow = () => engines.filter(({ open }) => open).length;
			const asked: string[] = [];
			for (const made of moves) {
				if (made.do === 'ask') {
					stream.send(made.asked);
					asked.push(made.asked.message_type);
				} else if (made.do === 'wait') await clock.run(made.ms);
				else if (made.do === 'stick') stick(made.stuck);
				else say(made.do === 'find' ? { type: 'up' } : { type: 'restoring', cause: 'connection-lost' });
				await settle();
				expect(openNow()).toBeLessThanOrEqual(1);
			}
			await clock.run(120_000);
			const answered = messages().flatMap((message) => {
				if (message.type === 'task-status') return message.status === 'unknown' ? [] : [message.command];
				return message.type === 'current-task' ? ['get_task'] : [];
			});
			expect(answered).toEqual(asked);
			stream.send({ message_type: 'set_task', data: taskOf('fr') });
			const closed = stream.close();
			await clock.run(60_000);
			await closed;
			expect(openNow()).toBe(0);
		}),
		{ numRuns: 60 },
	);
});

test('a text is told whole, its times from the beginning of the first socket', async () => {
	const { stream, clock, messages, say } = rig();
	await clock.run(5000);
	await stream.open(signal);
	say({ type: 'text', text: text('1', 'one') });
	say({
		type: 'text',
		text: { ...text('2', 'dos'), kind: 'translation', final: false, startS: null, endS: null },
	});
	await clock.run(10_000);
	say({ type: 'up' });
	say({ type: 'text', text: { ...text('1', 'three'), startS: 0, endS: 0 } });
	const said = { type: 'transcript', kind: 'source', language: 'en', final: true };
	expect(messages()).toEqual([
		{ ...said, text: 'one', transcriptionId: '1:1', partId: '1:1', startS: 1, endS: 2 },
		{
			...said,
			kind: 'translation',
			text: 'dos',
			final: false,
			transcriptionId: '1:2',
			partId: '1:2',
			startS: null,
			endS: null,
		},
		{ ...said, text: 'three', transcriptionId: '2:1', partId: '2:1', startS: 10, endS: 10 },
	]);
});

test('what a socket says besides is told as it is; a socket that ends is the end', async () => {
	const { stream, events, say } = rig();
	await stream.open(signal);
	const warning = { type: 'warning', code: 'X', text: 'x' } as const;
	const problem: Problem = { kind: 'connection-lost', reason: 'x' };
	say(warning);
	say({ type: 'restoring', cause: 'x' });
	say({ type: 'speech-lost', ms: 320 });
	say({ type: 'closed', problem });
	// Nothing is open any more: what it still says is not heard.
	say({ type: 'text', text: text('1', 'late') });
	expect(events).toEqual([
		{ type: 'message', message: warning },
		{ type: 'restoring', cause: 'x' },
		{ type: 'speech-lost', ms: 320 },
		{ type: 'closed', problem },
	]);
});

test('sound and texts are counted, and the round trip is that of the socket that is open', async () => {
	const { stream, engines, say } = rig();
	const none = { chunksSent: 0, chunksReceived: 0, roundTripMs: 0 };
	stream.audio(new Int16Array(480));
	expect(stream.counts()).toEqual(none);
	await stream.open(signal);
	stream.audio(new Int16Array(480));
	stream.audio(new Int16Array(480));
	say({ type: 'text', text: text('1', 'one') });
	expect(stream.counts()).toEqual({ chunksSent: 2, chunksReceived: 1, roundTripMs: 34 });
	expect(engines[0]?.heardMs).toBe(40);
	await stream.close();
	stream.audio(new Int16Array(480));
	expect(stream.counts()).toEqual({ chunksSent: 2, chunksReceived: 1, roundTripMs: 0 });
	expect(engines[0]?.open).toBe(false);
});

test('nothing is taken before it is open, after its end, or when nobody wants it any more', async () => {
	const { stream, engines } = rig();
	const ask = () => stream.send({ message_type: 'get_task', data: {} });
	expect(ask()).toBe(false);
	const control = new AbortController();
	await stream.open(control.signal);
	expect(ask()).toBe(true);
	control.abort();
	expect(ask()).toBe(false);
	await stream.close();
	expect(ask()).toBe(false);
	const other = rig();
	expect(await other.stream.open(control.signal)).toEqual(err({ kind: 'cancelled' }));
	expect([engines.length, other.engines.length]).toEqual([1, 0]);
});

test('it says what it does in the words of a task', async () => {
	const { stream, messages, settle } = rig();
	await stream.open(signal);
	const ask = async () => {
		stream.send({ message_type: 'get_task', data: {} });
		await settle();
		return messages().at(-1);
	};
	expect(await ask()).toEqual({ type: 'current-task', status: 'running', targets: ['es'] });
	stream.send({ message_type: 'pause_task', data: {} });
	await settle();
	expect(messages().at(-1)).toEqual({
		type: 'task-status',
		command: 'pause_task',
		event: '',
		status: 'paused',
		transcriptionId: null,
	});
	expect(await ask()).toEqual({ type: 'current-task', status: 'paused', targets: ['es'] });
	const before = messages().length;
	stream.send({ message_type: 'tts_task', data: { text: 'x', language: 'es', translate_text: false } });
	await settle();
	expect(messages()).toHaveLength(before);
});

test('one that could not be opened can be ended, and takes no sound', async () => {
	const { stream, messages, settle } = rig([err({ kind: 'no-credit', detail: '' })]);
	await stream.open(signal);
	stream.audio(new Int16Array(480));
	expect(stream.counts()).toEqual({ chunksSent: 0, chunksReceived: 0, roundTripMs: 0 });
	stream.send({ message_type: 'end_task', data: {} });
	await settle();
	expect(messages()).toEqual([{ type: 'end-of-stream' }]);
});

test('a forced end does not wait for the last words of a pause; another does, but not for ever', async () => {
	const begin = async (data: { force?: boolean }) => {
		const own = rig();
		await own.stream.open(signal);
		own.stick();
		own.stream.send({ message_type: 'pause_task', data: {} });
		own.stream.send({ message_type: 'end_task', data });
		await own.settle();
		return own;
	};
	expect((await begin({ force: true })).messages().at(-1)).toEqual({ type: 'end-of-stream' });
	const own = await begin({});
	await own.clock.run(29_000);
	expect(own.messages()).toHaveLength(1);
	await own.clock.run(2000);
	expect(own.messages().at(-1)).toEqual({ type: 'end-of-stream' });
	expect(own.engines.map(({ open }) => open)).toEqual([false]);
});

test('is closed when its socket is', async () => {
	const { stream, clock, engines } = rig([], 100);
	await stream.open(signal);
	let isClosed = false;
	const closed = stream.close().then(() => {
		isClosed = true;
	});
	await clock.run(99);
	expect([isClosed, engines[0]?.open]).toEqual([false, true]);
	await clock.run(1);
	await closed;
	expect(engines[0]?.open).toBe(false);
});
