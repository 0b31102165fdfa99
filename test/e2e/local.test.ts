import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { phrases } from '#sandbox/canned/phrases.ts';
import { createEspeak, joined, type Sound } from '#sandbox/local/voice.ts';
import { startSandbox } from '#sandbox/sandbox.ts';
import { wavOf } from '#shared/sound/wav.ts';
import type { PageProbe } from '#stand-in/drive/page-probe.ts';
import {
	activity,
	button,
	captionsRegion,
	lastPress,
	loudness,
	recorded,
	until,
	untilCaptions,
	untilPhase,
} from '#test/support/app-steps.ts';
import { startClosedNetwork } from '#test/support/closed-network.ts';
import { askAsGuest } from '#test/support/guest-client.ts';
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
import {
	interpretersOf,
	noModels,
	type Prompt,
	promptsOf,
	shareHeard,
	testModels,
	wordsIn,
} from '#test/support/test-models.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
	for (const close of closing.splice(0).reverse()) await close();
});

const RATE = 16_000;

const captions = async (page: Page) => (await captionsRegion(page).textContent()) ?? '';

/** Waits until enough of these words are in the captions. */
function untilRead(page: Page, words: string, what: string): Promise<void> {
	return until(what, async () => shareHeard(words, await captions(page)) > 0.7, 60_000);
}

/**
 * Waits until Portuguese is read in English. Of the voice that speaks it few words are understood, and fewer on a busy
 * computer; but not as English.
 */
function untilInEnglish(page: Page, side = ''): Promise<void> {
	const pieces = (kind: string, language: string) =>
		captionsRegion(page).locator(`${side} [data-kind="${kind}"][data-final="true"][lang^="${language}"]`);
	const words = async (...of: Parameters<typeof pieces>) =>
		wordsIn((await pieces(...of).allTextContents()).join(' ')).length;
	return until(
		'I read English',
		async () => (await words('source', 'pt')) > 3 && (await words('translation', 'en')) > 3,
		60_000,
	);
}

/** Waits until half a second of a voice has been heard since that moment of the page. */
function untilVoice(page: Page, sinceMs: number): Promise<void> {
	return until(
		'a voice is heard',
		async () => {
			const spans = activity(await recorded(page, 'heard', sinceMs));
			return spans.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0) > 500;
		},
		30_000,
	);
}

async function start(page: Page): Promise<void> {
	await button(page, 'Start').click();
	await untilPhase(page, 'Live', 60_000);
}

async function stop(page: Page): Promise<void> {
	await button(page, 'Stop').click();
	await button(page, 'Start').waitFor({ timeout: 45_000 });
}

/** In a row, or in a list where the row has no room. */
async function chooseMode(page: Page, name: string): Promise<void> {
	const list = page.getByRole('button', { name: 'What do you want to do?' });
	const one = page.getByRole('radio', { name });
	await list.or(one).first().waitFor({ state: 'attached' });
	if ((await one.count()) > 0) return one.click({ force: true });
	await list.click();
	await page.getByRole('option', { name }).click();
}

/** A prompt of the recordings, by its name. */
function promptOf(name: string): Prompt {
	const [found] = promptsOf('en', name);
	if (!found) throw new Error(`no recording of ${name}`);
	return found;
}

/** No recording of a person is to be had in Portuguese. */
async function sayInPortuguese(): Promise<Sound> {
	const pieces: Sound[] = [];
	const text = 'Muito obrigado, a reunião começa amanhã de manhã às nove horas.';
	const voicing = { text, language: 'pt', timbre: 'low', tempo: 1 } as const;
	(await createEspeak('')).speak(voicing, (piece) => void pieces.push(piece));
	return joined(pieces);
}

/** Models under a path of their own, by which their interpreter is found among all processes. */
function ownModels(): string {
	const models = join(mkdtempSync(join(tmpdir(), 'dragoman-models-')), 'models');
	symlinkSync(testModels.folder, models);
	return models;
}

const pulse = await startPulse();
const sound = 'missing' in pulse ? null : pulse;
afterAll(() => sound?.stop());

