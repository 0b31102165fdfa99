import { EventEmitter } from 'node:events';
import { expect, test, vi } from 'vitest';
import { silentLogger } from '#shared/lib/log.ts';
import { createManualClock } from '#test/support/manual-clock.ts';

const children: EventEmitter[] = [];
vi.mock('electron', () => ({
	utilityProcess: {
		fork() {
			const child = Object.assign(new EventEmitter(), {
				stdout: new EventEmitter(),
				stderr: new EventEmitter(),
			});
			children.push(child);
			return Object.assign(child, { kill: () => false });
		},
	},
}));
const { createSandboxProcess } = await import('./sandbox-process.ts');

test('a sandbox whose engine fails has ended like any other, and takes nobody with it', async () => {
	const clock = createManualClock();
	const sandbox = createSandboxProcess({
		script: 'sandbox.js',
		liveKitSecret: undefined,
		clock,
		log: silentLogger,
	});
	const starting = sandbox.start();
	children[0]?.emit('error', 'FatalError', 'v8::Somewhere', '{}');
	children[0]?.emit('exit', 133);
	expect(await starting).toEqual({
		ok: false,
		error: { kind: 'sandbox-failed', reason: 'ended with status 133' },
	});
	expect(clock.pending).toBe(0);
});
