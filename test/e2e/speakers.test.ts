import { afterAll, describe, expect, it } from 'vitest';
import { button, longMicrophone, until, untilPhase } from '#test/support/app-steps.ts';
import { launch } from '#test/support/launch.ts';
import { notRun } from '#test/support/not-run.ts';
import { loudSeconds, startPulse } from '#test/support/pulse.ts';

/*
 * A hook inside the page cannot see a wrong output device or a muted element. Here a sound server of
 * the test's own is the loudspeaker, and what it played is measured.
 */

const pulse = await startPulse();

describe.skipIf('missing' in pulse && notRun('sound at the loudspeakers', pulse.missing))(
	'the loudspeakers',
	() => {
		if ('missing' in pulse) return;
		afterAll(() => pulse.stop());

		it('play the translated voice, and nothing before Start or after Stop now', async () => {
			const app = await launch({
				env: pulse.env,
				microphone: longMicrophone(),
				settings: { version: 1, service: 'sandbox' },
				probe: false,
			});
			try {
				const before = pulse.listen();
				await button(app.page, 'Start').waitFor();
				expect(loudSeconds(await before.stop())).toBe(0);

				const live = pulse.listen();
				await button(app.page, 'Start').click();
				await untilPhase(app.page, 'Live');
				await until('a second of the voice is heard', () => loudSeconds(live.soFar()) > 1, 30_000);
				await live.stop();

				await button(app.page, 'Stop').click();
				const stopNow = button(app.page, 'Stop now');
				if (await stopNow.isVisible()) await stopNow.click();
				await button(app.page, 'Start').waitFor();
				const after = pulse.listen();
				await until('two seconds are recorded', () => after.soFar().length > 96_000);
				expect(loudSeconds(await after.stop())).toBe(0);
			} finally {
				await app.close();
			}
		}, 90_000);

		it('play who tests the microphone back, after five seconds in which they are silent, and no session is made', async () => {
			const app = await launch({
				env: pulse.env,
				microphone: longMicrophone(),
				settings: { version: 1, service: 'sandbox', interfaceLanguage: 'en' },
				probe: false,
			});
			const { page } = app;
			try {
				await button(page, 'Sound and pace').click();
				const recording = pulse.listen();
				await button(page, 'Test the microphone').click();
				await page.getByText('This is how you sound').waitFor({ timeout: 20_000 });
				const playing = pulse.listen();
				expect(loudSeconds(await recording.stop())).toBeLessThan(0.5);
				await page.getByText('You can be heard well.').waitFor({ timeout: 20_000 });
				expect(loudSeconds(await playing.stop())).toBeGreaterThan(1);
				expect(app.log()).not.toContain('session opened');
			} finally {
				await app.close();
			}
		}, 60_000);
	},
);