describe.skipIf(noModels('the app with its interpreter on this computer'))('on this computer', () => {
	test('with no network at all: captions of both languages, a voice, corrections, replay, typed texts, catching up, other languages, other modes', async ({
		skip,
	}) => {
		const network = await startClosedNetwork([]);
		if ('missing' in network) {
			notRun('a conversation on this computer without a network', network.missing);
			return skip('no network of its own here');
		}
		closing.push(() => network.stop());
		const app = await open({
			settings: {
				typedLanguage: 'pt',
				corrections: [{ language: 'en', wrong: 'conference', right: 'library' }],
			},
			env: { ...sound?.env },
			wrap: network.wrap,
			args: [`--remote-debugging-port=${network.devtoolsPort}`],
		});
		const { page } = app;
		await start(page);
		const started = await lastPress(page);
		const saying = say(page, promptOf('conf-getconfno'));
		const partly = captionsRegion(page).locator('[lang^="pt"][data-final="false"]');
		await until(
			'Portuguese is read while the person speaks',
			async () => wordsIn((await partly.allTextContents()).join(' ')).length > 0,
			60_000,
		);
		await saying;
		await untilRead(page, 'please enter your library number', 'a corrected sentence');
		await untilRead(page, 'número biblioteca', 'the translation of what was corrected');
		expect(wordsIn(await captions(page))).not.toContain('conferencia');
		await untilVoice(page, started);
		await until('the voice has ended', async () => (await loudness(page, 'heard', 700)) < 0.01);

		await button(page, 'Pause').click();
		await untilPhase(page, 'Paused');
		// Played from a file of its own: heard at the loudspeaker only.
		const ear = sound?.listen();
		await page.keyboard.press('r');
		const replayed = page.getByText('Playing it again. The live voice waits.');
		await replayed.waitFor({ timeout: 30_000 });
		await replayed.waitFor({ state: 'detached', timeout: 30_000 });
		if (ear) expect(loudSeconds(await ear.stop())).toBeGreaterThan(0.5);
		await button(page, 'Resume').click();
		await untilPhase(page, 'Live');

		const story = 'The train to the city was late again, and nobody at the station knew why. '.repeat(8);
		await button(page, 'Type instead of speaking').click();
		const field = page.getByRole('textbox', { name: 'Type instead of speaking…' });
		await field.fill(story);
		await field.press('Enter');
		const typed = await lastPress(page);
		await untilRead(page, 'trem cidade estação', 'the translation of what was typed');
		await untilVoice(page, typed);
		await button(page, 'Catch up').click();
		const skipped = await lastPress(page);
		await until('silence after catching up', async () => (await loudness(page, 'heard', 700)) < 0.01);
		const rest = activity(await recorded(page, 'heard', skipped));
		// All of it takes half a minute.
		expect(rest.reduce((sum, span) => sum + span.toMs - span.fromMs, 0)).toBeLessThan(6000);

		await button(page, 'Swap languages').click();
		await page.getByText('Applied', { exact: true }).waitFor({ timeout: 30_000 });
		await say(page, await sayInPortuguese());
		await untilInEnglish(page);
		await stop(page);

		await chooseMode(page, 'Captions only');
		await start(page);
		await say(page, await sayInPortuguese());
		await untilInEnglish(page);
		await stop(page);
		await chooseMode(page, 'Type to speak');
		const voice = sound?.listen();
		const box = page.getByRole('textbox', { name: 'What to say' });
		await box.fill('Muito obrigado pela sua visita de hoje.');
		await box.press('Enter');
		await page.getByText('Spoken', { exact: true }).waitFor({ timeout: 30_000 });
		if (voice) expect(loudSeconds(await voice.stop())).toBeGreaterThan(0.5);
		await page.getByRole('combobox', { name: 'I type in' }).fill('engl');
		await page
			.getByRole('option', { name: /English/ })
			.first()
			.click();
		const text = page.getByRole('textbox', { name: 'Your text in' });
		await text.fill('Where is the railway station?');
		await text.press('Enter');
		await page.getByText(/estação/).waitFor({ timeout: 30_000 });
		await page.getByText('Spoken', { exact: true }).nth(1).waitFor({ timeout: 30_000 });
		expect(await app.close()).toBe(143);
		expect(app.log()).not.toContain('library');
	}, 240_000);

	test('takes over from a service that is gone, for guests too, survives a crash of its interpreter, and leads back', async () => {
		let sandbox = await startSandbox();
		closing.push(() => sandbox.close());
		const { api, key, s2s } = sandbox.addresses;
		const models = ownModels();
		// A service that variables name is not left, so the key is typed.
		const app = await open({
			settings: { service: 'unset', takeOverHere: true, apiUrl: api, s2sUrl: s2s },
			env: { DRAGOMAN_MODELS: models },
		});
		const { page } = app;
		await page.getByLabel('API key', { exact: true }).fill(key);
		await page.keyboard.press('Enter');
		await untilPhase(page, 'Ready');
		await start(page);
		const first = promptOf('conf-getconfno');
		const second = promptOf('vm-savefolder');
		await say(page, first);
		const canned = phrases[0]?.text.en ?? '';
		await untilCaptions(page, [canned]);
		await button(page, 'More').click();
		await page.getByRole('menuitem', { name: 'Guests…' }).click();
		await button(page, 'Start sharing').click();
		const shown = await page.getByRole('dialog', { name: 'Guests' }).locator('code').textContent();
		await page.keyboard.press('Escape');
		const guest = await askAsGuest(`${(shown ?? '').replace(/\/\/[\d.]+:/, '//127.0.0.1:')}captions/a`);

		await sandbox.close();
		// Nobody hears it now.
		await say(page, second);
		await page.getByText('This computer has taken over').waitFor({ timeout: 60_000 });
		await untilPhase(page, 'Live', 60_000);
		await untilRead(page, `${second.text} qual pasta`, 'what was said while the service was gone');
		expect(await captionsRegion(page).locator('[data-kind="lost"]').count()).toBe(0);
		const heardLate = wordsIn(await captions(page));
		await say(page, first);
		await untilRead(page, `${first.text} número conferência`, 'the first sentence of this computer');
		// What is heard live follows it, and nothing twice.
		const follows = wordsIn(await captions(page)).slice(0, heardLate.length);
		expect(follows.filter((word) => word === 'folder')).toEqual(['folder']);

		const [interpreter = 0, ...others] = interpretersOf(models);
		expect([interpreter > 0, others]).toEqual([true, []]);
		const saying = say(page, first);
		await pause(1000);
		// As a system without memory does.
		process.kill(interpreter, 'SIGKILL');
		await saying;
		await until(
			'the next sentence after the crash',
			async () => {
				await say(page, second);
				return shareHeard(`${second.text} qual pasta`, await captions(page)) > 0.7;
			},
			60_000,
		);
		await until(
			'a guest reads its translation',
			() => shareHeard('qual pasta mensagem', guest.text()) > 0.6,
			30_000,
		);

		sandbox = await startSandbox({ port: Number(new URL(api).port), key });
		await button(page, 'Back to the service').click();
		await until('the service is live', () => sandbox.openSessions().length > 0, 60_000);
		await untilPhase(page, 'Live', 60_000);
		await say(page, first);
		await until('its captions follow', async () => (await captions(page)).split(canned).length > 2, 30_000);
		await untilRead(page, `${first.text} número conferência`, 'what this computer heard');
		await stop(page);
	}, 240_000);

	test('in a meeting both directions are interpreted at once', async ({ skip }) => {
		if ('missing' in pulse) {
			notRun('a meeting on this computer', pulse.missing);
			return skip('no sound server');
		}
		const folder = mkdtempSync(join(tmpdir(), 'dragoman-local-'));
		const mine = promptOf('conf-getconfno');
		const theirs = await sayInPortuguese();
		const [mouth, meeting] = [join(folder, 'mine.wav'), join(folder, 'theirs.wav')];
		writeFileSync(mouth, looped(samplesOf(mine), RATE, 1));
		writeFileSync(meeting, looped(theirs.samples, theirs.rateHz, 30));
		const programs = [await speakInto(pulse, folder, mouth), playMeeting(pulse, meeting)];
		closing.push(async () => {
			for (const program of programs) program.kill('SIGKILL');
		});
		const app = await launch({
			headless: false,
			args: ['--headless', '--use-fake-ui-for-media-stream'],
			probe: false,
			env: { ...pulse.env, DRAGOMAN_MODELS: testModels.folder },
			settings: { ...here, mode: 'meeting', voiceOf: 'pt' },
		});
		closing.push(() => app.kill('SIGKILL').catch(() => {}));
		const { page } = app;
		await untilPhase(page, 'Ready');
		await start(page);
		const call = pulse.listen(await virtualMicrophone(pulse));
		const side = (name: 'mine' | 'theirs') => captionsRegion(page).locator(`[data-side=${name}]`);
		await Promise.all([
			until(
				'they read me',
				async () => shareHeard('número conferência', (await side('mine').allTextContents()).join(' ')) === 1,
				60_000,
			),
			untilInEnglish(page, '[data-side=theirs]'),
			until('the call hears me', () => loudSeconds(call.soFar()) > 1, 60_000),
		]);
		await call.stop();
		expect(await side('theirs').filter({ hasText: 'conference' }).count()).toBe(0);
		await button(page, 'Stop').click();
		const stopNow = button(page, 'Stop now');
		if (await stopNow.isVisible()) await stopNow.click();
		await button(page, 'Start').waitFor({ timeout: 45_000 });
	}, 180_000);

	test('takes over from a socket that is gone, in a meeting and while listening, leads back, and leaves nothing after Stop', async ({
		skip,
	}) => {
		if ('missing' in pulse) {
			notRun('taking over a meeting', pulse.missing);
			return skip('no sound server');
		}
		let sandbox = await startSandbox();
		closing.push(() => sandbox.close());
		const { api, key, s2s } = sandbox.addresses;
		const people = await createPeople(pulse);
		closing.push(async () => people.fallSilent());
		const models = ownModels();
		const app = await launch({
			headless: false,
			args: ['--headless', '--use-fake-ui-for-media-stream'],
			probe: false,
			env: { ...pulse.env, DRAGOMAN_MODELS: models },
			settings: {
				...{ ...here, service: 'unset', apiUrl: api, s2sUrl: s2s },
				...{ mode: 'meeting', transport: 'websocket', voiceOf: 'pt' },
			},
		});
		closing.push(() => app.kill('SIGKILL').catch(() => {}));
		const { page } = app;
		const rows = (side: 'mine' | 'theirs') => captionsRegion(page).locator(`[data-side=${side}]`);
		const read = async (side: 'mine' | 'theirs') => (await rows(side).allTextContents()).join(' ');
		const marks = captionsRegion(page).locator('[data-kind="lost"]');
		const canned = phrases[0]?.text.en ?? '';
		/** How often the service has been understood, on the side where that is least. */
		const served = async () =>
			Math.min(
				...(await Promise.all([read('mine'), read('theirs')])).map((all) => all.split(canned).length - 1),
			);
		/** Waits for a translation that is not the service's. */
		const heardHere = (row: string, language: string) =>
			captionsRegion(page)
				.locator(row)
				.filter({ hasNotText: canned })
				.locator(`[data-kind="translation"][data-final="true"][lang^="${language}"]`)
				.first()
				.waitFor({ timeout: 90_000 });
		const takenOver = page.getByText('This computer has taken over');
		await page.getByLabel('API key', { exact: true }).fill(key);
		await page.keyboard.press('Enter');
		await untilPhase(page, 'Ready');
		await start(page);
		people.speak();
		await until('the service hears both sides', async () => (await served()) > 0, 60_000);
		const microphone = await virtualMicrophone(pulse);

		await sandbox.close();
		// They speak for three more seconds, and not while this computer interprets: all that it hears was kept.
		await pause(3000);
		people.fallSilent();
		await button(page, 'Continue on this computer').click({ timeout: 60_000 });
		await takenOver.waitFor({ timeout: 60_000 });
		await Promise.all([heardHere('[data-side=mine]', 'pt'), heardHere('[data-side=theirs]', 'en')]);
		expect([await marks.count(), (await served()) > 0]).toEqual([0, true]);
		// Programs in the call lose a microphone that was removed.
		expect(await virtualMicrophone(pulse)).toBe(microphone);
		expect(await page.getByText('Over WebSocket').count()).toBe(0);

		sandbox = await startSandbox({ port: Number(new URL(api).port), key });
		const before = await served();
		await button(page, 'Back to the service').click();
		await takenOver.waitFor({ state: 'detached', timeout: 60_000 });
		await untilPhase(page, 'Live', 60_000);
		people.speak();
		await until('the service hears both sides again', async () => (await served()) > before, 60_000);
		await until('the interpreter has ended', () => interpretersOf(models).length === 0);
		await stop(page);
		await until('no session is left', () => sandbox.openSessions().length === 0);

		await chooseMode(page, 'Listen');
		await start(page);
		await until(
			'the service hears the others',
			async () => (await rows('mine').count()) === 0 && (await captions(page)).includes(canned),
			60_000,
		);
		await sandbox.close();
		await pause(3000);
		people.fallSilent();
		// Asked once, and not again.
		await takenOver.waitFor({ timeout: 60_000 });
		await heardHere('[role=listitem], li', 'en');
		expect(await marks.count()).toBe(0);
		await stop(page);
		await until(
			'no program is listened to',
			async () => !(await pulse.pactl('list', 'source-outputs')).includes('protocol-native.c'),
		);
		await app.close();
		expect(interpretersOf(models)).toEqual([]);
	}, 300_000);

	test('face to face, each is heard in their own language, and which it is is found out', async () => {
		const app = await open({ settings: { mode: 'face', faceTalk: 'automatic' } });
		const { page } = app;
		await button(page, 'Start').click();
		const newest = (side: 'me' | 'partner') =>
			page.locator(`section[data-side="${side}"] [data-newest="true"]`).textContent();
		const cue = (side: 'me' | 'partner') =>
			page.locator(`section[data-side="${side}"]`).getAttribute('data-cue');
		await until('it listens', async () => (await cue('partner')) === 'speak', 30_000);
		await say(page, promptOf('conf-getconfno'));
		await until(
			'the partner reads Portuguese',
			async () => shareHeard('número conferência', (await newest('partner')) ?? '') > 0.4,
			30_000,
		);
		await until('it is the partner’s turn', async () => (await cue('partner')) === 'your-turn', 30_000);
		await say(page, await sayInPortuguese());
		await until('I read English', async () => wordsIn((await newest('me')) ?? '').length > 3, 30_000);
		await stop(page);
	}, 180_000);
});

