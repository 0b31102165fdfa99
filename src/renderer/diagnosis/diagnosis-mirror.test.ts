import { expect, test } from 'vitest';
import type { Host } from '#renderer/host.ts';
import { fine } from '#shared/diagnosis/checks.ts';
import { ok } from '#shared/lib/result.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createDiagnosisMirror } from './diagnosis-mirror.ts';

/** `did` has what was done in order. */
function setUp() {
	const did: string[] = [];
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
	});
	return { did, mirror };
}

test('makes a session only when main has finished: a plan may allow one', async () => {
	const { did, mirror } = setUp();
	await mirror.run();
	expect([mirror.store.getState().running, did]).toEqual([false, ['diagnosis.run', 'output', 'media']]);
});
