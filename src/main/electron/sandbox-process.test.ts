import { EventEmitter } from 'node:events';
import { expect, test, vi } from 'vitest';
import { INTERPRETER_ENV } from '#main/models/models.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { createManualClock } from '#test/support/manual-clock.ts';

interface Child extends EventEmitter {
	readonly stdout: EventEmitter;
	/** False: it had ended. */
	readonly kill: () => boolean;
}
const children: Child[] = [];
const environments: NodeJS.ProcessEnv[] = [];
vi.mock('electron', () => ({
	utilityProcess: {
		fork(_script: string, _args: readonly string[], { env }: { env: NodeJS.ProcessEnv }) {
			environments.push(env);
			const streams = { stdout: new EventEmitter(), stderr: new EventEmitter() };
			const child = Object.assign(new EventEmitter(), { ...streams, kill: vi.fn(() => false) });
			children.push(child);
			return child;
		},
	},
}));
const { createSandboxProcess } = await import('./sandbox-process.ts');

/** A sandbox that is being started, and its process. */
function start(interpreter: 'script' | 'local' = 'script') {
	const clock = createManualClock();
	const sandbox = createSandboxProcess({
		script: 'sandbox.js',
		liveKitSecret: undefined,
		models: () => '/models',
		clock,
		log: silentLogger,
	});
	const started = sandbox.start(interpreter);
	const child = children.at(-1) as Child;
	const answers = () => child.stdout.emit('data', Buffer.from('{"api":"http://127.0.0.1:1","key":"k"}\n'));
	return { clock, sandbox, started, child, answers };
}

test('a sandbox whose engine fails ends like any other, and crashes nothing else', async () => {
	const { clock, started, child } = start();
	child.emit('error', 'FatalError', 'v8::Somewhere', '{}');
	child.emit('exit', 133);
	expect(await started).toEqual({
		ok: false,
		error: { kind: 'sandbox-failed', reason: 'ended with status 133' },
	});
	expect(clock.pending).toBe(0);
});

test('only the interpreter runs with settings for its memory', () => {
	start('script');
	start('local');
	expect(environments.slice(-2)).toEqual([{ ...process.env }, { ...process.env, ...INTERPRETER_ENV }]);
});

test('an interpreter that refuses a damaged file ends, and the file is named', async () => {
	const { started, child } = start('local');
	child.stdout.emit('data', Buffer.from('{"api":"http://127.0.0.1:1","key":"k","damaged":"a.tgz"}\n'));
	expect(await started).toEqual({
		ok: false,
		error: { kind: 'model-damaged', model: 'interpreter', file: 'a.tgz' },
	});
	expect(child.kill).toHaveBeenCalled();
});

test('a sandbox that ends while it runs is told', async () => {
	const { sandbox, started, child, answers } = start();
	let gone = 0;
	sandbox.onGone(() => {
		gone += 1;
	});
	answers();
	expect(await started).toMatchObject({ ok: true });
	expect(gone).toBe(0);
	child.emit('exit', 1);
	expect(gone).toBe(1);
});

test('a sandbox that does not answer in time is ended', async () => {
	const { clock, started, child } = start();
	clock.advance(15_000);
	expect(await started).toEqual({
		ok: false,
		error: { kind: 'sandbox-failed', reason: 'did not answer in time' },
	});
	expect(child.kill).toHaveBeenCalledTimes(1);
	expect(clock.pending).toBe(0);
});

test('a sandbox that is left is ended', async () => {
	const { sandbox, started, child, answers } = start();
	answers();
	expect(await started).toMatchObject({ ok: true });
	expect(child.kill).not.toHaveBeenCalled();
	await sandbox.stop();
	expect(child.kill).toHaveBeenCalledTimes(1);
});
