import { afterEach, expect, test, vi } from 'vitest';
import {
	recordedElectron as electron,
	type StartedShell,
	startRecorded,
} from '#test/support/recorded-electron.ts';

/** Which of them takes some time to close, and whether it has. */
const at = vi.hoisted(() => ({ slow: '', isClosed: false }));
const slowly = vi.hoisted(() => async (name: string, close: () => Promise<void>): Promise<void> => {
	await close();
	if (at.slow !== name) return;
	await new Promise((done) => setTimeout(done, 300));
	at.isClosed = true;
});
const slow = vi.hoisted(
	() =>
		<Made extends { close(): Promise<void> }>(name: string, made: Made): Made => ({
			...made,
			close: () => slowly(name, made.close),
		}),
);
vi.mock('electron', async () => (await import('#test/support/recorded-electron.ts')).recordedElectron.module);
vi.mock('#main/calls/system-sound.ts', async (original) => {
	const real = await original<typeof import('#main/calls/system-sound.ts')>();
	const { createSystemSound } = real;
	return {
		...real,
		createSystemSound: (...parts: Parameters<typeof createSystemSound>) =>
			slow('system sound', createSystemSound(...parts)),
	};
});
vi.mock('#main/calls/routing.ts', async (original) => {
	const real = await original<typeof import('#main/calls/routing.ts')>();
	const { createRouting } = real;
	return {
		...real,
		createRouting: (...parts: Parameters<typeof createRouting>) => slow('routing', createRouting(...parts)),
	};
});
vi.mock('#main/guests/guests.ts', async (original) => {
	const { createGuests } = await original<typeof import('#main/guests/guests.ts')>();
	return {
		createGuests: (...parts: Parameters<typeof createGuests>) => slow('guests', createGuests(...parts)),
	};
});
vi.mock('#main/voices/cloned-voices.ts', async (original) => {
	const real = await original<typeof import('#main/voices/cloned-voices.ts')>();
	const { createClonedVoices } = real;
	return {
		...real,
		createClonedVoices: (...parts: Parameters<typeof createClonedVoices>) =>
			slow('voices', createClonedVoices(...parts)),
	};
});
vi.mock('#main/recording/recording.ts', async (original) => {
	const { createRecordings } = await original<typeof import('#main/recording/recording.ts')>();
	return {
		createRecordings(...parts: Parameters<typeof createRecordings>) {
			const made = createRecordings(...parts);
			return { ...made, closeAll: () => slowly('recordings', made.closeAll) };
		},
	};
});
const { startShell } = await import('./shell.ts');

// A busy machine takes its time.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let shell: StartedShell;
afterEach(() => shell.end());

test.each([
	['others are as loud as they were', 'system sound'],
	['its microphone is gone', 'routing'],
	['its guests are told', 'guests'],
	['what was recorded of a voice is erased', 'voices'],
	['its recordings are whole', 'recordings'],
] as const)('the program does not end before %s', async (_, name) => {
	Object.assign(at, { slow: name, isClosed: false });
	electron.calls.length = 0;
	electron.windows.length = 0;
	electron.app.removeAllListeners();
	shell = await startRecorded(startShell);
	electron.app.emit('before-quit', { preventDefault() {} });
	await shell.ask('app.close-ready');
	let wasClosed: boolean | null = null;
	const seen = () => {
		if (electron.called('app.exit').length > 0) wasClosed ??= at.isClosed;
		return wasClosed;
	};
	await expect.poll(seen, { timeout: 20_000, interval: 5 }).not.toBeNull();
	expect(wasClosed).toBe(true);
});
