import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { createClips, phrases } from '#sandbox/canned/phrases.ts';
import type { Interpreter } from '#sandbox/interpreter/transport.ts';
import { startSandbox } from '#sandbox/sandbox.ts';
import { SPEECH_HZ } from '#sandbox/speech/pcm.ts';
import { createSynthesizer } from '#sandbox/speech/synthesizer.ts';
import type { CaptionRecord } from '#shared/captions/export-formats.ts';
import {
	activity,
	button,
	longMicrophone,
	pageNow,
	recorded,
	startLive,
	until,
} from '#test/support/app-steps.ts';
import { launch } from '#test/support/launch.ts';

/** Louder than this somebody speaks: linear RMS of 20 ms. */
const SPEECH = 0.01;

/** What the interpreters hear, one after another as they were made. */
function listenToAll() {
	const ears: { readonly atMs: number; readonly ms: number }[][] = [];
	return {
		ears,
		interpose(interpreter: Interpreter): Interpreter {
			const own: { atMs: number; ms: number }[] = [];
			ears.push(own);
			return {
				command: (text) => interpreter.command(text),
				hear(level, ms) {
					if (level > SPEECH) own.push({ atMs: performance.now(), ms });
					interpreter.hear(level, ms);
				},
				heardPacket: (payload) => interpreter.heardPacket?.(payload),
				get task() {
					return interpreter.task ?? null;
				},
				close: () => interpreter.close(),
			};
		},
	};
}

const speechMs = (ear: readonly { readonly ms: number }[] = []) => ear.reduce((sum, { ms }) => sum + ms, 0);

/** How much of it can be heard, ms. */
const soundMs = (pcm: Int16Array, rate: number) =>
	activity(pcm, { rate, floor: SPEECH, gapMs: 0, leastMs: 20 }).reduce(
		(sum, { fromMs, toMs }) => sum + toMs - fromMs,
		0,
	);

/** How long the sandbox's voice can be heard when it says this Spanish sentence, ms. */
async function clipMs(text: string): Promise<number> {
	const phrase = phrases.find(({ text: { es } }) => es === text);
	const synthesizer = createSynthesizer();
	const samples = await synthesizer.samples(createClips().packets('es', phrase?.number ?? 0));
	synthesizer.close();
	return soundMs(samples, SPEECH_HZ);
}

/** All captions so far, by the window's own "Save captions". */
async function captions(page: Page): Promise<readonly CaptionRecord[]> {
	await button(page, 'Save captions').click();
	const dialog = page.getByRole('dialog');
	await dialog.getByRole('button', { name: /Format/ }).click();
	await page.getByRole('option', { name: 'Data (JSON)' }).click();
	await dialog.getByRole('button', { name: 'Save captions' }).click();
	const said = (await dialog.getByText(/^Saved to/).textContent()) ?? '';
	const path = said.replace(/^Saved to /, '').replaceAll(/[\u2066-\u2069]/g, '');
	await dialog.getByRole('button', { name: 'Close' }).first().click();
	return JSON.parse(readFileSync(path, 'utf8'));
}

test('a room that wants to be left, and a session that cannot be kept: one word after the other is heard, once, and nothing is left', async () => {
	const saved = mkdtempSync(join(tmpdir(), 'dragoman-saved-'));
	onTestFinished(() => rmSync(saved, { recursive: true, force: true, maxRetries: 3 }));
	const listening = listenToAll();
	const sandbox = await startSandbox({
		interpose: listening.interpose,
		// The room wants to be left; the session after it cannot be kept.
		faults: ['leave-reconnect:4000', 'expires-joined:40000'],
	});
	onTestFinished(() => sandbox.close());
	const env = { DRAGOMAN_SAVE_FOLDER: saved };
	const app = await launch({ microphone: longMicrophone(), service: sandbox, env });
	onTestFinished(async () => void (await app.kill('SIGKILL')));
	const { page } = app;
	await startLive(page);
	const liveMs = await pageNow(page);
	const liveAtMs = performance.now();
	sandbox.setFault('leave-reconnect', false);
	await until('a second session', () => sandbox.counts().created === 2, 15_000);
	sandbox.setFault('expires-joined', false);
	let most = 0;
	const counting = setInterval(() => {
		most = Math.max(most, sandbox.openSessions().length);
	}, 100);
	onTestFinished(() => clearInterval(counting));
	/** Until the conversation has gone over to session `number`, and the one before it is deleted. */
	async function untilReplaced(number: number): Promise<void> {
		await until(`session ${number} hears`, () => speechMs(listening.ears[number - 1]) > 200, 45_000);
		await until('one session is left', () => sandbox.openSessions().length === 1, 15_000);
	}
	await untilReplaced(2);
	await untilReplaced(3);
	clearInterval(counting);
	await until('the third is translated', () => speechMs(listening.ears[2]) > 2500, 20_000);
	const stopMs = await pageNow(page);
	const stopAtMs = performance.now();
	await button(page, 'Stop').click();
	await button(page, 'Start').waitFor({ timeout: 45_000 });

	// Always live, with two sessions during the hand-over and none at the end.
	expect(app.log()).not.toMatch(/"stage":"(reconnecting|failed)"/);
	const { created, deleted } = sandbox.counts();
	expect([created, deleted, most, sandbox.openSessions()]).toEqual([3, 3, 2, []]);

	// They heard the speaker one after the other, and together they heard everything.
	const spans = listening.ears.map((ear) => [ear[0]?.atMs ?? 0, ear.at(-1)?.atMs ?? 0] as const);
	for (const [index, [fromMs]] of spans.entries())
		expect(fromMs, `${index}`).toBeGreaterThan(spans[index - 1]?.[1] ?? 0);
	const spoken = activity(await recorded(page, 'spoken', liveMs), { floor: SPEECH, gapMs: 0, leastMs: 20 });
	const spokenMs = spoken.reduce(
		(sum, { fromMs, toMs }) => sum + Math.max(0, Math.min(toMs, stopMs - liveMs) - fromMs),
		0,
	);
	// In the same time, for a slow window shows late that it is live, and stops late.
	const heardMs = speechMs(listening.ears.flat().filter(({ atMs }) => atMs >= liveAtMs && atMs <= stopAtMs));
	expect(heardMs / spokenMs).toBeGreaterThan(0.93);
	expect(heardMs / spokenMs).toBeLessThan(1.07);

	// Every sentence once, whole, translated, in the order it was said; no mark of speech that was lost.
	const records = await captions(page);
	const sources = records.filter(({ kind }) => kind === 'source');
	const translations = records.filter(({ kind }) => kind === 'translation');
	expect(records.filter((one) => one.kind !== 'source' && one.kind !== 'translation')).toEqual([]);
	expect(sources.length).toBeGreaterThan(3);
	expect(translations).toHaveLength(sources.length);

	// The voice says each of them, once. Sentences that wait for each other follow without a pause, so their time is compared.
	const said = await Promise.all(translations.map(({ text }) => clipMs(text)));
	const voiceMs = soundMs(await recorded(page, 'heard', liveMs), 48_000);
	const ratio = voiceMs / said.reduce((sum, ms) => sum + ms, 0);
	expect(ratio).toBeGreaterThan(0.93);
	expect(ratio).toBeLessThan(1.07);

	await page.close();
	expect(await app.exited).toBe(0);
}, 150_000);
