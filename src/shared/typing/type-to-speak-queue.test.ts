import { describe, expect, it } from 'vitest';
import type { Problem } from '#shared/problem.ts';
import {
	emptyQueue,
	IDLE_MS,
	MAKING_LIMIT_MS,
	type QueueEffect,
	type QueueEvent,
	queueDueMs,
	type SpeechQueue,
	stepQueue,
	TEXTS_KEPT,
} from './type-to-speak-queue.ts';

const es = { language: 'es', voiceId: 'default_low' };
const de = { language: 'de', voiceId: 'default_low' };
const lost: Problem = { kind: 'connection-lost', reason: 'closed 1006' };
const refused: Problem = { kind: 'task-refused', field: 'text', detail: 'no' };

/** Runs events; `at` in ms with the event, or at 0. */
function run(...events: readonly QueueEvent[]) {
	return continued(emptyQueue, ...events);
}

function continued(from: SpeechQueue, ...events: readonly QueueEvent[]) {
	let queue = from;
	const effects: QueueEffect[] = [];
	for (const event of events) {
		const next = stepQueue(queue, event, 0);
		queue = next.queue;
		effects.push(...next.effects);
	}
	return { queue, effects, states: queue.texts.map(({ state }) => state.is) };
}

const typed = (text: string, voice = es): QueueEvent => ({ type: 'typed', text, ...voice });
const opened = (stream: number): QueueEvent => ({ type: 'stream-opened', stream });
/** One text (t1) being made over stream 2. */
const making = [typed('Hola'), opened(2)] as const;
const speaking = [...making, { type: 'sounding', id: 't1' }] as const;

describe('a typed text', () => {
	it('opens a stream at the first need, and is said over it', () => {
		expect(run(...making)).toMatchObject({
			effects: [
				{ do: 'open-stream', stream: 2, ...es },
				{ do: 'speak', stream: 2, id: 't1', text: 'Hola' },
			],
			states: ['making'],
		});
		expect(run(...speaking, { type: 'played', id: 't1' }).states).toEqual(['spoken']);
	});

	it('in another language is translated over a stream of its own, and what is said instead is kept with it', () => {
		const fromEnglish = { ...es, from: 'en' };
		const { queue, effects } = run(
			...speaking,
			{ type: 'played', id: 't1' },
			typed('Good day. Bye.', fromEnglish),
			opened(4),
			{ type: 'translated', id: 't3', text: 'Buenos días.' },
			{ type: 'translated', id: 't3', text: 'Adiós.' },
		);
		expect(effects.slice(2, 4)).toEqual([
			{ do: 'close-stream', stream: 2 },
			{ do: 'open-stream', stream: 4, ...fromEnglish },
		]);
		expect(queue.texts[1]).toMatchObject({ text: 'Good day. Bye.', translation: 'Buenos días. Adiós.' });
		const late = continued(
			queue,
			{ type: 'played', id: 't3' },
			{ type: 'translated', id: 't3', text: 'Tarde' },
		);
		expect(late.queue.texts[1]?.translation).toBe('Buenos días. Adiós.');
		const again = continued(queue, { type: 'cancel', id: 't3' }, { type: 'again', id: 't3' });
		expect(again.queue.texts[1]?.translation).toBeUndefined();
	});

	it('waits for the one before, however many wait', () => {
		const { states, effects } = run(...making, typed('Dos'), typed('Tres'));
		expect([states, effects.filter(({ do: what }) => what === 'speak').length]).toEqual([
			['making', 'waiting', 'waiting'],
			1,
		]);
		expect(run(...speaking, typed('Dos'), { type: 'played', id: 't1' }).states).toEqual(['spoken', 'making']);
	});

	it('in another language or voice gets a stream of its own when its turn comes', () => {
		const { effects } = run(...speaking, typed('Hallo', de), { type: 'played', id: 't1' });
		expect(effects.slice(2)).toEqual([
			{ do: 'close-stream', stream: 2 },
			{ do: 'open-stream', stream: 4, ...de },
		]);
	});
});

describe('a cancelled text', () => {
	it('is dropped where it is being said, and the next one begins', () => {
		const { effects, states } = run(...speaking, typed('Dos'), { type: 'cancel', id: 't1' });
		expect(states).toEqual(['cancelled', 'making']);
		expect(effects.slice(2)).toEqual([
			{ do: 'drop', stream: 2, id: 't1' },
			{ do: 'speak', stream: 2, id: 't3', text: 'Dos' },
		]);
	});

	it('that waits is just left out', () => {
		const { effects, states } = run(...speaking, typed('Dos'), { type: 'cancel', id: 't3' });
		expect([states, effects.length]).toEqual([['speaking', 'cancelled'], 2]);
	});

	it('is not revived by what comes late', () => {
		const { states } = run(
			...making,
			{ type: 'cancel', id: 't1' },
			{ type: 'sounding', id: 't1' },
			{ type: 'played', id: 't1' },
			{ type: 'failed', id: 't1', problem: lost, partly: false },
		);
		expect(states).toEqual(['cancelled']);
	});

	it('and all others: nothing is said any more, and nobody waits for a stream', () => {
		const { effects, states, queue } = run(typed('Uno'), typed('Dos'), { type: 'cancel-all' });
		expect([states, queue.stream]).toEqual([['cancelled', 'cancelled'], { is: 'none' }]);
		expect(effects.at(-1)).toEqual({ do: 'close-stream', stream: 2 });
	});
});

