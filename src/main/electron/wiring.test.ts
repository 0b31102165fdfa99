import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { recordedElectron as electron } from '#test/support/recorded-electron.ts';
import { type StartedShell, startRecorded } from '#test/support/started-shell.ts';

/** What was asked of the services. */
const did = vi.hoisted((): string[] => []);
vi.mock('electron', async () => (await import('#test/support/recorded-electron.ts')).recordedElectron.module);
vi.mock('#main/app/app-system-sound.ts', async (original) => {
	const { createAppSystemSound } = await original<typeof import('#main/app/app-system-sound.ts')>();
	return {
		createAppSystemSound: (...parts: Parameters<typeof createAppSystemSound>) => ({
			...createAppSystemSound(...parts),
			clean: async () => void did.push('volumes given back'),
		}),
	};
});
vi.mock('#main/app/app-routing.ts', async (original) => {
	const { createAppRouting } = await original<typeof import('#main/app/app-routing.ts')>();
	return {
		createAppRouting: (...parts: Parameters<typeof createAppRouting>) => ({
			...createAppRouting(...parts),
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

test('what a crash has left in the sound of this computer is cleared once the page can be used, and once only', async () => {
	expect(did).toEqual([]);
	await shell.ask('app.usable');
	await shell.ask('app.usable');
	shell.clock.advance(5000);
	expect(did).toEqual(['microphones removed', 'volumes given back']);
});
