import { describe, expect, it, test } from 'vitest';
import {
	aLink,
	aRun,
	closeMicrophone,
	error,
	linkDown,
	message,
	queue,
	released,
	send,
	sessionLost,
	stateOf,
	tick,
	transcript,
} from '#test/support/machine-parts.ts';
import { beginEnding, endingDueMs, stepEnding, tailEndsMs } from './ending.ts';
import type { Event } from './events.ts';
import type { Ending } from './state.ts';

const random = 0.5;
const quiet = aRun();
const audible = aRun({ voiceActive: true });
const { outbox } = aLink();
const endTask = { message_type: 'end_task', data: { eos_timeout: 4 } } as const;
const silence = { do: 'feed-link', id: 7, audio: 'silence' };

/** Stop was pressed at 10 000. */
const stage: Ending = {
	name: 'ending',
	run: quiet,
	link: aLink(),
	sinceMs: 10_000,
	progressMs: 10_000,
	endOfStreamMs: null,
};
const hear = (event: Event, nowMs = 11_000, from = stage) =>
	stepEnding(stateOf(from), from, event, { nowMs, random });
const idle = (...effects: readonly object[]) => ({
	state: stateOf({ name: 'idle' }),
	effects: [closeMicrophone, ...effects],
});
const still = (next: Ending) => ({ state: stateOf(next), effects: [] });

describe('it begins', () => {
	const live = stateOf({ name: 'idle' });

	test('with the microphone off, silence on the line and the end of the task', () => {
		const run = aRun({ interpretedMs: 1000, countingSinceMs: 4000 });
		expect(beginEnding(live, run, aLink(), 10_000)).toEqual({
			state: stateOf({
				...stage,
				run: aRun({ microphone: { is: 'off' }, interpretedMs: 7000, countingSinceMs: null }),
				link: aLink({ outbox: { ...outbox, controlMs: 10_000 } }),
			}),
			effects: [closeMicrophone, silence, send(endTask)],
		});
	});

	test('and ends here, where nothing can follow a pause that is over for more than 6 s', () => {
		const paused = aRun({ paused: true, progressMs: 4000 });
		expect(beginEnding(live, paused, aLink(), 10_001)).toEqual(idle(...released));
		expect(beginEnding(live, paused, aLink(), 10_000).state.stage.name).toBe('ending');
		expect(beginEnding(live, { ...paused, paused: false }, aLink(), 10_001).state.stage.name).toBe('ending');
		expect(beginEnding(live, { ...paused, voiceActive: true }, aLink(), 10_001).state.stage.name).toBe(
			'ending',
		);
	});
});

describe('the tail', () => {
	const at = (over: Partial<Ending>) => tailEndsMs({ ...stage, ...over });

	test.each([
		['6 s without progress', { progressMs: 12_000 }, 18_000],
		['30 s in all, whatever is heard', { progressMs: 35_000 }, 40_000],
		['30 s in all, as long as a voice is heard', { run: audible }, 40_000],
		['0.4 s after the end of the stream', { endOfStreamMs: 15_000 }, 15_400],
		[
			'3 s after the end of the stream, where a voice is heard',
			{ endOfStreamMs: 15_000, run: audible },
			18_000,
		],
		['30 s in all, though the stream ends just then', { endOfStreamMs: 39_900 }, 40_000],
	] as const)('ends %s', (_when, over, endsMs) => {
		expect(at(over)).toBe(endsMs);
	});

	it('is over then, and not a ms before', () => {
		expect(hear(tick, 15_999)).toEqual(still(stage));
		expect(hear(tick, 16_000)).toEqual(idle(...released));
		expect(endingDueMs(stage)).toBe(16_000);
	});

	it.each([
		['a text', transcript, { progressMs: 11_000 }],
		['a voice that waits', queue(100), { progressMs: 11_000 }],
		['an empty queue', queue(0), {}],
		['an error', error('NOT_FOUND'), {}],
		['the end of the stream', { type: 'end-of-stream' }, { endOfStreamMs: 11_000 }],
	] as const)('hears %s', (_what, said, over) => {
		expect(hear(message(said))).toEqual(still({ ...stage, ...over }));
		expect(hear(message(said, 6)), 'of another link').toEqual(still(stage));
	});

	it('hears a voice begin and cease', () => {
		for (const active of [true, false])
			expect(hear({ type: 'voice-active', active })).toEqual(
				still({ ...stage, run: aRun({ voiceActive: active }), progressMs: 11_000 }),
			);
	});
});

describe('it ends at once', () => {
	const endNow = { message_type: 'end_task', data: { force: true } } as const;

	test.each(['stop', 'stop-now'] as const)('by %s, and the tail is dropped', (type) => {
		expect(hear({ type })).toEqual(idle(send(endNow), ...released));
	});

	test.each<[string, Event]>([
		['the computer sleeps', { type: 'suspend' }],
		['it slept', { type: 'woke', sleptMs: 1 }],
		['its session is gone', sessionLost('session-7')],
		['its link is down', linkDown(7)],
	])('when %s', (_what, event) => {
		expect(hear(event)).toEqual(idle(...released));
	});
});

test.each<[string, Event]>([
	['another session that is gone', sessionLost('session-6')],
	['another link that is down', linkDown(6)],
	['a change', { type: 'cannot-change' }],
	['a pause', { type: 'pause' }],
	['a link that is restored', { type: 'link-restoring', id: 7, cause: 'x' }],
])('%s changes nothing, however late', (_what, event) => {
	expect(hear(event, 99_000)).toEqual(still(stage));
});
