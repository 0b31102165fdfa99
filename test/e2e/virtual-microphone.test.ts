import { describe, expect, it } from 'vitest';
import { readProcesses } from '#main/calls/virtual-microphone.ts';
import { button, openSettings, until } from '#test/support/app-steps.ts';
import { launch } from '#test/support/launch.ts';
import { notRun } from '#test/support/not-run.ts';
import { startPulse } from '#test/support/pulse.ts';

/*
 * A real sound server, real devices in the window, a real tone between them; failures are made with the
 * server's own tool, as a person would make them by accident.
 */

const pulse = await startPulse();

describe.skipIf('missing' in pulse && notRun('the virtual microphone', pulse.missing))(
	'the virtual microphone',
	() => {
		if ('missing' in pulse) return;
		const { pactl } = pulse;
		const ours = async () =>
			(await pactl('list', 'short', 'modules')).split('\n').filter((line) => line.includes('dragoman.'));

		it('clears up after a crash, is made, proven with a tone, found out when muted, set right, and gone after the end', async () => {
			// What a program that crashed has left.
			const place = readProcesses()?.self.place;
			await pactl('load-module', 'module-null-sink', `sink_name=dragoman.${place}.4194303.1.voice`);
			const app = await launch({
				env: pulse.env,
				headless: false,
				// Without the invented devices that a window without a person usually has.
				args: ['--headless', '--use-fake-ui-for-media-stream'],
				settings: { version: 1, service: 'sandbox' },
				probe: false,
			});
			const { page } = app;
			const outcome = page.locator('[role=status][data-passed]');
			try {
				await openSettings(page, 'Sound');
				await button(page, 'Create the virtual microphone').click();

				await page.getByText('Dragoman microphone', { exact: true }).waitFor();
				expect(await ours()).toHaveLength(2);

				await button(page, 'Test the virtual microphone').click();
				await page.locator('[data-passed=true]').waitFor({ timeout: 20_000 });
				expect(await outcome.textContent()).toMatch(/^It works: the tone arrived after/);

				const names = await pactl('list', 'short', 'sources');
				const microphone = /\t(dragoman\.\S+\.microphone)\t/.exec(names)?.[1] ?? '';
				await pactl('set-source-mute', microphone, '1');
				await button(page, 'Test the virtual microphone').click();
				await page.locator('[data-passed=false]').waitFor({ timeout: 20_000 });
				expect(await outcome.textContent()).toContain('only silence');
				await page.locator('[data-step=hear][data-state=failed]').waitFor();

				await button(page, 'Repair it').click();
				await until('it is unmuted', async () => (await pactl('get-source-mute', microphone)).includes('no'));
				await button(page, 'Test the virtual microphone').click();
				await page.locator('[data-passed=true]').waitFor({ timeout: 20_000 });
			} finally {
				await app.close();
				expect(await ours()).toEqual([]);
				await pulse.stop();
			}
		}, 90_000);
	},
);