const here = {
	interfaceLanguage: 'en',
	service: 'local',
	speak: 'en',
	hear: ['pt'],
	warmIdleS: 0,
};

/** An app whose microphone hears what `say` says. */
async function open({ settings, env, ...more }: Parameters<typeof launch>[0] = {}): Promise<Launched> {
	const app = await launch({
		settings: { ...here, ...settings },
		env: { DRAGOMAN_MODELS: testModels.folder, ...env },
		...more,
	});
	closing.push(() => app.kill('SIGKILL').catch(() => {}));
	await app.page.evaluate(() =>
		(window as unknown as { __probe: PageProbe }).__probe.begin({ speaker: true }),
	);
	if (settings?.service !== 'unset') await untilPhase(app.page, 'Ready');
	return app;
}

const pause = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));

const samplesOf = ({ pcm }: Prompt) =>
	new Int16Array(pcm.buffer.slice(pcm.byteOffset, pcm.byteOffset + pcm.length));

/** Somebody in front of the microphone says it. Resolves when it has been said. */
async function say(page: Page, said: Prompt | Sound): Promise<void> {
	const { samples, rateHz } = 'pcm' in said ? { samples: samplesOf(said), rateHz: RATE } : said;
	const pcm = Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);
	await page.evaluate(
		([base64, hz]) => {
			const { __probe: probe } = window as unknown as { __probe: PageProbe };
			probe.learn(base64, hz);
			probe.speak();
		},
		[pcm.toString('base64'), rateHz] as const,
	);
	await pause((samples.length / rateHz) * 1000);
}

