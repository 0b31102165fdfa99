import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Problem } from '#shared/problem.ts';
import {
	emptyQueue,
	IDLE_MS,
	isOver,
	MAKING_LIMIT_MS,
	type QueueEffect,
	type QueueEvent,
	stepQueue,
} from './type-to-speak-queue.ts';

const lost: Problem = { kind: 'connection-lost', reason: 'closed 1006' };
const refused: Problem = { kind: 'task-refused', field: 'text', detail: 'no' };

interface Saying {
	readonly id: string;
	readonly stream: number;
}

/** A fake service and loudspeaker: they track what the queue opens and speaks, and report the outcome. */
function createWorld() {
	let queue = emptyQueue;
	let nowMs = 0;
	const open = new Set<number>();
	let saying: Saying | null = null;
	/** Texts heard since a person last asked for them. */
	const heard = new Set<string>();

	function perform(effect: QueueEffect): void {
		switch (effect.do) {
			case 'open-stream':
				expect(open.size, 'one stream at a time').toBe(0);
				open.add(effect.stream);
				break;
			case 'close-stream':
				expect(open.delete(effect.stream), 'only open streams are closed').toBe(true);
				saying = null;
				break;
			case 'drop':
				saying = null;
				break;
			case 'speak':
				expect(saying, 'one text at a time').toBeNull();
				expect(open.has(effect.stream), 'over the open stream').toBe(true);
				expect(heard.has(effect.id), 'no sound twice').toBe(false);
				saying = { id: effect.id, stream: effect.stream };
		}
	}

	function take(event: QueueEvent): void {
		const next = stepQueue(queue, event, nowMs);
		queue = next.queue;
		for (const effect of next.effects) perform(effect);
	}

	/** The possible next events of the service and the loudspeaker. */
	const happens = {
		opened: () => [...open].forEach((stream) => void take({ type: 'stream-opened', stream })),
		lost() {
			for (const stream of [...open]) {
				open.delete(stream);
				saying = null;
				take({ type: 'stream-lost', stream, problem: lost });
			}
		},
		sounding() {
			if (!saying) return;
			heard.add(saying.id);
			take({ type: 'sounding', id: saying.id });
		},
		played() {
			const about = saying;
			saying = null;
			if (about) take({ type: 'played', id: about.id });
		},
		failed() {
			const about = saying;
			saying = null;
			if (about) take({ type: 'failed', id: about.id, problem: refused, partly: false });
		},
	};

	return {
		take,
		happens,
		open,
		/** The n-th newest text. */
		again(at: number) {
			const one = queue.texts.at(-1 - at);
			if (!one) return;
			if (isOver(one)) heard.delete(one.id);
			take({ type: 'again', id: one.id });
		},
		cancel(at: number) {
			take({ type: 'cancel', id: queue.texts.at(-1 - at)?.id ?? '' });
		},
		pass(ms: number) {
			nowMs += ms;
			take({ type: 'tick' });
		},
		check() {
			const { texts, halted, stream } = queue;
			const active = texts.filter(({ state }) => state.is === 'making' || state.is === 'speaking');
			expect(active.map(({ id }) => id)).toEqual(saying ? [saying.id] : []);
			expect(new Set(texts.map(({ id }) => id)).size).toBe(texts.length);
			// Nothing waits idly unless a person was told why.
			const isStill = active.length === 0 && halted === null && stream.is !== 'opening';
			if (isStill) expect(texts.every(isOver), 'nobody is forgotten').toBe(true);
		},
		allOver: () => queue.texts.every(isOver),
	};
}

type World = ReturnType<typeof createWorld>;
type Move = (world: World) => void;

const event = fc.constantFrom<QueueEvent[]>(
	{ type: 'typed', text: 'a', language: 'es', voiceId: 'default_low' },
	{ type: 'typed', text: 'b', language: 'de', voiceId: 'default_low' },
	{ type: 'typed', text: 'c', language: 'es', voiceId: 'default_low' },
	{ type: 'cancel-all' },
	{ type: 'clear' },
	{ type: 'undo-clear' },
	{ type: 'go-on' },
	{ type: 'silence' },
);
const happening = fc.constantFrom('opened', 'opened', 'sounding', 'sounding', 'played', 'lost', 'failed');
const move: fc.Arbitrary<Move> = fc.oneof(
	{
		weight: 4,
		arbitrary: event.map(
			(one): Move =>
				(world) =>
					world.take(one),
		),
	},
	{
		weight: 6,
		arbitrary: happening.map(
			(what): Move =>
				(world) =>
					world.happens[what](),
		),
	},
	fc.nat(5).map(
		(at): Move =>
			(world) =>
				world.again(at),
	),
	fc.nat(5).map(
		(at): Move =>
			(world) =>
				world.cancel(at),
	),
	fc.constantFrom(10, IDLE_MS, MAKING_LIMIT_MS).map(
		(ms): Move =>
			(world) =>
				world.pass(ms),
	),
);

it('whatever happens, one text is said at a time over one stream, none is forgotten, and no sound comes twice by itself', () => {
	fc.assert(
		fc.property(fc.array(move, { maxLength: 60 }), (moves) => {
			const world = createWorld();
			for (const make of moves) {
				make(world);
				world.check();
			}
			world.take({ type: 'silence' });
			expect([world.open.size, world.allOver()]).toEqual([0, true]);
		}),
		{ numRuns: 500 },
	);
});
