import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { writeWav } from '#stand-in/drive/wav.ts';
import { button, captionsRegion, until, untilPhase } from '#test/support/app-steps.ts';
import { activity, lastPress, recorded } from '#test/support/audio-probe.ts';
import { startClosedNetwork } from '#test/support/closed-network.ts';
import { launch } from '#test/support/launch.ts';
import { notRun } from '#test/support/not-run.ts';
import { noModels, promptsOf, shareHeard, testModels } from '#test/support/test-models.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
	for (const close of closing.splice(0).reverse()) await close();
});

const RATE = 16_000;

/** A person who says these sentences, again and again, with pauses between. */
function microphoneOf(sentences: readonly Buffer[], seconds: number): string {
	const gap = Buffer.alloc(RATE * 2 * 1.5);
	const once = Buffer.concat(sentences.flatMap((pcm) => [gap, pcm]));
	const all = new Int16Array(RATE * seconds);
	const said = new Int16Array(once.buffer.slice(once.byteOffset, once.byteOffset + once.length));
	for (let at = 0; at + said.length <= all.length; at += said.length) all.set(said, at);
	const file = join(mkdtempSync(join(tmpdir(), 'dragoman-local-')), 'microphone.wav');
	writeFileSync(file, writeWav(RATE, all));
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
});
