import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { vi } from 'vitest';
import { openStartRecord } from '#main/app/lifecycle.ts';
import { ASK } from '#shared/host/names.ts';
import { createManualClock, type ManualClock } from './manual-clock.ts';
import { type RecordedWindow, recordedElectron } from './recorded-electron.ts';

export interface StartedShell {
	/** The window of the app, and the captions over other windows. */
	readonly windows: readonly [main: RecordedWindow, overlay: RecordedWindow];
	readonly userData: string;
	/** Main's time. */
	readonly clock: ManualClock;
	/** Asks as the page of a window would; `sender` replaces what Electron says of it. Rejects when there is no answer. */
	ask(name: string, input?: unknown, sender?: Readonly<Record<string, unknown>>): Promise<unknown>;
	/** Asks the app's own scheme, as a page does. */
	get(address: string, init?: RequestInit): Promise<Response>;
	/** Removes what was made. */
	end(): void;
}

/**
 * The whole app as `startShell` puts it together, on the recorded Electron, with the captions over other windows
 * open, set to the public service without a key; its pages are stubs. `start` is a parameter, because Electron must be
 * replaced before it is imported.
 */
export async function startRecorded(
	start: typeof import('#main/electron/shell.ts').startShell,
	env: NodeJS.ProcessEnv = {},
	clock: ManualClock = createManualClock(),
): Promise<StartedShell> {
	const before = new Map(process.eventNames().map((name) => [name, process.listeners(name as 'exit')]));
	const root = mkdtempSync(join(tmpdir(), 'dragoman-shell-'));
	const userData = join(root, 'data');
	for (const folder of [userData, join(root, 'built/renderer/overlay')])
		mkdirSync(folder, { recursive: true });
	for (const page of ['index.html', 'overlay/index.html'])
		writeFileSync(join(root, 'built/renderer', page), `<!doctype html><title>${page}</title>`);
	writeFileSync(
		join(userData, 'settings.json'),
		JSON.stringify({ service: 'service', overlay: { shown: true } }),
	);
	await start({
		options: {},
		env,
		folders: { userData, source: '', logs: join(userData, 'logs'), refusal: null },
		clock,
		built: join(root, 'built'),
		starts: openStartRecord(userData, () => 0),
		safeAsked: false,
	});
	const [main, overlay] = recordedElectron.windows;
	if (!main || !overlay) throw new Error('the app opened no windows');

	return {
		windows: [main, overlay],
		userData,
		clock,
		async ask(name, input, sender = {}) {
			const handler = recordedElectron.ipc.get(ASK) as (...args: unknown[]) => unknown;
			const frame = { url: main.webContents.getURL(), parent: null };
			return handler({ sender: main.webContents, senderFrame: frame, ...sender }, name, input);
		},
		async get(address, init) {
			const [scheme, handler] = recordedElectron.sessions.get('')?.given.get('protocol.handle') ?? [];
			if (scheme !== 'app') throw new Error(`served is ${scheme}`);
			return (handler as (request: Request) => Promise<Response>)(new Request(address, init));
		},
		end() {
			// The app listens for the end of the process, which here is the test runner's.
			for (const name of process.eventNames())
				for (const listener of process.listeners(name as 'exit'))
					if (!before.get(name)?.includes(listener)) process.removeListener(name, listener);
			rmSync(root, { recursive: true, force: true });
		},
	};
}

/** Runs the preload on a fake window. Resolves to a list of what it posts there, all arguments of each call. */
export async function startPreload(): Promise<readonly unknown[][]> {
	const posted: unknown[][] = [];
	vi.stubGlobal('window', {
		location: { origin: 'app://dragoman' },
		postMessage: (...args: unknown[]) => posted.push(args),
	});
	// Imported by its file, because it belongs to another TypeScript project.
	const preload = resolve('src/preload/index.ts');
	await import(preload);
	return posted;
}
