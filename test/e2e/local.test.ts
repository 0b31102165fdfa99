import { mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterEach, describe, expect, test } from 'vitest';
import { createEspeak, joined, type Sound } from '#sandbox/local/voice.ts';
import { wavOf } from '#shared/sound/wav.ts';
import type { PageProbe } from '#stand-in/drive/page-probe.ts';
import {
	activity,
	button,
	captionsRegion,
	lastPress,
	recorded,
	until,
	untilPhase,
} from '#test/support/app-steps.ts';
import { startClosedNetwork } from '#test/support/closed-network.ts';
import { type Launched, launch } from '#test/support/launch.ts';
import { notRun } from '#test/support/not-run.ts';
import {
	interpretersOf,
	noModels,
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

/** A person who says these sentences, again and again, with pauses between; without any, silence. */
function microphoneOf(sentences: readonly Buffer[], seconds: number): string {
	const gap = Buffer.alloc(RATE * 2 * 1.5);
	const once = Buffer.concat(sentences.flatMap((pcm) => [gap, pcm]));
	const all = new Int16Array(RATE * seconds);
	const said = new Int16Array(once.buffer.slice(once.byteOffset, once.byteOffset + once.length));
	for (let at = 0; said.length > 0 && at + said.length <= all.length; at += said.length) all.set(said, at);
	const file = join(mkdtempSync(join(tmpdir(), 'dragoman-local-')), 'microphone.wav');
	writeFileSync(file, wavOf(all, RATE));
	return file;
}

describe.skipIf(noModels('the app with its interpreter on this computer'))('on this computer', () => {
	test('a conversation is held with no network at all: captions of both languages, a voice, pause, and an end', async ({
		skip,
	}) => {
		const prompts = promptsOf('en', 'conf-getconfno', 'vm-savefolder');
		const network = await startClosedNetwork([]);
		if ('missing' in network) {
			notRun('a conversation on this computer without a network', network.missing);
			return skip('no network of its own here');
		}
		closing.push(() => network.stop());
		const app = await launch({
			microphone: microphoneOf(
				prompts.map(({ pcm }) => pcm),
				120,
			),
			settings: {
				interfaceLanguage: 'en',
				service: 'local',
				speak: 'en',
				hear: ['pt'],
				warmIdleS: 0,
				transport: 'websocket',
			},
			env: { DRAGOMAN_MODELS: testModels.folder },
			wrap: network.wrap,
			args: [`--remote-debugging-port=${network.devtoolsPort}`],
		});
		closing.push(() => app.kill('SIGKILL').catch(() => {}));
		const { page } = app;
		await untilPhase(page, 'Ready');
		await button(page, 'Start').click();
		const started = await lastPress(page);
		await untilPhase(page, 'Live');
		const said = async () => (await captionsRegion(page).textContent()) ?? '';
		const partly = captionsRegion(page).locator('[lang^="pt"][data-final="false"]');
		await until(
			'Portuguese is read while the person speaks',
			async () => wordsIn((await partly.allTextContents()).join(' ')).length > 0,
			60_000,
		);
		await until(
			'both languages are in the captions',
			async () => {
				const all = await said();
				return (
					prompts.every(({ text }) => shareHeard(text, all) > 0.7) &&
					shareHeard('número conferência pasta mensagem', all) > 0.7
				);
			},
			60_000,
		);
		await until(
			'a voice is heard',
			async () =>
				activity(await recorded(page, 'heard', started)).some((span) => span.toMs - span.fromMs > 1000),
			30_000,
		);
		await button(page, 'Pause').click();
		await untilPhase(page, 'Paused');
		await button(page, 'Resume').click();
		await untilPhase(page, 'Live');
		await button(page, 'Stop').click();
		await button(page, 'Start').waitFor({ timeout: 45_000 });
		expect(await app.close()).toBe(143);
		expect(app.log()).not.toContain('conference');
	}, 180_000);

	test('whose interpreter is killed in mid-sentence goes on with the same captions', async () => {
		const prompts = promptsOf('en', 'conf-getconfno', 'vm-savefolder');
		const models = join(mkdtempSync(join(tmpdir(), 'dragoman-models-')), 'models');
		symlinkSync(testModels.folder, models);
		const app = await open(
			microphoneOf(
				prompts.map(({ pcm }) => pcm),
				120,
			),
			{ mode: 'conversation' },
			models,
		);
		const { page } = app;
		await button(page, 'Start').click();
		await untilPhase(page, 'Live');
		const said = async () => (await captionsRegion(page).textContent()) ?? '';
		const finals = captionsRegion(page).locator('[data-final="true"]');
		await until('a sentence is there', async () => (await finals.count()) > 0, 60_000);
		const before = await finals.allTextContents();
		const [interpreter = 0, ...others] = interpretersOf(models);
		expect([interpreter > 0, others]).toEqual([true, []]);
		// As a system without memory does.
		process.kill(interpreter, 'SIGKILL');
		await until('the next is', async () => shareHeard(prompts[1]?.text ?? '', await said()) > 0.7, 60_000);
		expect((await finals.allTextContents()).slice(0, before.length)).toEqual(before);
		await untilPhase(page, 'Live');
		await button(page, 'Stop').click();
		await button(page, 'Start').waitFor({ timeout: 45_000 });
	}, 180_000);

	test('face to face, each is heard in their own language, and which it is is found out', async () => {
		const app = await open(microphoneOf([], 60), { mode: 'face', faceTalk: 'automatic' });
		const { page } = app;
		await page.evaluate(() => (window as unknown as { __probe: PageProbe }).__probe.begin({ speaker: true }));
		await button(page, 'Start').click();
		const newest = (side: 'me' | 'partner') =>
			page.locator(`section[data-side="${side}"] [data-newest="true"]`).textContent();
		const cue = (side: 'me' | 'partner') =>
			page.locator(`section[data-side="${side}"]`).getAttribute('data-cue');
		await until('it listens', async () => (await cue('partner')) === 'speak', 30_000);
		const [prompt] = promptsOf('en', 'conf-getconfno');
		await say(page, prompt?.pcm ?? Buffer.alloc(0), RATE);
		await until(
			'the partner reads Portuguese',
			async () => shareHeard('número conferência', (await newest('partner')) ?? '') > 0.4,
			30_000,
		);
		await until('it is the partner’s turn', async () => (await cue('partner')) === 'your-turn', 30_000);
		const pieces: Sound[] = [];
		const question = {
			text: 'Muito obrigado, a reunião começa amanhã de manhã às nove horas.',
			language: 'pt',
		};
		(await createEspeak()).speak(
			{ ...question, timbre: 'low', tempo: 1 },
			(piece) => void pieces.push(piece),
		);
		const { samples, rateHz } = joined(pieces);
		await say(page, Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength), rateHz);
		// No recording of a person is to be had in Portuguese, and of this voice few words are understood; but not as English.
		await until('I read English', async () => wordsIn((await newest('me')) ?? '').length > 3, 30_000);
		await button(page, 'Stop').click();
		await button(page, 'Start').waitFor({ timeout: 45_000 });
	}, 180_000);
});

async function open(
	microphone: string,
	settings: Record<string, unknown>,
	models = testModels.folder,
): Promise<Launched> {
	const app = await launch({
		microphone,
		settings: {
			interfaceLanguage: 'en',
			service: 'local',
			speak: 'en',
			hear: ['pt'],
			warmIdleS: 0,
			...settings,
		},
		env: { DRAGOMAN_MODELS: models },
	});
	closing.push(() => app.kill('SIGKILL').catch(() => {}));
	await untilPhase(app.page, 'Ready');
	return app;
}

/** Somebody at the table says it. Resolves when it has been said. */
async function say(page: Page, pcm: Buffer, rateHz: number): Promise<void> {
	await page.evaluate(
		([base64, hz]) => {
			const { __probe: probe } = window as unknown as { __probe: PageProbe };
			probe.learn(base64, hz);
			probe.speak();
		},
		[pcm.toString('base64'), rateHz] as const,
	);
	await new Promise((done) => setTimeout(done, (pcm.length / 2 / rateHz) * 1000));
}
