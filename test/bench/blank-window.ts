import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';

/** A blank window on the stand-in's shell, with which start-up time, idle cost and memory are compared. */
interface Blank {
	readonly page: Page;
	readonly pid: number;
	close(): Promise<void>;
}

const LIMIT_MS = 60_000;
const REGISTER = new URL('../../src/stand-in/register.ts', import.meta.url).href;

/** Starts the program with the blank window in the same way as the app. The caller closes it. */
export async function startBlank(): Promise<Blank> {
	const profile = mkdtempSync(join(tmpdir(), 'dragoman-blank-'));
	const child = spawn(
		process.execPath,
		[
			'--import',
			REGISTER,
			join(import.meta.dirname, 'blank-app.ts'),
			'--headless',
			'--remote-debugging-port=0',
			'--window-size=1000,760',
			'--use-fake-device-for-media-stream',
			'--use-fake-ui-for-media-stream',
		],
		{
			// Without a profile of its own the stand-in would create one in the working directory.
			cwd: profile,
			stdio: ['ignore', 'pipe', 'pipe'],
			env: { ...process.env, DRAGOMAN_USER_DATA: profile },
		},
	);
	const ended = new Promise<void>((done) => child.once('exit', () => done()));
	async function close(): Promise<void> {
		const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
		child.kill('SIGTERM');
		await ended;
		clearTimeout(timer);
		rmSync(profile, { recursive: true, force: true, maxRetries: 3 });
	}
	try {
		let output = '';
		const address = await new Promise<string>((done, fail) => {
			const timer = setTimeout(() => fail(new Error(`the blank window did not open:\n${output}`)), LIMIT_MS);
			void ended.then(() => fail(new Error(`the blank window ended:\n${output}`)));
			for (const stream of [child.stdout, child.stderr]) {
				stream.setEncoding('utf8').on('data', (chunk: string) => {
					output += chunk;
					const found = /DevTools listening on (ws:\S+)/.exec(output)?.[1];
					if (!found) return;
					clearTimeout(timer);
					done(found);
				});
			}
		});
		const browser = await chromium.connectOverCDP(address);
		const limit = AbortSignal.timeout(LIMIT_MS);
		for (;;) {
			for (const page of browser.contexts().flatMap((context) => context.pages())) {
				const shown = await page.evaluate(() => document.querySelector('button') !== null).catch(() => false);
				if (shown) return { page, pid: child.pid ?? 0, close };
			}
			if (limit.aborted) throw new Error(`no blank page:\n${output}`);
			await new Promise((done) => setTimeout(done, 20));
		}
	} catch (failure) {
		await close();
		throw failure;
	}
}
