import { expect, test, vi } from 'vitest';

const blocker = vi.hoisted(() => ({ started: [] as string[], stopped: [] as number[] }));
vi.mock('electron', () => ({
	powerMonitor: { on() {} },
	powerSaveBlocker: {
		start: (kind: string) => blocker.started.push(kind),
		stop: (id: number) => void blocker.stopped.push(id),
	},
}));
const { createDisplayLock } = await import('./power.ts');

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
