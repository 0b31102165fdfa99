import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { phrases } from '#sandbox/canned/phrases.ts';
import { type Sandbox, startSandbox } from '#sandbox/sandbox.ts';
import openingLines from '#shared/i18n/opening-lines.json' with { type: 'json' };
import {
	button,
	captionsRegion,
	longMicrophone,
	phrase,
	until,
	untilPhase,
} from '#test/support/app-steps.ts';
import { type Launched, launch } from '#test/support/launch.ts';
import { notRun } from '#test/support/not-run.ts';
import {
	loudSeconds,
	type Pulse,
	playMeeting,
	speakInto,
	startPulse,
	virtualMicrophone,
} from '#test/support/pulse.ts';
import { channels, loud, recordingIn } from '#test/support/recordings.ts';

/*
 * Real devices of a sound server: a microphone I speak into, another program that plays the meeting, and what
 * the meeting would hear of me. Nothing is faked but the service.
 */

const pulse = await startPulse();

/**
 * How pure the two notes of `turnTone` are, 0 to 1, the less pure of them: no voice comes to 0.9. The second may be
 * found at its end only, because a busy machine may leave a hole in the sound. 48 kHz.
 */
function turnTonePurity(sound: Float32Array): number {
	const length = 1200;
	const step = 240;
	/** The share of a note in 25 ms, 0 to 1. */
	function purity(from: number, hz: number): number {
		let [sine, cosine, energy] = [0, 0, 0];
		for (let at = from; at < from + length; at += 1) energy += (sound[at] ?? 0) ** 2;
		if (energy / length < 1e-5) return 0;
		for (let at = 0; at < length; at += 1) {
			const value = sound[from + at] ?? 0;
			const angle = (2 * Math.PI * hz * at) / 48_000;
			sine += value * Math.sin(angle);
			cosine += value * Math.cos(angle);
		}
		return (2 * (sine * sine + cosine * cosine)) / (length * energy);
	}
	let purest = 0;
	for (let from = 0; from + length <= sound.length; from += step) {
		const first = purity(from, 587.33);
		if (first <= purest) continue;
		for (let later = from + length; later <= from + 5 * length; later += step)
			purest = Math.max(purest, Math.min(first, purity(later, 783.99)));
	}
	return purest;
}

/** Longer than both notes, 48 kHz. */
const TONE_SAMPLES = 24_000;

/** A window with real devices instead of the fake ones that test windows usually have. */
const realDevices = {
	headless: false,
	args: ['--headless', '--use-fake-ui-for-media-stream'],
	probe: false,
} as const;

/** Moves the pointer away afterwards, because resting on Start it would have another session made ahead. */
async function start(page: Page): Promise<void> {
	await button(page, 'Start').click();
	await page.mouse.move(0, 0);
}

/** Stop, then Stop now if the tail is still to be heard; then nothing is left at the service. */
async function stop(page: Page, sandbox: Sandbox): Promise<void> {
	await button(page, 'Stop').click();
	const stopNow = button(page, 'Stop now');
	if (await stopNow.isVisible()) await stopNow.click();
	await button(page, 'Start').waitFor();
	await until('every session is gone', () => sandbox.openSessions().length === 0);
}

