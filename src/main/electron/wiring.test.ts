import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
	recordedElectron as electron,
	type StartedShell,
	startRecorded,
} from '#test/support/recorded-electron.ts';

/** The calls to the services. */
const did = vi.hoisted((): string[] => []);
vi.mock('electron', async () => (await import('#test/support/recorded-electron.ts')).recordedElectron.module);
vi.mock('#main/calls/system-sound.ts', async (original) => {
	const real = await original<typeof import('#main/calls/system-sound.ts')>();
	const { createSystemSound } = real;
	return {
		...real,
		createSystemSound: (...parts: Parameters<typeof createSystemSound>) => ({
			...createSystemSound(...parts),
			clean: async () => void did.push('volumes given back'),
		}),
	};
});
vi.mock('#main/calls/routing.ts', async (original) => {
	const real = await original<typeof import('#main/calls/routing.ts')>();
	const { createRouting } = real;
	return {
		...real,
		createRouting: (...parts: Parameters<typeof createRouting>) => ({
			...createRouting(...parts),
			clean: async () => void did.push('microphones removed'),
		}),
	};
});
const { startShell } = await import('./shell.ts');

// A busy machine takes its time.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let shell: StartedShell;
beforeEach(async () => {
	did.length = 0;
	electron.calls.length = 0;
	electron.windows.length = 0;
	electron.app.removeAllListeners();
	electron.power.removeAllListeners();
	shell = await startRecorded(startShell);
});
afterEach(() => shell.end());

test('removes the sound devices left by a crash once, when the page is usable', async () => {
	expect(did).toEqual([]);
	await shell.ask('app.usable');
	await shell.ask('app.usable');
	shell.clock.advance(5000);
	expect(did).toEqual(['microphones removed', 'volumes given back']);
});
