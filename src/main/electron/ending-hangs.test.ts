import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
	recordedElectron as electron,
	type StartedShell,
	startRecorded,
} from '#test/support/recorded-electron.ts';

/** The part that never ends by itself, and the parts that were ended. */
const at = vi.hoisted(() => ({ hangs: '', did: [] as string[] }));
const orNever = vi.hoisted(
	() => (name: string, end: () => Promise<void>) => () =>
		at.hangs === name ? new Promise<void>(() => {}) : end(),
);
vi.mock('electron', async () => (await import('#test/support/recorded-electron.ts')).recordedElectron.module);
vi.mock('#main/diagnosis/diagnosis.ts', async (original) => {
	const real = await original<typeof import('#main/diagnosis/diagnosis.ts')>();
	const { createDiagnosis } = real;
	return {
		...real,
		createDiagnosis(...parts: Parameters<typeof createDiagnosis>) {
			const made = createDiagnosis(...parts);
			return { ...made, close: orNever('a look at everything', made.close) };
		},
	};
});
vi.mock('#main/streaming/streams.ts', async (original) => {
	const real = await original<typeof import('#main/streaming/streams.ts')>();
	const { createStreams } = real;
	return {
		...real,
		createStreams(...parts: Parameters<typeof createStreams>) {
			const made = createStreams(...parts);
			return { ...made, closeAll: orNever('a socket', made.closeAll) };
		},
	};
});
vi.mock('#main/calls/routing.ts', async (original) => {
	const real = await original<typeof import('#main/calls/routing.ts')>();
	const { createRouting } = real;
	return {
		...real,
		createRouting(...parts: Parameters<typeof createRouting>) {
			const made = createRouting(...parts);
			return {
				...made,
				close() {
					at.did.push('microphone removed');
					return made.close();
				},
			};
		},
	};
});
const { startShell } = await import('./shell.ts');

// A busy machine takes its time.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let shell: StartedShell;
beforeEach(async () => {
	at.did.length = 0;
	electron.calls.length = 0;
	electron.windows.length = 0;
	electron.app.removeAllListeners();
	electron.power.removeAllListeners();
	shell = await startRecorded(startShell);
});
afterEach(() => shell.end());

/** Bytes of the history and of the files beside it. */
const kept = () =>
	Buffer.concat(
		readdirSync(shell.userData)
			.filter((name) => name.startsWith('history.sqlite'))
			.map((name) => readFileSync(join(shell.userData, name))),
	);

test.each(['a look at everything', 'a socket'])(
	'while %s does not end, what nobody chose to keep is erased all the same, and the microphone is removed',
	async (what) => {
		at.hangs = what;
		const begun = await shell.ask('history.begin', { mode: 'solo', agoMs: 0 });
		const { id } = (begun as { readonly value: { readonly id: string } }).value;
		const place = { row: 'r', part: '0', startMs: 0, endMs: 1, final: true, mark: '' };
		const caption = { ...place, key: 'k', kind: 'source', language: 'en', text: 'Nobody kept this' };
		await shell.ask('history.append', { id, captions: [caption] });
		await shell.ask('history.end', { id });
		expect(kept().includes('Nobody kept this')).toBe(true);
		electron.app.emit('before-quit', { preventDefault() {} });
		await shell.ask('app.close-ready');
		const exits = () => {
			shell.clock.advance(100);
			return electron.called('app.exit').length;
		};
		await expect.poll(exits, { timeout: 20_000 }).toBe(1);
		expect([kept().includes('Nobody kept this'), at.did]).toEqual([false, ['microphone removed']]);
	},
);
