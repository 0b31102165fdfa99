import { expect, it } from 'vitest';
import type { Event } from '#shared/conversation/machine/events.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createPowerWatch } from './controller.ts';

/** A watch whose process can be stopped: time goes on, the beats do not come. */
function createRig() {
	const manual = createManualClock();
	const events: Event[] = [];
	let stoppedMs = 0;
	let heard: (payload: never) => void = () => {};
	const end = createPowerWatch({
		clock: { ...manual, now: () => manual.now() + stoppedMs, wall: () => manual.wall() + stoppedMs },
		host: {
			listen(_name, listener) {
				heard = listener as (payload: never) => void;
				return () => {};
			},
		},
		dispatch: (event) => events.push(event),
	});
	return {
		manual,
		events,
		end,
		stop: (ms: number) => {
			stoppedMs += ms;
		},
		power: (event: 'suspend' | 'resume' | 'lock', atWallMs?: number) => heard({ event, atWallMs } as never),
	};
}

it('tells how long the system slept', () => {
	const rig = createRig();
	rig.power('suspend');
	rig.stop(90_000);
	rig.power('resume');
	expect(rig.events).toEqual([{ type: 'suspend' }, { type: 'woke', sleptMs: 90_000 }]);
	rig.manual.advance(20_000);
	expect(rig.events).toHaveLength(2);
});

it('counts a sleep that it hears of only when it is over', () => {
	const rig = createRig();
	const atWallMs = rig.manual.wall();
	rig.stop(90_000);
	rig.power('suspend', atWallMs);
	rig.power('resume', atWallMs + 90_000);
	expect(rig.events).toEqual([{ type: 'suspend' }, { type: 'woke', sleptMs: 90_000 }]);
});

it('sees a sleep that nobody announced, by a beat that comes too late', () => {
	const rig = createRig();
	rig.manual.advance(60_000);
	expect(rig.events).toEqual([]);
	rig.stop(30_000);
	rig.manual.advance(5000);
	expect(rig.events).toEqual([{ type: 'suspend' }, { type: 'woke', sleptMs: 30_000 }]);
});

it('is not disturbed by a locked screen, a short stall, or a resume without a suspend, and ends', () => {
	const rig = createRig();
	rig.power('lock');
	rig.power('resume');
	rig.stop(10_000);
	rig.manual.advance(10_000);
	rig.stop(29_999);
	rig.manual.advance(5000);
	expect(rig.events).toEqual([]);
	rig.end();
	expect(rig.manual.pending).toBe(0);
});
