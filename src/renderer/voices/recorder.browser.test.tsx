import { expect, onTestFinished, test, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { RECORDING_PIECE_BYTES, type VoiceSample } from '#shared/host/voices.ts';
import { err, ok } from '#shared/lib/result.ts';
import { createFakeWindow, type FakeMain } from '#test/support/fake-window.ts';
import { axeFindings, renderPart } from '#test/support/render-window.tsx';
import { SampleRecorder } from './recorder.tsx';

const sample: VoiceSample = {
	sample: 's1',
	name: 'Recording.wav',
	bytes: 1_488_044,
	mimeType: 'audio/wav',
	durationMs: 31_000,
};
const button = (name: string) => page.getByRole('button', { name, exact: true });

async function open(answers: FakeMain['answers'] = {}, language = 'en') {
	const shown = createFakeWindow({
		answers: {
			'voice.begin-recording': () => ok({ recording: 'r1' }),
			'voice.append-recording': () => ok(),
			'voice.end-recording': () => ok(sample),
			...answers,
		},
	});
	const taken = vi.fn<(given: VoiceSample) => void>();
	await renderPart(shown, <SampleRecorder language={language} onTaken={taken} />);
	return { shown, taken, sent: () => shown.asked.filter(([name]) => name.startsWith('voice.')) };
}

test('a text is shown to be read; what was recorded is checked and handed over whole, as a WAV', async () => {
	const { taken, sent } = await open();
	await expect.element(page.getByText(/This morning I walked/)).toBeVisible();
	await button('Record').click();
	await expect.element(page.getByRole('meter')).toBeVisible();
	await expect.element(button('Stop recording')).toHaveFocus();
	await button('Stop recording').click();
	await expect.element(page.getByText('It sounds good.')).toBeVisible();
	expect(await axeFindings()).toEqual([]);
	await button('Use this recording').click();
	await expect.poll(() => taken.mock.calls).toEqual([[sample]]);
	const pieces = sent().flatMap(([name, input]) =>
		name === 'voice.append-recording' ? [input as { at: number; base64: string }] : [],
	);
	expect(atob(pieces[0]?.base64 ?? '').slice(0, 4)).toBe('RIFF');
	expect(pieces.map(({ at }) => at)).toEqual(pieces.map((_, index) => index * RECORDING_PIECE_BYTES));
	const bytes = pieces.reduce((sum, { base64 }) => sum + atob(base64).length, 0);
	expect(bytes).toBe(44 + 31 * 24_000 * 2);
});

test('it says of itself that it is not kept yet, from the first moment on', async () => {
	await open();
	const unsaved = () => document.querySelector('main [data-unsaved]') !== null;
	await expect.element(button('Record')).toBeVisible();
	expect(unsaved()).toBe(false);
	await button('Record').click();
	await expect.element(page.getByRole('meter')).toBeVisible();
	expect(unsaved()).toBe(true);
	await button('Stop recording').click();
	await expect.element(button('Use this recording')).toBeVisible();
	expect(unsaved()).toBe(true);
});

test('it is cut with the keyboard, and too little of it cannot be used', async () => {
	await open();
	await button('Record').click();
	await button('Stop recording').click();
	const end = page.getByRole('slider', { name: 'End at' });
	end.element().focus();
	await userEvent.keyboard('{Home}');
	await expect.element(page.getByText(/shorter than 5 seconds/)).toBeVisible();
	await expect.element(button('Use this recording')).toBeDisabled();
	await userEvent.keyboard('{End}');
	await expect.element(button('Use this recording')).toBeEnabled();
});

test('where one reads from the right the picture begins there, as its sliders do', async () => {
	await open();
	await button('Record').click();
	await button('Stop recording').click();
	const end = page.getByRole('slider', { name: 'End at' });
	(end.element() as HTMLElement).focus();
	await userEvent.keyboard('{PageDown}');
	const before = document.documentElement.dir;
	document.documentElement.dir = 'rtl';
	onTestFinished(() => {
		document.documentElement.dir = before;
	});
	const picture = document.querySelector('svg[viewBox="0 0 120 40"]');
	const [whole, kept] = [...(picture?.querySelectorAll('path') ?? [])].map((path) =>
		path.getBoundingClientRect(),
	);
	if (!whole || !kept) throw new Error('there is no picture of the recording');
	expect(kept.right).toBeCloseTo(whole.right, 0);
	expect(kept.left).toBeGreaterThan(whole.left + 10);
});

test('recording again keeps the earlier one until another is used', async () => {
	await open();
	await button('Record').click();
	await button('Stop recording').click();
	await button('Record again').click();
	await button('Stop recording').click();
	await button('Back to the earlier recording').click();
	await expect.element(button('Use this recording')).toBeVisible();
	expect(document.body.textContent).not.toContain('Back to the earlier recording');
});

test('a failed upload shows the problem, leaves nothing half sent, and keeps the recording', async () => {
	const { taken, sent } = await open({
		'voice.append-recording': () => err({ kind: 'storage-failed', what: 'disk full' }),
	});
	await button('Record').click();
	await button('Stop recording').click();
	await button('Use this recording').click();
	await expect.element(page.getByRole('alert')).toBeVisible();
	await expect.element(button('Use this recording')).toBeEnabled();
	expect(sent().at(-1)).toEqual(['voice.discard-sample', { sample: 'r1' }]);
	expect(taken).not.toHaveBeenCalled();
});

test('without a text for the language one is told to speak freely', async () => {
	await open({}, 'mt');
	await expect.element(page.getByText(/Speak freely/)).toBeVisible();
});

test('what was cut away is neither played nor handed over', async () => {
	const { shown, taken, sent } = await open();
	const played: number[] = [];
	const { play } = shown.parts.sound;
	Object.assign(shown.parts.sound, {
		play(...given: Parameters<typeof play>) {
			played.push(given[0].samples.length);
			return play(...given);
		},
	});
	await button('Record').click();
	await button('Stop recording').click();
	const end = page.getByRole('slider', { name: 'End at' });
	(end.element() as HTMLElement).focus();
	await userEvent.keyboard('{PageDown}');
	const toS = () => Number((end.element() as HTMLInputElement).value);
	await expect.poll(toS).toBeLessThan(31);
	const samples = Math.round(toS() * 24_000);
	await button('Listen').click();
	await expect.poll(() => played).toEqual([samples]);
	await button('Use this recording').click();
	await expect.poll(() => taken.mock.calls).toEqual([[sample]]);
	const pieces = sent().flatMap(([name, input]) =>
		name === 'voice.append-recording' ? [(input as { base64: string }).base64] : [],
	);
	const bytes = pieces.reduce((sum, base64) => sum + atob(base64).length, 0);
	expect(bytes).toBe(44 + samples * 2);
});