describe.skipIf('missing' in pulse && notRun('a meeting', pulse.missing))('a meeting', () => {
	if ('missing' in pulse) return;
	const server: Pulse = pulse;
	const folder = mkdtempSync(join(tmpdir(), 'meeting-'));
	const programs: ChildProcess[] = [];
	let sandbox: Sandbox;

	beforeAll(async () => {
		sandbox = await startSandbox();
		programs.push(
			await speakInto(server, folder, longMicrophone()),
			playMeeting(server, longMicrophone(300)),
		);
	});
	// After a failure as well: a recorder that is left would count as somebody in the call.
	afterEach(() => server.stopListening());
	afterAll(async () => {
		for (const program of programs) program.kill('SIGKILL');
		rmSync(folder, { recursive: true, force: true });
		await sandbox.close();
		await server.stop();
	});

	function open(more: object = {}, env: Readonly<Record<string, string>> = {}): Promise<Launched> {
		const languages = { speak: 'en', hear: ['es'], voiceOf: 'es' };
		return launch({
			...realDevices,
			service: sandbox,
			env: { ...server.env, ...env },
			settings: {
				version: 1,
				service: 'service',
				interfaceLanguage: 'en',
				mode: 'meeting',
				...languages,
				...more,
			},
		});
	}

	it('each side is heard by the other in its language, muted apart, and nothing is left after Stop', async () => {
		const app = await open();
		const { page } = app;
		const side = (name: 'mine' | 'theirs') => captionsRegion(page).locator(`[data-side=${name}]`);
		try {
			await start(page);
			await untilPhase(page, 'Live').catch(async (failure) => {
				const shown = await page.evaluate(() => document.body.textContent.slice(0, 1500));
				throw new Error(`not live: ${shown}\n${app.log().slice(-5000)}`, { cause: failure });
			});
			expect(sandbox.openSessions().filter(({ connected }) => connected)).toHaveLength(2);
			const microphone = await virtualMicrophone(server);
			const call = server.listen(microphone);
			await Promise.all([
				side('mine')
					.filter({ hasText: phrase(1, 'es') })
					.first()
					.waitFor({ timeout: 40_000 }),
				side('theirs')
					.filter({ hasText: phrase(1, 'en') })
					.first()
					.waitFor({ timeout: 40_000 }),
				until('the call hears the translation', () => loudSeconds(call.soFar()) > 1, 40_000),
			]);
			await call.stop();

			await button(page, 'Mute the voice in the call').click();
			const theirs = await side('theirs').count();
			const muted = server.listen(microphone);
			// What was in flight when the switch was pressed may still come; then it is quiet and stays so.
			await until(
				'the call hears nothing for four seconds',
				() => muted.soFar().length > 4 * 48_000 && loudSeconds(muted.soFar().subarray(-4 * 48_000)) === 0,
				20_000,
			);
			await muted.stop();
			await until(
				'the others are still written down',
				async () => (await side('theirs').count()) > theirs,
				30_000,
			);
			await stop(page, sandbox);
		} finally {
			await app.close();
		}
	}, 120_000);

	it('starts when the plan has a second session; finds out what they speak, is put right with one press, and loses nothing', async () => {
		const heard = { fr: new Set<number>(), es: new Set<number>() };
		/** Collects their complete sentences, by number, because rows out of sight are dropped from the document. */
		async function read(code: keyof typeof heard): Promise<boolean> {
			for (const row of await theirs.allTextContents())
				for (const { number, text } of phrases) {
					if (row.includes(text.fr)) heard.fr.add(number);
					if (row.includes(text.es)) heard.es.add(number);
				}
			return heard[code].size > 0;
		}
		// The sandbox takes them for French, the first candidate.
		const app = await open({ listenDetect: true, detectable: ['fr', 'es'] });
		const { page } = app;
		const theirs = captionsRegion(page).locator('[data-side=theirs]');
		const chip = (name: RegExp) => page.getByRole('button', { name });
		try {
			sandbox.setFault('limit-1', true);
			await start(page);
			await page
				.getByRole('alert')
				.getByText(/^This mode needs 2 sessions at once/)
				.waitFor({ timeout: 30_000 });
			await button(page, 'Show open sessions').waitFor();
			await until('what was opened is given back', () => sandbox.openSessions().length === 0);
			sandbox.setFault('limit-1', false);
			await start(page);
			await untilPhase(page, 'Live');
			await until('a sentence is heard as French', () => read('fr'), 40_000);
			await chip(/^Detected: .Français/).click();
			await page.getByRole('menuitem', { name: 'Español' }).click();
			await chip(/^They speak .Español/).waitFor();
			await until('a sentence is heard as Spanish', () => read('es'), 40_000);
			const all = [...heard.fr, ...heard.es];
			expect(all).toEqual(all.map((_, index) => (all[0] ?? 0) + index));
			await stop(page, sandbox);
		} finally {
			sandbox.setFault('limit-1', false);
			await app.close();
		}
	}, 90_000);

	it('begins with a sentence in their language, and both sides know when my voice has ended', async () => {
		// No key is held, so the opening is all that is said.
		const app = await open({ callTone: true, callOpening: true, talk: 'push-to-talk' });
		const { page } = app;
		const mine = page.locator('[data-leg=outgoing]');
		try {
			await start(page);
			await untilPhase(page, 'Live');
			const call = server.listen(await virtualMicrophone(server));
			const ear = server.listen();
			await captionsRegion(page).getByText(openingLines.es).first().waitFor();
			await mine.getByText('Still speaking').waitFor({ timeout: 20_000 });
			await mine.getByText('Their turn').waitFor({ timeout: 20_000 });
			// Each time only what is new, and as much before it as the tone is long: all of it would take longer than the tone.
			let searched = 0;
			await until(
				'the tone is heard in the call',
				() => {
					const sound = call.soFar();
					const purity = turnTonePurity(sound.subarray(Math.max(0, searched - TONE_SAMPLES)));
					searched = sound.length;
					return purity > 0.9;
				},
				5000,
			);
			expect(loudSeconds(call.soFar())).toBeGreaterThan(1);
			expect(turnTonePurity(await ear.stop())).toBeLessThan(0.9);
			await call.stop();
			await stop(page, sandbox);
		} finally {
			await app.close();
		}
	}, 90_000);

	it('what they said is heard again by me alone: not by the call, by the room, or in the recording', async () => {
		for (const name of ['Ear', 'Room'])
			await server.pactl(
				...['load-module', 'module-null-sink', `sink_name=${name}`, 'rate=48000'],
				`sink_properties=device.description=${name}`,
			);
		const speakers = { output: { id: 'x', label: 'Ear' }, roomOutput: { id: 'y', label: 'Room' } };
		// Of this try alone: a second one would find the recording of the first.
		const saved = mkdtempSync(join(folder, 'saved-'));
		const app = await open(speakers, { DRAGOMAN_SAVE_FOLDER: saved });
		const { page } = app;
		function recorded(): number {
			const { rate, translated } = channels(recordingIn(saved));
			return loud(translated, rate);
		}
		try {
			await button(page, 'Sound and pace').click();
			await button(page, 'Record').click();
			await button(page, 'Everybody agrees: choose a file').click();
			await page.getByText('Recording begins with the conversation.').waitFor();
			await start(page);
			await untilPhase(page, 'Live');
			const microphone = await virtualMicrophone(server);
			const places = { call: microphone, room: 'Room.monitor', ear: 'Ear.monitor' };
			const listen = () => Object.values(places).map((place) => server.listen(place));
			// A voice arrives in each of them first, so that silence afterwards is significant.
			const live = listen();
			await until(
				'a voice is heard everywhere',
				() => live.every((one) => loudSeconds(one.soFar()) > 1),
				40_000,
			);
			const again = captionsRegion(page).locator('[data-side=theirs]').getByRole('button', {
				name: 'Replay this',
			});
			await until('a sentence of theirs was heard', async () => (await again.count()) > 0, 30_000);
			await button(page, 'Pause').click();
			await button(page, 'Resume').waitFor();
			// Counted from here: the sentence before may have its voice still to come after two seconds of silence.
			const paused = live.map((one) => one.soFar().length);
			await until(
				'it is quiet everywhere for two seconds after a second of the pause',
				() =>
					live.every((one, at) => {
						const sound = one.soFar();
						return sound.length > (paused[at] ?? 0) + 144_000 && loudSeconds(sound.subarray(-96_000)) === 0;
					}),
				40_000,
			);
			await Promise.all(live.map((one) => one.stop()));
			const before = recorded();
			expect(before).toBeGreaterThan(1);

			const [call, room, ear] = listen();
			await again.last().click({ force: true });
			const notice = page.getByText('Playing it again. The live voice waits.');
			await notice.waitFor();
			await notice.waitFor({ state: 'detached', timeout: 30_000 });
			expect(loudSeconds((await ear?.stop()) ?? new Float32Array(0))).toBeGreaterThan(0.5);
			for (const silent of [call, room]) {
				const sound = (await silent?.stop()) ?? new Float32Array(0);
				expect(sound.length).toBeGreaterThan(48_000);
				expect(loudSeconds(sound)).toBe(0);
			}
			const { length } = channels(recordingIn(saved)).said;
			await until(
				'the recording has gone on',
				() => channels(recordingIn(saved)).said.length > length + 48_000,
			);
			expect(recorded()).toBe(before);
			await stop(page, sandbox);
		} finally {
			await app.close();
		}
	}, 120_000);
});
