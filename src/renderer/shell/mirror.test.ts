import { expect, test } from 'vitest';
import { createListeners } from '#shared/lib/listeners.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { createMirror } from './mirror.ts';

interface State {
	readonly revision: number;
	readonly name: string;
	readonly problem?: Problem | null;
}

function rig(answers: readonly Result<State, Problem>[]) {
	const announced = createListeners<[State]>();
	const left = [...answers];
	const mirror = createMirror<State>({
		initial: { revision: -1, name: '', problem: null },
		listen: announced.listen,
		read: async () => left.shift() ?? err({ kind: 'cancelled' }),
		unread: (problem) => ({ problem }),
	});
	return { mirror, announce: announced.tell, now: () => mirror.store.getState() };
}

test('shows what main answered, then what it announces', async () => {
	const { mirror, announce, now } = rig([ok({ revision: 1, name: 'first' })]);
	await mirror.load();
	expect(now()).toEqual({ revision: 1, name: 'first' });
	announce({ revision: 2, name: 'second' });
	expect(now()).toEqual({ revision: 2, name: 'second' });
});

test('a late answer does not take the place of a newer announcement; the same revision again does', async () => {
	const { mirror, announce, now } = rig([ok({ revision: 1, name: 'late' })]);
	announce({ revision: 2, name: 'newer' });
	await mirror.load();
	expect(now().name).toBe('newer');
	announce({ revision: 2, name: 'said again' });
	expect(now().name).toBe('said again');
});

test('what could not be read leaves what was there, and says why', async () => {
	const { mirror, announce, now } = rig([err({ kind: 'cancelled' })]);
	announce({ revision: 2, name: 'here' });
	await mirror.load();
	expect(now()).toEqual({ revision: 2, name: 'here', problem: { kind: 'cancelled' } });
});

test('after close nothing is heard', () => {
	const { mirror, announce, now } = rig([]);
	mirror.close();
	announce({ revision: 2, name: 'unheard' });
	expect(now().name).toBe('');
});
