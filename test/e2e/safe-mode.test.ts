import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Launched, launch } from '#test/support/launch.ts';

const MINE = { version: 1, service: 'sandbox', interfaceLanguage: 'en', theme: 'dark', mode: 'meeting' };
const SAFE = /Safe mode: the captions window, graphics acceleration, recording/;

let userData = '';
let app: Launched | undefined;
beforeEach(() => {
	userData = mkdtempSync(join(tmpdir(), 'dragoman-safe-'));
	writeFileSync(join(userData, 'settings.json'), JSON.stringify(MINE));
});
afterEach(async () => {
	await app?.close();
	rmSync(userData, { recursive: true, force: true, maxRetries: 3 });
});

const record = () => join(userData, 'start.json');
const settings = () => JSON.parse(readFileSync(join(userData, 'settings.json'), 'utf8'));
const open = (options: Parameters<typeof launch>[0] = {}) => launch({ userData, probe: false, ...options });
const questionsOf = ({ output }: Launched) =>
	output().split('asked: Dragoman failed to start twice').length - 1;

test('--safe-mode: the window says so and what is off; settings are set aside, and back at the next start', async () => {
	app = await open({ args: ['--safe-mode'] });
	await app.page.getByText(SAFE).waitFor();
	await app.page.getByRole('button', { name: 'Restart normally' }).waitFor();
	expect(await app.page.getByRole('button', { name: 'Record', exact: true }).count()).toBe(0);
	expect(app.log()).toMatch(/started.*safe/);
	await app.page.evaluate(() =>
		(window as unknown as { dragoman: { ask(name: string, input: unknown): Promise<unknown> } }).dragoman.ask(
			'settings.write',
			{ theme: 'light' },
		),
	);
	await app.close();
	expect(settings()).toEqual(MINE);
	app = await open();
	await app.page.getByRole('button', { name: 'Start', exact: true }).waitFor();
	expect(await app.page.getByText(SAFE).count()).toBe(0);
});

test('after one start that came to nothing nobody is asked; a page that can be used clears the count', async () => {
	writeFileSync(record(), '{"failed":1}');
	app = await open({ env: { DRAGOMAN_ANSWER: 'Start in safe mode' } });
	await app.page.getByRole('button', { name: 'Start', exact: true }).waitFor();
	await expect.poll(() => existsSync(record())).toBe(false);
	expect(questionsOf(app)).toBe(0);
	expect(await app.page.getByText(SAFE).count()).toBe(0);
});

test('after two, safe mode is offered; who takes it gets it, who does not starts as usual', async () => {
	writeFileSync(record(), '{"failed":2}');
	app = await open({ env: { DRAGOMAN_ANSWER: 'Start in safe mode' } });
	await app.page.getByText(SAFE).waitFor();
	expect(questionsOf(app)).toBe(1);
	await app.page.getByRole('button', { name: 'Start', exact: true }).waitFor();
	await expect.poll(() => existsSync(record())).toBe(false);
	await app.close();
	writeFileSync(record(), '{"failed":2}');
	app = await open({ env: { DRAGOMAN_ANSWER: 'Start normally' } });
	expect(questionsOf(app)).toBe(1);
	await app.page.getByRole('button', { name: 'Start', exact: true }).waitFor();
	await expect.poll(() => existsSync(record())).toBe(false);
	expect(await app.page.getByText(SAFE).count()).toBe(0);
});

test.skipIf(process.platform !== 'linux')(
	'Restart normally ends this program and starts another, without safe mode and without asking',
	async () => {
		app = await open({ args: ['--safe-mode'] });
		await app.page.getByRole('button', { name: 'Restart normally' }).click();
		expect(await app.exited).toBe(0);
		const next = () => readdirSync('/proc').filter((pid) => isMainOf(userData, pid));
		await expect.poll(next, { timeout: 20_000 }).toHaveLength(1);
		const [pid = ''] = next();
		try {
			expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).not.toContain('--safe-mode');
			// A line of each program.
			await expect.poll(() => app?.log().match(/\bstarted\b/g), { timeout: 20_000 }).toHaveLength(2);
			await expect.poll(() => app?.log().match(/\bsafe\b/g)).toHaveLength(1);
		} finally {
			process.kill(Number(pid), 'SIGTERM');
			await expect.poll(next, { timeout: 20_000 }).toEqual([]);
		}
	},
);

/** The program itself on this folder; those it starts do not have the variable, or are of another kind. */
function isMainOf(folder: string, pid: string): boolean {
	if (!/^\d+$/.test(pid)) return false;
	try {
		const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
		const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
		return (
			environment.includes(`DRAGOMAN_USER_DATA=${folder}`) &&
			!command.includes('--type=') &&
			/stand-in\/start|electron/.test(command)
		);
	} catch {
		return false;
	}
}
