import { afterAll, afterEach, expect, test } from 'vitest';
import { startSandbox } from '#sandbox/sandbox.ts';
import { button, until, untilPhase } from '#test/support/app-steps.ts';
import { type Launched, launch } from '#test/support/launch.ts';

const sandbox = await startSandbox();
let app: Launched | null = null;

afterAll(() => sandbox.close());
afterEach(async () => {
	await app?.kill('SIGKILL');
	app = null;
});

test('a rehearsal goes the whole way and leaves no session; so does a look at everything', async () => {
	const done = ['account', 'microphone', 'output', 'languages'];
	app = await launch({
		service: sandbox,
		settings: {
			version: 1,
			interfaceLanguage: 'en',
			speak: 'en',
			hear: ['es'],
			voiceOf: 'es',
			warmIdleS: 0,
			setup: { offered: true, done },
		},
	});
	const { page } = app;
	await untilPhase(page, 'Ready');
	await button(page, 'Continue').click();
	await button(page, 'Start the rehearsal').click();
	const way = page.getByRole('list', { name: 'Steps of the rehearsal' });
	const passed = page.getByText(/first word heard: /).waitFor({ timeout: 30_000 });
	await passed.catch(async () => expect.fail((await way.textContent()) ?? 'no list'));
	await until('no session is left', () => sandbox.openSessions().length === 0);
	expect(await page.locator('[data-rehearsed="true"]').count()).toBe(5);

	await button(page, 'Finish').click();
	await button(page, 'Settings').click();
	await button(page, 'Open diagnostics').click();
	await page.locator('[data-check="media"][data-state="ok"]').waitFor({ timeout: 30_000 });
	await page.locator('[data-check="room"][data-state="ok"]').waitFor();
	await until('no session is left', () => sandbox.openSessions().length === 0);
	expect(await page.locator('[data-check="media"]').textContent()).toContain('UDP');
});
