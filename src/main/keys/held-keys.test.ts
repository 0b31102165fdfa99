import { expect, test } from 'vitest';
import { silentLogger } from '#shared/lib/log.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { ASK_EVERY_MS, createHeldKeys, keysToHold } from './held-keys.ts';

/** A keyboard whose keys the test presses; combinations are given as texts. */
function rig(canAsk = true) {
	const clock = createManualClock();
	const told: (boolean | 'changed')[] = [];
	const keys = { down: new Set<string>(), opened: 0, closed: 0, asked: 0, fails: false, slow: false };
	const waiting: (() => void)[] = [];
	const holding = createHeldKeys({
		open: canAsk
			? async () => {
					keys.opened += 1;
					return {
						async anyDown(combinations) {
							keys.asked += 1;
							if (keys.slow) await new Promise<void>((done) => waiting.push(done));
							if (keys.fails) throw new Error('gone');
							return combinations.some(({ modifiers, key }) => keys.down.has([...modifiers, key].join('+')));
						},
						close() {
							keys.closed += 1;
						},
					};
				}
			: null,
		clock,
		log: silentLogger,
		held: (down) => told.push(down),
		changed: () => told.push('changed'),
	});
	const answer = () => {
		for (const done of waiting.splice(0)) done();
	};
	return { clock, told, keys, holding, answer };
}

test('down and up are told once each, for any of the combinations', async () => {
	const { clock, told, keys, holding } = rig();
	holding.follow(['F9', 'Mod+Shift+F4']);
	await clock.run(1000);
	expect(told).toEqual([]);
	keys.down.add('Mod+Shift+F4');
	await clock.run(500);
	expect(told).toEqual([true]);
	keys.down = new Set(['F9']);
	await clock.run(500);
	expect(told).toEqual([true]);
	keys.down.clear();
	await clock.run(ASK_EVERY_MS);
	expect(told).toEqual([true, false]);
});

test('nobody is asked without a combination, and none is heard on when there is none any more', async () => {
	const { clock, told, keys, holding } = rig();
	holding.follow([]);
	holding.follow(['no combination at all']);
	await clock.run(1000);
	expect([keys.opened, clock.pending]).toEqual([0, 0]);
	keys.down.add('F9');
	holding.follow(['F9']);
	await clock.run(100);
	holding.follow([]);
	expect(told).toEqual([true, false]);
	expect([keys.closed, clock.pending]).toEqual([1, 0]);
	const { asked } = keys;
	await clock.run(1000);
	expect(keys.asked).toBe(asked);
	holding.follow(['F9']);
	await clock.run(100);
	holding.close();
	expect(told).toEqual([true, false, true, false]);
	expect([keys.opened, keys.closed, clock.pending]).toEqual([2, 2, 0]);
});

test('a keyboard that cannot be polled any more ends the hold, is not polled again, and reports the change', async () => {
	const { clock, told, keys, holding } = rig();
	keys.down.add('F9');
	holding.follow(['F9']);
	await clock.run(100);
	expect(holding.works()).toBe(true);
	keys.fails = true;
	await clock.run(ASK_EVERY_MS);
	expect(told).toEqual([true, false, 'changed']);
	expect(holding.works()).toBe(false);
	holding.follow(['F9']);
	await clock.run(1000);
	expect([keys.opened, keys.closed, clock.pending]).toEqual([1, 1, 0]);
});

test('one question is under way at a time; an answer that comes after the end tells nothing', async () => {
	const { clock, told, keys, holding, answer } = rig();
	keys.down.add('F9');
	keys.slow = true;
	holding.follow(['F9']);
	await clock.run(1000);
	expect(keys.asked).toBe(1);
	holding.follow([]);
	keys.fails = true;
	answer();
	await clock.run(100);
	// Closing it ourselves is no failure of the keyboard.
	expect([told, holding.works()]).toEqual([[], true]);
	Object.assign(keys, { slow: false, fails: false });
	holding.follow(['F9']);
	await clock.run(100);
	expect(told).toEqual([true]);
});

test('a question from before an end that fails after a new beginning is no failure of the keyboard', async () => {
	const { clock, told, keys, holding, answer } = rig();
	keys.down.add('F9');
	Object.assign(keys, { slow: true, fails: true });
	holding.follow(['F9']);
	await clock.run(100);
	holding.follow([]);
	holding.follow(['F9']);
	answer();
	await clock.run(0);
	expect([told, holding.works()]).toEqual([[], true]);
	Object.assign(keys, { slow: false, fails: false });
	await clock.run(100);
	expect(told).toEqual([true]);
});

test('keys are looked for while a conversation runs in which they do anything, and at no other time', () => {
	const shortcuts = { 'global.talk': ['Mod+F8'] };
	const wanted = { globalKeys: true, talk: 'push-to-mute', shortcuts } as const;
	expect(keysToHold(wanted, 'live')).toEqual(['Mod+F8']);
	expect(keysToHold(wanted, 'starting')).toEqual(['Mod+F8']);
	for (const phase of ['idle', 'failed'] as const) expect(keysToHold(wanted, phase)).toEqual([]);
	expect(keysToHold({ ...wanted, globalKeys: false }, 'live')).toEqual([]);
	expect(keysToHold({ ...wanted, talk: 'open' }, 'live')).toEqual([]);
	expect(keysToHold({ ...wanted, shortcuts: {} }, 'live')).toEqual([]);
});

test('where nobody tells of a release, nothing is looked for', async () => {
	const { clock, told, holding } = rig(false);
	expect(holding.works()).toBe(false);
	holding.follow(['F9']);
	await clock.run(1000);
	expect([told, clock.pending]).toEqual([[], 0]);
});
