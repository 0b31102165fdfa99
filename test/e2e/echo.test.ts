import { type ChildProcess, spawn } from 'node:child_process';
import { afterAll, describe, expect, it } from 'vitest';
import { startSandbox } from '#sandbox/sandbox.ts';
import { button, longMicrophone, until, untilPhase } from '#test/support/app-steps.ts';
import { launch } from '#test/support/launch.ts';
import { notRun } from '#test/support/not-run.ts';
import { loudSeconds, type Pulse, startPulse } from '#test/support/pulse.ts';

/*
 * A real loop: the microphone hears what the loudspeakers play, nothing else, and the sandbox gives back whatever it
 * hears. Without the guard, one sentence would go round for ever.
 */

const pulse = await startPulse();
const RATE = 48_000;

describe.skipIf('missing' in pulse && notRun('a loop of loudspeaker and microphone', pulse.missing))(
	'a microphone that hears the loudspeakers',
	() => {
		if ('missing' in pulse) return;
		const sound = pulse.env;
		const programs: ChildProcess[] = [];
		afterAll(async () => {
			for (const program of programs) program.kill('SIGKILL');
			await pulse.stop();
		});

		/** Somebody in the room says four seconds, and no more. */
		async function speak(room: ReturnType<Pulse['listen']>): Promise<void> {
			const speaker = spawn('paplay', [longMicrophone()], {
				env: { ...process.env, ...sound },
				stdio: 'ignore',
			});
			programs.push(speaker);
			await until('somebody has spoken for four seconds', () => loudSeconds(room.soFar()) > 4, 20_000);
			speaker.kill();
		}

		it('does not translate the translation for ever: it is said, and the microphone is off while the voice speaks', async () => {
			const sandbox = await startSandbox({ interpreter: 'echo' });
			await pulse.pactl('load-module', 'module-remap-source', 'source_name=room', 'master=speakers.monitor');
			await pulse.pactl('set-default-source', 'room');
			const app = await launch({
				headless: false,
				args: ['--headless', '--use-fake-ui-for-media-stream'],
				probe: false,
				service: sandbox,
				env: pulse.env,
				settings: {
					version: 1,
					service: 'service',
					interfaceLanguage: 'en',
					mode: 'solo',
					// Chromium would cancel what it plays itself, but not what another loudspeaker or program plays; so that is off.
					echoCancellation: false,
					noiseSuppression: false,
					autoGainControl: false,
				},
			});
			const { page } = app;
			try {
				await button(page, 'Start').click();
				await untilPhase(page, 'Live');
				const room = pulse.listen();
				await speak(room);
				await page
					.getByText(/microphone picks up the translation|kept picking up/)
					.first()
					.waitFor({ timeout: 40_000 });
				await page.getByText('Your microphone kept picking up the translation').waitFor({ timeout: 40_000 });
				// Each round is as long as the sentence: silence for longer than that is the end of it.
				await until(
					'the room is silent for eight seconds',
					() => room.soFar().length > 8 * RATE && loudSeconds(room.soFar().subarray(-8 * RATE)) === 0,
					60_000,
				);
				await room.stop();
				expect(await button(page, 'Mute microphone').getAttribute('aria-pressed')).not.toBe('true');
				// Proves that it was the guard: without it the same sentence goes round, for three times its length.
				await button(page, 'Leave it on').click();
				const unguarded = pulse.listen();
				await speak(unguarded);
				const spokenTo = unguarded.soFar().length;
				await until(
					'the sentence goes round and round',
					() => loudSeconds(unguarded.soFar().subarray(spokenTo)) > 12,
					60_000,
				);
				await unguarded.stop();
			} finally {
				await app.close();
				await sandbox.close();
			}
		}, 240_000);
	},
);
