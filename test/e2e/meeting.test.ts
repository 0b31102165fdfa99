import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { phrases } from '#sandbox/interpreter/phrases.ts';
import { startSandbox } from '#sandbox/sandbox.ts';
import { button, captionsRegion, longMicrophone, until, untilPhase } from '#test/support/app-steps.ts';
import { launch } from '#test/support/launch.ts';
import { notRun } from '#test/support/not-run.ts';
import { loudSeconds, type Pulse, startPulse } from '#test/support/pulse.ts';

/*
 * Real devices of a sound server: a microphone I speak into, another program that plays the meeting, and what
 * the meeting would hear of me. Nothing is faked but the service.
 */

const pulse = await startPulse();

/** A microphone that hears the recording, again and again, and is nobody's loudspeaker. */
async function speakInto({ pactl }: Pulse, folder: string): Promise<ChildProcess> {
	const fifo = join(folder, 'microphone');
	await pactl(
		...['load-module', 'module-pipe-source', 'source_name=mouth', `file=${fifo}`],
		...['format=s16le', 'rate=48000', 'channels=1', 'source_properties=device.description=Mouth'],
	);
	await pactl('set-default-source', 'mouth');
	const wav = ['-re', '-stream_loop', '-1', '-i', longMicrophone()];
	const raw = ['-f', 's16le', '-ar', '48000', '-ac', '1', fifo];
	return spawn('ffmpeg', ['-loglevel', 'error', '-nostdin', '-y', ...wav, ...raw], { stdio: 'ignore' });
}

/** Somebody else's program plays what the others say. */
function playMeeting({ env }: Pulse): ChildProcess {
	return spawn('paplay', ['--client-name=Meeting', longMicrophone()], {
		env: { ...process.env, ...env },
		stdio: 'ignore',
	});
}

const text = (number: number, code: 'en' | 'es') => phrases[number - 1]?.text[code] ?? '';

describe.skipIf('missing' in pulse && notRun('a meeting', pulse.missing))('a meeting', () => {
	if ('missing' in pulse) return;

	it('each side is heard by the other in its language, muted apart, and nothing is left after Stop', async () => {
		const sandbox = await startSandbox();
		const folder = mkdtempSync(join(tmpdir(), 'meeting-'));
		const programs = [await speakInto(pulse, folder), playMeeting(pulse)];
		const { api, key } = sandbox.addresses;
		const app = await launch({
			env: { ...pulse.env, DRAGOMAN_API_URL: api, DRAGOMAN_API_KEY: key },
			headless: false,
			// Without the invented devices that a window without a person usually has.
			args: ['--headless', '--use-fake-ui-for-media-stream'],
			settings: {
				...{ version: 1, service: 'service', interfaceLanguage: 'en', mode: 'meeting' },
				...{ speak: 'en', hear: ['es'], voiceOf: 'es' },
			},
			probe: false,
		});
		const { page } = app;
		const connected = () => sandbox.openSessions().filter((session) => session.connected).length;
		try {
			await button(page, 'Start').click();
			await untilPhase(page, 'Live');
			expect(connected()).toBe(2);

			const side = (name: 'mine' | 'theirs') => captionsRegion(page).locator(`[data-side=${name}]`);
			await side('mine')
				.filter({ hasText: text(1, 'es') })
				.first()
				.waitFor({ timeout: 30_000 });
			await side('theirs')
				.filter({ hasText: text(1, 'en') })
				.first()
				.waitFor({ timeout: 30_000 });

			const sources = await pulse.pactl('list', 'short', 'sources');
			const microphone = /\t(dragoman\.\S+\.microphone)\t/.exec(sources)?.[1] ?? 'missing';
			const call = pulse.listen(microphone);
			const ear = pulse.listen();
			await until('the call hears the translation', () => loudSeconds(call.soFar()) > 1, 30_000);
			await until('and I hear something too', () => loudSeconds(ear.soFar()) > 1, 30_000);

			await button(page, 'Mute the voice the call hears').click();
			const muted = pulse.listen(microphone);
			const theirs = await side('theirs').count();
			await until(
				'the others are still written down',
				async () => (await side('theirs').count()) > theirs,
				30_000,
			);
			await until('three seconds are recorded', () => muted.soFar().length > 3 * 48_000);
			// What was on its way when the switch was pressed may still come.
			expect(loudSeconds((await muted.stop()).subarray(48_000))).toBe(0);

			await button(page, 'Stop').click();
			const stopNow = button(page, 'Stop now');
			if (await stopNow.isVisible()) await stopNow.click();
			await button(page, 'Start').waitFor();
			await until('both sessions are gone', () => sandbox.openSessions().length === 0);
		} finally {
			for (const program of programs) program.kill('SIGKILL');
			await app.close();
			rmSync(folder, { recursive: true, force: true });
			await sandbox.close();
			await pulse.stop();
		}
	}, 120_000);
});
