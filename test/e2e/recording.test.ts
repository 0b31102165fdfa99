import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { phrases } from '#sandbox/canned/phrases.ts';
import { button, longMicrophone, until, untilCaptions, untilPhase } from '#test/support/app-steps.ts';
import { launch } from '#test/support/launch.ts';
import { channels, loud, recordingIn } from '#test/support/recordings.ts';

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
		await page.getByText('Recording begins with the conversation.').waitFor();
		const startedAt = performance.now();
		await button(page, 'Start').click();
		await untilPhase(page, 'Live');
		await page.getByText('Recording the original and its translation.').waitFor();
		await untilCaptions(page, [phrases[0]?.text.es ?? '']);
		await until(
			'two seconds of the voice are in the file',
			() => {
				const { rate, translated } = channels(recordingIn(folder));
				return loud(translated, rate) > 2;
			},
			40_000,
		);
		await button(page, 'Stop').click();
		const stopNow = button(page, 'Stop now');
		if (await stopNow.isVisible()) await stopNow.click();
		await page.getByText(/Saved to .*Conversation \d{4}-\d\d-\d\d \d\d\.\d\d\.wav/).waitFor();
		const wholeS = (performance.now() - startedAt) / 1000;

		const { rate, said, translated } = channels(recordingIn(folder));
		const lengthS = said.length / rate;
		// From Start to Stop; only the last piece, still in flight, may be missing.
		expect(lengthS).toBeGreaterThan(wholeS - 4);
		expect(lengthS).toBeLessThan(wholeS + 1);
		// The shortest of the sentences that may be played takes two seconds.
		expect(loud(said, rate)).toBeGreaterThan(1.5);
		expect(firstLoud(translated, rate)).toBeGreaterThan(firstLoud(said, rate));

		// It can be played where the conversation is kept, from any of its captions.
		await button(page, 'History').click();
		await page
			.getByRole('listitem')
			.getByRole('button', { name: /^Open / })
			.click();
		const player = page.getByRole('slider', { name: 'Position in the recording' });
		const placed = async () => Number(await player.inputValue());
		await player.waitFor();
		expect(Math.abs(Number(await player.getAttribute('max')) / 1000 - lengthS)).toBeLessThan(1);
		const times = page.getByRole('button', { name: /^Play from / });
		await times.last().click();
		await page.getByRole('button', { name: 'Pause' }).waitFor();
		await until('the last caption is played', async () => (await placed()) > 3000, 20_000);
		const marked = page.locator('[data-played="true"]');
		expect(await marked.textContent()).toContain(await times.last().textContent());
		await times.first().click();
		await until(
			'the first caption is played',
			async () => (await marked.textContent())?.includes(phrases[0]?.text.es ?? '') === true,
			20_000,
		);
		rmSync(recordingIn(folder));
		await button(page, 'All conversations').or(button(page, 'Back')).first().click();
		await page
			.getByRole('listitem')
			.getByRole('button', { name: /^Open / })
			.click();
		await page.getByText(/Conversation .*\.wav.* cannot be played: the file was moved/).waitFor();
	} finally {
		await app.close();
		rmSync(folder, { recursive: true, force: true });
	}
}, 120_000);
