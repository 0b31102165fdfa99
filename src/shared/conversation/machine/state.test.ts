import { expect, test } from 'vitest';
import { aLink, aSocket, plan } from '#test/support/machine-parts.ts';
import {
	initialState,
	noStandby,
	noSuccessor,
	placeOf,
	type Standby,
	type State,
	type Successor,
	successorId,
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

test.each(successors)('the link of the successor %o is %s', (successor, id) => {
	expect(successorId({ successor })).toBe(id);
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
