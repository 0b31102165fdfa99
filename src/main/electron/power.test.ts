import { beforeEach, expect, test, vi } from 'vitest';
import type { PhaseReport } from '#shared/host/contract.ts';

const blocker = vi.hoisted(() => ({ started: [] as string[], stopped: [] as number[] }));
vi.mock('electron', () => ({
	powerMonitor: { on() {} },
	powerSaveBlocker: {
		start: (kind: string) => blocker.started.push(kind),
		stop: (id: number) => void blocker.stopped.push(id),
	},
}));
const { createDisplayLock, createWakeLock } = await import('./power.ts');

beforeEach(() => {
	blocker.started.length = 0;
	blocker.stopped.length = 0;
});

/** Is the computer kept awake in this phase? */
const awake: Readonly<Record<PhaseReport, boolean>> = {
	idle: false,
	starting: true,
	live: true,
	paused: false,
	recovering: true,
	ending: true,
	failed: false,
};

test.each(Object.entries(awake) as [PhaseReport, boolean][])(
	'a conversation that is %s keeps the computer awake: %s',
	(phase, isAwake) => {
		const keep = createWakeLock();
		keep(phase);
		keep(phase);
		expect(blocker).toEqual({ started: isAwake ? ['prevent-app-suspension'] : [], stopped: [] });
		keep('idle');
		expect(blocker.stopped).toEqual(isAwake ? [1] : []);
	},
);

test('the display is kept lit once, however often it is asked for, and let go once', () => {
	const keep = createDisplayLock();
	keep(false);
	keep(true);
	keep(true);
	expect(blocker).toEqual({ started: ['prevent-display-sleep'], stopped: [] });
	keep(false);
	keep(false);
	expect(blocker.stopped).toEqual([1]);
	keep(true);
	expect(blocker.started).toHaveLength(2);
});
