import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { phrases } from '#sandbox/interpreter/phrases.ts';
import { button, longMicrophone, until, untilCaptions, untilPhase } from '#test/support/app-steps.ts';
import { launch } from '#test/support/launch.ts';

/** Left and right of a stereo WAV, −1 to 1. */
function channels(file: string): {
	readonly rate: number;
	readonly said: Float32Array;
	readonly translated: Float32Array;
} {
	const bytes = readFileSync(file);
	const rate = bytes.readUInt32LE(24);
	const length = Math.floor(bytes.readUInt32LE(40) / 4);
	const side = (offset: number) =>
		Float32Array.from({ length }, (_, at) => bytes.readInt16LE(44 + at * 4 + offset) / 32_768);
	return { rate, said: side(0), translated: side(2) };
}

/** Seconds in which something is heard, in tenths. */
function loud(samples: Float32Array, rate: number): number {
	const piece = Math.round(rate / 10);
	let count = 0;
	for (let at = 0; at + piece <= samples.length; at += piece)
		if (samples.subarray(at, at + piece).some((sample) => Math.abs(sample) > 0.02)) count += 1;
	return count / 10;
}

const firstLoud = (samples: Float32Array, rate: number) =>
	samples.findIndex((one) => Math.abs(one) > 0.02) / rate;

it('with consent a conversation is recorded, what is said on the left and its translation on the right, from Start on', async () => {
	const folder = mkdtempSync(join(tmpdir(), 'dragoman-recording-'));
	const app = await launch({
		env: { DRAGOMAN_SAVE_FOLDER: folder },
		microphone: longMicrophone(),
		settings: { version: 1, service: 'sandbox', interfaceLanguage: 'en' },
	});
	const { page } = app;
	try {
		await button(page, 'Sound and pace').click();
		await button(page, 'Record').click();
		await button(page, 'Everybody agrees: choose a file').click();
		await page.getByText('Recording begins when you press Start.').waitFor();
		const startedAt = performance.now();
		await button(page, 'Start').click();
		await untilPhase(page, 'Live');
		await page.getByText('Recording the original and its translation.').waitFor();
		await untilCaptions(page, [phrases[0]?.text.es ?? '']);
		const file = join(folder, 'Conversation.wav');
		await until(
			'two seconds of the voice are in the file',
			() => {
				const { rate, translated } = channels(file);
				return loud(translated, rate) > 2;
			},
			40_000,
		);
		await button(page, 'Stop').click();
		const stopNow = button(page, 'Stop now');
		if (await stopNow.isVisible()) await stopNow.click();
		await page.getByText(/Saved to .*Conversation\.wav/).waitFor();
		const wholeS = (performance.now() - startedAt) / 1000;

		const { rate, said, translated } = channels(file);
		const lengthS = said.length / rate;
		// From Start to Stop: what is missing at the end is the way of the last piece.
		expect(lengthS).toBeGreaterThan(wholeS - 4);
		expect(lengthS).toBeLessThan(wholeS + 1);
		expect(loud(said, rate)).toBeGreaterThan(3);
		expect(firstLoud(translated, rate)).toBeGreaterThan(firstLoud(said, rate));
	} finally {
		await app.close();
		rmSync(folder, { recursive: true, force: true });
	}
}, 120_000);
