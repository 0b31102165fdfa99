import { describe, expect, it, test } from 'vitest';
import { confirmTask } from '#shared/conversation/readiness.ts';
import {
	aLink,
	aRun,
	lost,
	other,
	pauseTask,
	plan,
	planFor,
	send,
	stateOf,
} from '#test/support/machine-parts.ts';
import type { Live, Run, Work } from './state.ts';
import { beginWatch } from './watch.ts';
import { applyWanted, askPause, enterLive, enterPausing } from './work.ts';

const state = stateOf({ name: 'idle' });
const link = aLink();
const running: Work = { is: 'running' };
const live = (run: Run, over: Partial<Live> = {}): Live => ({
	name: 'live',
	run,
	link,
	work: running,
	watch: beginWatch(5000),
	sinceMs: 5000,
	...over,
});
const still = (stage: Live) => ({ state: stateOf(stage), effects: [] });

describe('live', () => {
	it('counts from now on what is interpreted, and ends the wait for a room', () => {
		expect(enterLive(state, aRun({ connectingMs: 1000 }), { link, work: running }, 5000)).toEqual(
			still(live(aRun({ liveSinceMs: 5000, countingSinceMs: 5000 }))),
		);
	});

	it('counts nothing while paused', () => {
		const run = aRun({ paused: true, countingSinceMs: 4000 });
		expect(enterLive(state, run, { link, work: { is: 'paused' } }, 5000)).toEqual(
			still(live(aRun({ paused: true, liveSinceMs: 5000, interpretedMs: 1000 }), { work: { is: 'paused' } })),
		);
	});

	it('has changed over to the socket for good', () => {
		const switched = { sinceMs: 1000, cause: lost, done: false };
		const { stage } = enterLive(state, aRun({ switched }), { link, work: running }, 5000).state;
		expect(stage).toMatchObject({ run: { switched: { ...switched, done: true } } });
	});
});

describe('a wanted change', () => {
	const wanting = aRun({ wanted: other, change: 'waiting' });

	it('is in force at once where the service is asked for the same', () => {
		const same = { ...planFor('es'), route: 'websocket' } as const;
		expect(applyWanted(state, live(aRun({ wanted: same, change: 'waiting' })), 5000)).toEqual(
			still(live(aRun({ plan: same, change: 'applied' }))),
		);
	});

	it.each<[string, Live]>([
		['nothing is wanted', live(aRun())],
		['it is paused', live({ ...wanting, paused: true })],
		['it is paused and nothing differs', live({ ...aRun({ wanted: plan }), paused: true })],
		[
			'another is being confirmed',
			live(wanting, { work: { is: 'confirming', readiness: confirmTask(0).readiness, sent: plan } }),
		],
	])('waits where %s', (_why, stage) => {
		expect(applyWanted(state, stage, 5000)).toEqual(still(stage));
	});
});

test('a pause is asked for, and looked for 2.1 s after it may leave', () => {
	const paused = aLink({ outbox: { ...link.outbox, controlMs: 5000 } });
	const work: Work = { is: 'pausing', sinceMs: 5000, tries: 1, askMs: 7100 };
	const run = aRun({ paused: true });
	expect(enterPausing(state, run, link, 5000)).toEqual({
		state: stateOf(live({ ...run, liveSinceMs: 5000 }, { link: paused, work })),
		effects: [send(pauseTask)],
	});
	const later = aLink({ outbox: { ...link.outbox, controlMs: 4000 } });
	expect(askPause(later, 5000)).toEqual({
		work: { ...work, askMs: 9200 },
		sent: { link: aLink({ outbox: { ...later.outbox, waiting: [pauseTask] } }), effects: [] },
	});
});
