import { expect, test } from 'vitest';
import { stepResting } from '#shared/conversation/machine.ts';
import { aRun, closeMicrophone, noMicrophone, other, stateOf, tick } from '#test/support/machine-parts.ts';
import type { Resting } from './state.ts';

const moment = { nowMs: 5000, random: 0.5 };
const run = aRun({ ...noMicrophone, paused: true });
const stage: Resting = { name: 'resting', run };
const state = stateOf(stage);

test.each(['stop', 'stop-now'] as const)('%s ends it', (type) => {
	expect(stepResting(state, stage, { type }, moment)).toEqual({
		state: stateOf({ name: 'idle' }),
		effects: [closeMicrophone],
	});
});

test('a resume takes the microphone and a new session, and what failed before the sleep does not count', () => {
	const before: Resting = { ...stage, run: { ...run, outage: { sinceMs: 1, tries: 3, cause: 'x' } } };
	const again = aRun({ microphone: { is: 'opening', id: 8, sinceMs: 5000 } });
	expect(stepResting(stateOf(before), before, { type: 'resume' }, moment)).toEqual({
		state: {
			...stateOf({
				name: 'reconnecting',
				run: again,
				outage: { sinceMs: 5000, tries: 1, cause: 'asleep' },
				how: { by: 'joining', attempt: { at: 'session', id: 9, sinceMs: 5000 } },
			}),
			serial: 9,
		},
		effects: [
			{ do: 'open-microphone', id: 8 },
			{ do: 'open-session', id: 9 },
		],
	});
});

test('back to a room takes effect with the resume, and only after a fall back to a socket', () => {
	const cause = { kind: 'room-unreachable', reason: 'x' } as const;
	const switched = { sinceMs: 1, cause, done: true };
	const onSocket: Resting = { ...stage, run: { ...run, route: 'websocket', switched } };
	expect(stepResting(stateOf(onSocket), onSocket, { type: 'go-back' }, moment)).toEqual({
		state,
		effects: [],
	});
	const pinned: Resting = { ...stage, run: { ...run, route: 'websocket' } };
	const kept = stateOf(pinned);
	expect(stepResting(kept, pinned, { type: 'go-back' }, moment)).toEqual({ state: kept, effects: [] });
});

test('a change is kept for then; nothing else moves it', () => {
	expect(stepResting(state, stage, { type: 'change', plan: other }, moment)).toEqual({
		state: stateOf({ ...stage, run: { ...run, wanted: other, change: 'waiting' } }),
		effects: [],
	});
	for (const event of [tick, { type: 'pause' }, { type: 'woke', sleptMs: 1 }] as const)
		expect(stepResting(state, stage, event, moment)).toEqual({ state, effects: [] });
});