describe('a lost stream', () => {
	it('costs nothing while nothing was heard: the text is said again, once', () => {
		const first = run(...making, { type: 'stream-lost', stream: 2, problem: lost });
		expect([first.states, first.effects.at(-1)]).toEqual([
			['waiting'],
			{ do: 'open-stream', stream: 3, ...es },
		]);
		const second = continued(first.queue, opened(3), { type: 'stream-lost', stream: 3, problem: lost });
		expect([second.states, second.queue.halted]).toEqual([['failed'], lost]);
	});

	it('never says twice what was cut off', () => {
		const { queue, states, effects } = run(...speaking, typed('Dos'), {
			type: 'stream-lost',
			stream: 2,
			problem: lost,
		});
		expect(states).toEqual(['failed', 'waiting']);
		expect(queue.texts[0]?.state).toEqual({ is: 'failed', problem: lost, partly: true });
		expect(effects.filter(({ do: what }) => what === 'speak')).toHaveLength(1);
	});

	it('of before means nothing to the one of now', () => {
		const { states } = run(...speaking, { type: 'stream-lost', stream: 1, problem: lost });
		expect(states).toEqual(['speaking']);
	});
});

describe('a text that fails', () => {
	it('for a reason of its own lets the next one begin', () => {
		const failed: QueueEvent = { type: 'failed', id: 't1', problem: refused, partly: false };
		expect(run(...making, typed('Dos'), failed).states).toEqual(['failed', 'making']);
	});

	it('for a reason that all would meet halts the others until a person says so', () => {
		const failed: QueueEvent = { type: 'failed', id: 't1', problem: lost, partly: false };
		const halted = run(...making, typed('Dos'), failed);
		expect([halted.states, halted.queue.halted]).toEqual([['failed', 'waiting'], lost]);
		for (const event of [{ type: 'go-on' }, typed('Tres')] as const)
			expect(continued(halted.queue, event).states.slice(0, 2)).toEqual(['failed', 'making']);
		expect(continued(halted.queue, { type: 'again', id: 't1' }).states).toEqual(['making', 'waiting']);
	});

	it('that could not get a stream keeps its reason', () => {
		const off: Problem = { kind: 'socket-off', socket: 'tts' };
		const { queue, states } = run(typed('Uno'), typed('Dos'), {
			type: 'stream-lost',
			stream: 2,
			problem: off,
		});
		expect([states, queue.halted, queue.stream]).toEqual([['failed', 'waiting'], off, { is: 'none' }]);
	});

	it('by never being answered is given up, with its stream', () => {
		const { queue } = run(...making);
		expect(queueDueMs(queue)).toBe(MAKING_LIMIT_MS);
		const late = stepQueue(queue, { type: 'tick' }, MAKING_LIMIT_MS);
		expect(late.queue.texts[0]?.state).toMatchObject({ is: 'failed', problem: { kind: 'timed-out' } });
		expect(late.effects).toEqual([{ do: 'close-stream', stream: 2 }]);
	});
});

describe('afterwards', () => {
	const spoken = [...speaking, { type: 'played', id: 't1' }] as const;

	it('one that was cancelled is said again under another id: what comes under the first is dropped', () => {
		const cancelled = run(...speaking, { type: 'cancel', id: 't1' });
		expect(cancelled.effects.at(-1)).toEqual({ do: 'drop', stream: 2, id: 't1' });
		const { effects, queue } = continued(cancelled.queue, { type: 'again', id: 't1' });
		expect(effects).toEqual([{ do: 'speak', stream: 2, id: 't3', text: 'Hola' }]);
		expect(queue.texts.map(({ id }) => id)).toEqual(['t3']);
		expect(continued(queue, typed('Dos')).queue.texts.map(({ id }) => id)).toEqual(['t3', 't4']);
	});

	it('what was spoken is said again as a text of its own', () => {
		const { queue, states } = run(...spoken, { type: 'again', id: 't1' });
		expect([states, queue.texts[1]?.text]).toEqual([['spoken', 'making'], 'Hola']);
	});

	it('what is over can be cleared, and brought back in its place', () => {
		const cleared = run(...spoken, typed('Dos'), { type: 'clear' });
		expect(cleared.states).toEqual(['making']);
		expect(continued(cleared.queue, { type: 'clear' }).queue).toEqual(cleared.queue);
		expect(continued(cleared.queue, { type: 'undo-clear' }).states).toEqual(['spoken', 'making']);
	});

	it('an idle stream is closed, and opened again at the next text', () => {
		const { queue } = run(...spoken);
		expect(queueDueMs(queue)).toBe(IDLE_MS);
		expect(stepQueue(queue, { type: 'tick' }, IDLE_MS - 1).effects).toEqual([]);
		const closed = stepQueue(queue, { type: 'tick' }, IDLE_MS);
		expect(closed.effects).toEqual([{ do: 'close-stream', stream: 2 }]);
		expect(continued(closed.queue, typed('Dos')).effects).toMatchObject([{ do: 'open-stream' }]);
	});

	it('no more than so many are remembered', () => {
		let { queue } = run(...spoken);
		for (let count = 0; count < TEXTS_KEPT; count += 1)
			queue = continued(queue, typed(String(count)), { type: 'cancel-all' }).queue;
		expect(queue.texts).toHaveLength(TEXTS_KEPT);
	});
});
