import { type ChildProcess, spawn } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { phrases } from '#sandbox/canned/phrases.ts';
import { type Sandbox, startSandbox } from '#sandbox/sandbox.ts';
import { button, captionsRegion, longMicrophone, until, untilPhase } from '#test/support/app-steps.ts';
import { launch } from '#test/support/launch.ts';
import { notRun } from '#test/support/not-run.ts';
import { loudSeconds, startPulse } from '#test/support/pulse.ts';

/* Listens to one of several programs on a real sound server: it ends, comes back, and is never ourselves. */

const pulse = await startPulse();

describe.skipIf('missing' in pulse && notRun('listening to a program', pulse.missing))('one program', () => {
	if ('missing' in pulse) return;
	const server = pulse;
	const programs = new Set<ChildProcess>();
	let sandbox: Sandbox;

	beforeAll(async () => {
		sandbox = await startSandbox();
	});
	afterAll(async () => {
		for (const program of programs) program.kill('SIGKILL');
		await sandbox.close();
		await server.stop();
	});

	/** Another program that plays what others say. */
	function lecture(): ChildProcess {
		const program = spawn('paplay', ['--client-name=Lecture', longMicrophone()], {
			env: { ...process.env, ...server.env },
			stdio: 'ignore',
		});
		programs.add(program);
		return program;
	}

	/** As the sound server has it, percent. */
	async function lectureVolume(): Promise<number> {
		const inputs = JSON.parse(await server.pactl('--format=json', 'list', 'sink-inputs')) as {
			readonly volume: Readonly<Record<string, { readonly value_percent: string }>>;
			readonly properties: Readonly<Record<string, string>>;
		}[];
		const found = inputs.find(({ properties }) => properties['application.name'] === 'Lecture');
		return Number.parseInt(Object.values(found?.volume ?? {})[0]?.value_percent ?? '', 10);
	}

	it('takes one session and no microphone; is chosen, heard, missed when it is gone and heard again; it is low while the voice speaks; our own voice is no program', async () => {
		await server.pactl(
			...['load-module', 'module-null-sink', 'sink_name=mouth', 'sink_properties=device.description=Mouth'],
		);
		await server.pactl('set-default-source', 'mouth.monitor');
		const first = lecture();
		const app = await launch({
			headless: false,
			args: ['--headless', '--use-fake-ui-for-media-stream'],
			probe: false,
			service: sandbox,
			env: server.env,
			settings: {
				version: 1,
				service: 'service',
				interfaceLanguage: 'en',
				mode: 'listen',
				speak: 'en',
				hear: ['es'],
				voiceOf: 'es',
			},
		});
		const { page } = app;
		const picker = page.getByRole('button', { name: /Sound to listen to/ });
		const option = (name: string | RegExp) => page.getByRole('option', { name });
		try {
			await button(page, 'Sound and pace').click();
			await picker.click();
			await option('Lecture (playing)').click();
			await button(page, 'Start').click();
			await untilPhase(page, 'Live');
			const text = phrases[0]?.text.en ?? '';
			await captionsRegion(page).getByText(text).first().waitFor({ timeout: 40_000 });
			expect(sandbox.openSessions().filter(({ connected }) => connected)).toHaveLength(1);
			const sources = (await server.pactl('list', 'short', 'sources')).split('\n');
			const mouth = sources.find((line) => line.includes('\tmouth.monitor\t'))?.split('\t')[0];
			const recorders = (await server.pactl('list', 'short', 'source-outputs')).trim().split('\n');
			const recorded = recorders.map((line) => line.split('\t')[1]);
			expect(mouth).toBeDefined();
			expect(recorded).not.toContain(mouth);
			expect(recorded.length).toBeGreaterThan(0);

			// While the translation speaks the lecture is a quarter as loud, and comes back by itself. Of the server's own scale,
			// which is that of loudness, a quarter is 63 %.
			await until('the lecture goes down', async () => (await lectureVolume()) < 66, 40_000);
			await until('the lecture comes back', async () => (await lectureVolume()) === 100, 40_000);

			// Now that we play ourselves, too, Lecture is still the only one there.
			first.kill();
			const ear = server.listen();
			await until('our own voice is heard', () => loudSeconds(ear.soFar()) > 0.5, 40_000);
			await ear.stop();
			if (!(await picker.isVisible())) await button(page, 'Sound and pace').click();
			await picker.click();
			expect(await page.getByRole('option').allTextContents()).toEqual([
				'Everything this computer plays',
				expect.stringContaining('Lecture'),
			]);
			await page.keyboard.press('Escape');

			await page.getByText(/Lecture.? is not running\./).waitFor({ timeout: 20_000 });
			lecture();
			// The notice stays until something is heard again.
			await page.locator('[data-system-silence]').waitFor({ state: 'detached', timeout: 20_000 });
		} finally {
			await app.close();
		}
	}, 120_000);
});
