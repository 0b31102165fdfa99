import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { afterEach, expect, test } from 'vitest';
import { phrases } from '#sandbox/canned/phrases.ts';
import { startSandbox } from '#sandbox/sandbox.ts';
import type { HostBridge } from '#shared/host/contract.ts';
import { button, longMicrophone, until, untilCaptions, untilPhase } from '#test/support/app-steps.ts';
import { filesHolding, holds, watchTree } from '#test/support/canary.ts';
import { e2eHost, launch, mayAskWithToken } from '#test/support/launch.ts';
import { notRun } from '#test/support/not-run.ts';
import { writeSample } from '#test/support/voices.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
	for (const close of closing.splice(0).reverse()) await close();
});

/** Not shaped like a key, so that nothing finds it by its looks; each way to write it down changes some of it. */
const KEY = 'Canary9/Slate=Harbour~Mild&Fog';
/** With it the sandbox closes the first socket two seconds into the conversation. */
const GIVEN = `${KEY}+close-1011:1`;

/** Everything the page can be made to give: its heap, what it stores, and what it shows. */
async function contentsOf(page: Page): Promise<string> {
	const session = await page.context().newCDPSession(page);
	const pieces: string[] = [];
	session.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => pieces.push(chunk));
	await session.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
	await session.detach();
	const stored = await page.evaluate(async () =>
		JSON.stringify([
			{ ...localStorage },
			{ ...sessionStorage },
			document.cookie,
			await indexedDB.databases(),
			await caches.keys().catch(() => []),
			document.documentElement.outerHTML,
		]),
	);
	return pieces.join('') + stored;
}

const why =
	process.platform !== 'linux' ? 'needs /proc' : e2eHost === 'electron' ? 'loads a bug with --import' : null;

test.skipIf(why && notRun('the search for the key in the running app', why))(
	'a key is in no log, report, file, title, process or page of a conversation over WebSocket, whatever goes wrong',
	async () => {
		const sandbox = await startSandbox({ key: KEY });
		const folder = mkdtempSync(join(tmpdir(), 'dragoman-key-'));
		const userData = join(folder, 'data');
		const trap = join(mkdtempSync(join(tmpdir(), 'dragoman-trap-')), 'message.txt');
		writeFileSync(trap, `a bug that quotes ${GIVEN} and wss://host/?q=${encodeURIComponent(GIVEN)}`);
		closing.push(
			() => sandbox.close(),
			() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }),
			() => rmSync(join(trap, '..'), { recursive: true, force: true }),
		);
		const { api, s2s } = sandbox.addresses;
		mkdirSync(userData);
		const app = await launch({
			microphone: longMicrophone(),
			userData,
			settings: { interfaceLanguage: 'en', transport: 'websocket', warmIdleS: 0, logLevel: 'debug' },
			env: {
				DRAGOMAN_API_URL: api,
				DRAGOMAN_S2S_URL: s2s,
				DRAGOMAN_API_KEY: GIVEN,
				DRAGOMAN_VOICE_TOKEN: `${KEY}Voice`,
				DRAGOMAN_SAVE_FOLDER: join(folder, 'saved'),
				FAIL_WITH: trap,
				NODE_OPTIONS: `--import=${resolve('test/support/failing-child.ts')} --report-uncaught-exception --report-directory=${folder}`,
			},
		});
		closing.push(() => app.kill('SIGKILL'));
		const tree = watchTree(app.main.pid ?? 0, 500);
		const { page } = app;

		// The socket is closed on purpose, and made again.
		await untilPhase(page, 'Ready');
		await button(page, 'Start').click();
		await until('the lost socket', () => app.log().includes('speech socket lost'), 60_000);
		await untilCaptions(page, [phrases[1]?.text.es ?? '']);
		await button(page, 'Stop').click();
		await button(page, 'Start').waitFor({ timeout: 45_000 });

		// Then the key is refused, in both ways of sending it.
		mayAskWithToken();
		sandbox.setFault('upgrade-403', true);
		await button(page, 'Start').click();
		await page.getByRole('alert').first().waitFor();
		const report = await page.evaluate(() =>
			(window as unknown as { dragoman: HostBridge }).dragoman.ask('diagnostics.report', undefined),
		);
		expect(JSON.stringify(report)).toContain('socket not opened');
		expect(holds(JSON.stringify(report), KEY)).toBe(false);
		expect(holds(await contentsOf(page), KEY)).toBe(false);

		// Last, a bug that quotes the key.
		app.main.kill('SIGUSR2');
		expect(await app.exited).toBe(1);
		const seen = tree.stop();
		expect(app.log()).toContain('a bug that quotes');
		expect(holds(app.output(), KEY)).toBe(false);
		expect(filesHolding([folder], KEY)).toEqual([]);
		expect(seen.filter((one) => holds(one.commandLine + one.title, KEY))).toEqual([]);
		const others = seen.filter(({ pid }) => pid !== app.main.pid);
		expect(others.length).toBeGreaterThan(2);
		expect(others.filter((one) => holds(one.environment, KEY)).map(({ program }) => program)).toEqual([]);
	},
	180_000,
);

