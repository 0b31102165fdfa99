import { describe, expect, it } from 'vitest';
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
				await pulse.stop();
			}
		}, 90_000);
	},
);
