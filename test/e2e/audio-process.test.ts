import { type ChildProcess, spawn } from 'node:child_process';
import { afterAll, describe, expect, it } from 'vitest';
import { startSandbox } from '#sandbox/sandbox.ts';
import { button, captionsRegion, longMicrophone, until, untilPhase } from '#test/support/app-steps.ts';
import { treeOf } from '#test/support/canary.ts';
import { launch } from '#test/support/launch.ts';
import { notRun } from '#test/support/not-run.ts';
import { loudSeconds, startPulse } from '#test/support/pulse.ts';

/* The browser plays and records in a separate process. A hook inside the page does not notice its death. */

const pulse = await startPulse();

describe.skipIf('missing' in pulse && notRun('the audio process dies', pulse.missing))(
	'the audio process of the browser is killed in a conversation',
	() => {
		if ('missing' in pulse) return;
		const programs: ChildProcess[] = [];
		afterAll(async () => {
			for (const program of programs) program.kill('SIGKILL');
			await pulse.stop();
		});

		it('and the person is heard, and hears, by the next one', async () => {
			await pulse.pactl('load-module', 'module-null-sink', 'sink_name=person', 'rate=48000');
			await pulse.pactl('load-module', 'module-remap-source', 'source_name=mouth', 'master=person.monitor');
			await pulse.pactl('set-default-source', 'mouth');
			await pulse.pactl('set-default-sink', 'speakers');
			const sandbox = await startSandbox();
			const app = await launch({
				headless: false,
				args: ['--headless', '--use-fake-ui-for-media-stream'],
				probe: false,
				service: sandbox,
				env: pulse.env,
				settings: { version: 1, service: 'service', interfaceLanguage: 'en', mode: 'solo' },
			});
			const { page } = app;
			const heard = pulse.listen();
			const captions = async () => ((await captionsRegion(page).textContent()) ?? '').length;
			const audio = () =>
				treeOf(app.main.pid ?? 0).filter(({ commandLine }) =>
					commandLine.includes('audio.mojom.AudioService'),
				);
			try {
				await button(page, 'Start').click();
				await untilPhase(page, 'Live');
				programs.push(
					spawn('paplay', ['--device=person', longMicrophone()], {
						env: { ...process.env, ...pulse.env },
						stdio: 'ignore',
					}),
				);
				await until('the voice is heard', () => loudSeconds(heard.soFar()) > 0.5, 40_000);
				const [killed] = audio();
				if (!killed) throw new Error('no audio process');
				process.kill(killed.pid, 'SIGKILL');
				const samples = heard.soFar().length;
				await until('another one is there', () => audio().some(({ pid }) => pid !== killed.pid));
				// From here on, everything heard is played, and everything read was recorded, by the new process.
				const read = await captions();
				await until(
					'the voice is heard again',
					() => loudSeconds(heard.soFar().subarray(samples + 48_000)) > 1,
					30_000,
				);
				await until('more is read', async () => (await captions()) > read, 30_000);
				await untilPhase(page, 'Live', 1000);
				expect(sandbox.counts().created).toBe(1);
			} finally {
				await app.close();
				await sandbox.close();
			}
		}, 120_000);
	},
);