/** Somebody at the microphone, and others in the meeting. */
async function createPeople(server: Pulse) {
	const folder = mkdtempSync(join(tmpdir(), 'dragoman-local-'));
	const theirs = await sayInPortuguese();
	const [mouth, meeting] = [join(folder, 'mine.wav'), join(folder, 'theirs.wav')];
	writeFileSync(mouth, looped(samplesOf(promptOf('conf-getconfno')), RATE, 30));
	writeFileSync(meeting, looped(theirs.samples, theirs.rateHz, 30));
	await server.pactl('load-module', 'module-null-sink', 'sink_name=air', 'rate=48000');
	// Browsers do not offer the monitor of a sink as a microphone. Another test has a source called "mouth".
	const source = ['source_name=voices', 'source_properties=device.description=Voices'];
	await server.pactl('load-module', 'module-remap-source', 'master=air.monitor', ...source);
	await server.pactl('set-default-source', 'voices');
	let programs: ChildProcess[] = [];
	return {
		speak(): void {
			programs = [playMeeting(server, mouth, 'air'), playMeeting(server, meeting, 'speakers')];
		},
		fallSilent(): void {
			for (const program of programs.splice(0)) program.kill('SIGKILL');
		},
	};
}

/** A recording in which it is said so often, with long pauses between: two recognisers must keep up. */
function looped(samples: Int16Array, rateHz: number, times: number): Uint8Array {
	const length = samples.length + rateHz * 3;
	const all = new Int16Array(length * times);
	for (let at = 0; at < times; at += 1) all.set(samples, at * length);
	return wavOf(all, rateHz);
}
