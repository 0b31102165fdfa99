import { afterAll, describe, expect, it } from 'vitest';
import { button, captionsRegion, longMicrophone, until, untilPhase } from '#test/support/app-steps.ts';
import { launch } from '#test/support/launch.ts';
import { notRun } from '#test/support/not-run.ts';
import { loudSeconds, startPulse } from '#test/support/pulse.ts';

/*
 * "What did they say?", measured at a loudspeaker, with the conversation paused so that nothing else is heard. `meeting.test.ts` does the
 * same in rooms.
 */

const pulse = await startPulse();

describe.skipIf('missing' in pulse && notRun('hearing it again', pulse.missing))(
	'a sentence is heard again',
	() => {
		if ('missing' in pulse) return;
		const server = pulse;
		afterAll(() => server.stop());

		it('by key and from its row, over WebSocket', async () => {
			const app = await launch({
				env: server.env,
				microphone: longMicrophone(),
				settings: {
					version: 1,
					service: 'sandbox',
					interfaceLanguage: 'en',
					transport: 'websocket',
					warmIdleS: 0,
				},
				probe: false,
			});
			const { page } = app;
			/** Seconds of sound at the loudspeaker from now on. */
			async function heardWhile(press: () => Promise<void>): Promise<number> {
				const ear = server.listen();
				await press();
				await page.getByText('Playing it again. The live voice waits.').waitFor();
				await page
					.getByText('Playing it again. The live voice waits.')
					.waitFor({ state: 'detached', timeout: 30_000 });
				return loudSeconds(await ear.stop());
			}
			async function untilSilence(): Promise<void> {
				await until(
					'the voice has ended',
					async () => {
						const ear = server.listen();
						await until('two seconds are recorded', () => ear.soFar().length > 96_000);
						return loudSeconds(await ear.stop()) === 0;
					},
					40_000,
				);
			}
			try {
				await button(page, 'Start').click();
				await untilPhase(page, 'Live');
				const again = captionsRegion(page).getByRole('button', { name: 'Replay this' });
				await until('two sentences were heard', async () => (await again.count()) >= 2, 60_000);
				await button(page, 'Pause').click();
				await button(page, 'Resume').waitFor();
				await untilSilence();

				expect(await heardWhile(() => page.keyboard.press('r'))).toBeGreaterThan(0.5);
				expect(await heardWhile(() => again.first().click({ force: true }))).toBeGreaterThan(0.5);
				await untilSilence();
			} finally {
				await app.close();
			}
		}, 180_000);
	},
);
