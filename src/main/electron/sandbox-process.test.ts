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

test('a sandbox that ends while it runs is told', async () => {
	const sandbox = createSandboxProcess({
		script: 'sandbox.js',
		liveKitSecret: undefined,
		clock: createManualClock(),
		log: silentLogger,
	});
	let gone = 0;
	sandbox.onGone(() => {
		gone += 1;
	});
	const starting = sandbox.start();
	const child = children.at(-1) as EventEmitter & { readonly stdout: EventEmitter };
	child.stdout.emit('data', Buffer.from('{"api":"http://127.0.0.1:1","key":"k"}\n'));
	expect(await starting).toMatchObject({ ok: true });
	expect(gone).toBe(0);
	child.emit('exit', 1);
	expect(gone).toBe(1);
});
