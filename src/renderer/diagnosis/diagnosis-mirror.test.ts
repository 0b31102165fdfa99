import { expect, test } from 'vitest';
import type { Host } from '#renderer/host.ts';
import { fine } from '#shared/diagnosis/finding.ts';
import { ok } from '#shared/lib/result.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createDiagnosisMirror } from './diagnosis-mirror.ts';

/** A room joined before Start is being left; `did` has what was done in order. */
function setUp() {
	const did: string[] = [];
	const left = Promise.withResolvers<void>();
	const host = {
		async ask(name: string) {
			did.push(name);
			return ok(name === 'diagnosis.run' ? { revision: 1, running: false, findings: [] } : undefined);
		},
		listen: () => () => {},
	} as unknown as Host;
	const look = (name: 'output' | 'media') => ({
		name,
		limitMs: 1000,
		async run() {
			did.push(name);
			return fine('mediaJoined');
		},
	});
	const clock = createManualClock();
	const mirror = createDiagnosisMirror({
		host,
		clock,
		checks: [look('output')],
		later: [look('media')],
		leaveRoom: () => left.promise,
	});
	return { did, left: left.resolve, mirror, clock };
}

test('looks at nothing before the room joined before Start was left: a plan may allow one session', async () => {
	const { did, left, mirror, clock } = setUp();
	const running = mirror.run();
	await clock.run(1000);
	expect([mirror.store.getState().running, did]).toEqual([true, []]);
	left();
	await running;
	expect([mirror.store.getState().running, did]).toEqual([false, ['diagnosis.run', 'output', 'media']]);
});

test('stopped before that, nothing is looked at', async () => {
	const { did, left, mirror } = setUp();
	const running = mirror.run();
	const stopping = mirror.cancel();
	left();
	await Promise.all([running, stopping]);
	expect([mirror.store.getState().running, did]).toEqual([false, ['diagnosis.cancel']]);
});
