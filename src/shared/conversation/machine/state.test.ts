import { expect, test } from 'vitest';
import { aLink, aRun, aSocket, closeLink, closeMicrophone, plan } from '#test/support/machine-parts.ts';
import {
	after,
	idOf,
	initialState,
	noStandby,
	noSuccessor,
	placeOf,
	type Standby,
	type State,
	type Successor,
	standbyId,
	successorId,
	to,
	unchanged,
} from './state.ts';

const session = { at: 'session', id: 5, sinceMs: 0 } as const;
const due = { why: 'expiring', of: 7, fromMs: 0, tries: 0 } as const;
const planned = { route: 'webrtc', asked: plan, plan } as const;
const leaving = { link: aLink(), sinceMs: 0, progressMs: 0, endOfStreamMs: null, next: null };

const standbys: readonly [Standby, number | null][] = [
	[noStandby, null],
	[{ is: 'opening', id: 5 }, 5],
	[{ is: 'open', link: aSocket, sinceMs: 0 }, 7],
	[{ is: 'refused', sinceMs: 0 }, null],
	[{ is: 'failed' }, null],
];
const successors: readonly [Successor, number | null][] = [
	[noSuccessor, null],
	[{ is: 'due', ...due }, null],
	[{ is: 'coming', attempt: session, ...planned, ...due }, 5],
	[{ is: 'coming', attempt: { at: 'joined', link: aLink() }, ...planned, ...due }, 7],
	[{ is: 'ready', link: aLink(), tasked: true, sinceMs: 0, ...planned, ...due }, 7],
	[{ is: 'leaving', ...leaving }, null],
];
const having = (over: Partial<State>): State => ({ ...initialState, ...over });

test('nothing is open at first, and a standby may be opened whenever it is wanted', () => {
	expect(initialState).toEqual({
		muted: false,
		serial: 0,
		stage: { name: 'idle' },
		standby: { is: 'none', notBeforeMs: -Infinity },
		successor: { is: 'none' },
	});
});

test.each(standbys)('the link of the standby %o is %s', (standby, id) => {
	expect(standbyId({ standby })).toBe(id);
});

test.each(successors)('the link of the successor %o is %s', (successor, id) => {
	expect(successorId({ successor })).toBe(id);
});

test('an attempt has the number of its link, or the one it will get', () => {
	expect([idOf(session), idOf({ at: 'joined', link: aLink() })]).toEqual([5, 7]);
});

test('a link is in use, beside the one in use, or the one before it', () => {
	for (const [standby, id] of standbys) {
		expect(placeOf(having({ standby }), 7)).toBe(id === 7 ? 'beside' : 'in-use');
		expect(placeOf(having({ standby }), 4)).toBe('in-use');
	}
	for (const [successor, id] of successors) {
		const former = successor.is === 'leaving' ? 'former' : 'in-use';
		expect(placeOf(having({ successor }), 7)).toBe(id === 7 ? 'beside' : former);
		expect(placeOf(having({ successor }), 4)).toBe('in-use');
	}
});

test('steps', () => {
	const resting = { name: 'resting', run: aRun() } as const;
	expect(unchanged(initialState)).toEqual({ state: initialState, effects: [] });
	const step = to(initialState, resting, closeMicrophone);
	expect(step).toEqual({ state: having({ stage: resting }), effects: [closeMicrophone] });
	expect(after([closeLink], step)).toEqual({ ...step, effects: [closeLink, closeMicrophone] });
});