const formats = ['srt', 'vtt', 'txt', 'md', 'html', 'docx', 'csv', 'json'];

test.skipIf(why)(
	'a key is in nothing that a conversation over WebRTC, a voice of one’s own, an export or a report leaves behind',
	async () => {
		const sandbox = await startSandbox({ key: KEY });
		const folder = mkdtempSync(join(tmpdir(), 'dragoman-key-'));
		const [userData, saved] = [join(folder, 'data'), join(folder, 'saved')];
		for (const made of [userData, saved]) mkdirSync(made);
		closing.push(
			() => sandbox.close(),
			() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }),
		);
		const app = await launch({
			microphone: longMicrophone(),
			userData,
			settings: { interfaceLanguage: 'en', warmIdleS: 0, logLevel: 'debug', history: 'keep' },
			env: {
				DRAGOMAN_API_URL: sandbox.addresses.api,
				// The first session fails at the service, the first upload at its end.
				DRAGOMAN_API_KEY: `${KEY}+500@create:1+upload-500:1`,
				DRAGOMAN_SAVE_FOLDER: saved,
				DRAGOMAN_OPEN_FILE: writeSample(folder),
			},
		});
		closing.push(() => app.kill('SIGKILL'));
		const { page } = app;
		await untilPhase(page, 'Ready');
		await button(page, 'Start').click();
		await untilCaptions(page, [phrases[0]?.text.es ?? '']);
		await button(page, 'Stop').click();
		await button(page, 'Stop now').click();
		await button(page, 'Start').waitFor({ timeout: 45_000 });

		await button(page, 'Voices').click();
		await button(page, 'Make a voice').click();
		await page.getByLabel('Name', { exact: true }).fill('Harbour');
		await page.getByText('Choose a file', { exact: true }).click();
		await button(page, 'Choose an audio or video file…').click();
		await page.getByText('me.wav').waitFor();
		await page.getByText('The voice in this sample is mine').click();
		await button(page, 'Make the voice').click();
		const made = page.getByRole('listitem').filter({ hasText: 'Harbour' });
		await made.getByText(/^(Ready|Failed)$/).waitFor({ timeout: 60_000 });
		await button(page, 'Back').click();

		await button(page, 'History').click();
		await page.getByRole('button', { name: /^Open / }).click();
		await button(page, 'Export').click();
		const dialog = page.getByRole('dialog');
		// While a file is written it has another name.
		const whole = () => readdirSync(saved).filter((name) => !name.endsWith('.part'));
		for (const [at] of formats.entries()) {
			await dialog.getByRole('button', { name: /Format/ }).click();
			await page.getByRole('option').nth(at).click();
			await dialog.getByRole('button', { name: 'Save captions' }).click();
			await until('it is saved', () => whole().length > at);
		}
		expect(
			whole()
				.map((name) => name.split('.').at(-1))
				.sort(),
		).toEqual([...formats].sort());
		await dialog.getByRole('button', { name: 'Close' }).first().click();

		const ask = (name: string) =>
			page.evaluate(
				(called) => (window as unknown as { dragoman: HostBridge }).dragoman.ask(called, undefined),
				name,
			);
		const answers = [await ask('diagnosis.run'), await ask('diagnostics.report'), await ask('account.read')];
		expect(JSON.stringify(answers)).toContain('voice sample sent');
		expect(holds(JSON.stringify(answers), KEY)).toBe(false);
		const contents = await contentsOf(page);
		// This must be found: it proves that the search covers the contents.
		expect(contents).toContain('Harbour');
		expect(holds(contents, KEY)).toBe(false);

		// A page that dies leaves no picture of itself with a key in it.
		const cdp = await page.context().newCDPSession(page);
		cdp.send('Page.crash').catch(() => {});
		await until('the death is in the log', () => app.log().includes('window died'));
		expect(await app.close()).toBe(143);
		expect(filesHolding([folder], KEY)).toEqual([]);
	},
	240_000,
);

test.skipIf(why)(
	'the secret of a LiveKit deployment reaches the sandbox, and no browser',
	async () => {
		const app = await launch({
			settings: { interfaceLanguage: 'en', service: 'sandbox' },
			env: { LIVEKIT_URL: 'ws://127.0.0.1:9', LIVEKIT_API_KEY: 'some', LIVEKIT_API_SECRET: KEY },
			probe: false,
		});
		closing.push(() => app.kill('SIGKILL'));
		await untilPhase(app.page, 'Ready');
		const seen = watchTree(app.main.pid ?? 0).stop();
		const others = seen.filter(({ pid }) => pid !== app.main.pid);
		const knowing = others.filter((one) => holds(one.environment, KEY));
		expect(knowing.map(({ commandLine }) => /[^/]*\.js/.exec(commandLine)?.[0])).toEqual(['sandbox.js']);
		expect(others.length).toBeGreaterThan(2);
	},
	90_000,
);
