import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { err, ok } from '#shared/lib/result.ts';
import { createFakeWindow } from '#test/support/fake-window.ts';
import { renderPart } from '#test/support/render-window.tsx';
import type { Sound, Take } from './sound.ts';
import { SoundPanel } from './sound-panel.tsx';

const RATE_HZ = 24_000;

/** Five seconds of words with pauses between them, over a room; amplitudes 0..1. */
function take(loud: number, room: (seconds: number) => number = () => 0): Take {
	const samples = Int16Array.from({ length: 5 * RATE_HZ }, (_, at) => {
		const seconds = at / RATE_HZ;
		const word = seconds % 0.5 < 0.3 ? loud * Math.sin(2 * Math.PI * 220 * seconds) : 0;
		return Math.round(32_767 * Math.max(-1, Math.min(1, word + room(seconds))));
	});
	return { samples, rateHz: RATE_HZ };
}

/** A window whose microphone gives what the test wants, when it wants. */
async function show(given: Take, liveliest: { id: string; label: string } | null = null) {
	const window_ = createFakeWindow({ settings: { mode: 'solo', soundOpen: true } });
	const { sound } = window_.parts;
	const played: Take[] = [];
	const recordings = { open: 0 };
	let over = () => {};
	let heard: () => void = () => {};
	Object.assign(sound, {
		liveliest: async () => liveliest,
		async record({ signal, ended }) {
			recordings.open += 1;
			const stop = () => {
				if (recordings.open > 0) recordings.open -= 1;
				return given;
			};
			signal.addEventListener('abort', stop);
			over = () => {
				stop();
				ended();
			};
			return ok({ lengthMs: () => 0, level: () => 0.5, stop: () => given });
		},
		play: (one, signal) =>
			new Promise((done) => {
				played.push(one);
				heard = () => done(ok());
				signal.addEventListener('abort', heard);
			}),
	} satisfies Partial<Sound>);
	await renderPart(window_, <SoundPanel />);
	return { window: window_, played, recordings, over: () => over(), heard: () => heard() };
}

test('what was said is played back, and it is said that all is well', async () => {
	const given = take(0.3);
	const shown = await show(given);
	await page.getByRole('button', { name: 'Test the microphone' }).click();
	await expect.element(page.getByText(/Say something/)).toBeVisible();
	shown.over();
	await expect.element(page.getByText(/This is how you sound/)).toBeVisible();
	expect(shown.played).toEqual([given]);
	shown.heard();
	await expect.element(page.getByText(/You can be heard well\. Your voice: .*-1\d dB/)).toBeVisible();
});

test.each([
	['very quiet', take(0.008, () => 0)],
	['too loud', take(1.5)],
	['a hum', take(0.3, (seconds) => 0.02 * Math.sin(2 * Math.PI * 50 * seconds))],
])('%s is named after it was played', async (words, given) => {
	const shown = await show(given);
	await page.getByRole('button', { name: 'Test the microphone' }).click();
	await expect.element(page.getByText(/Say something/)).toBeVisible();
	shown.over();
	await expect.poll(() => shown.played).toHaveLength(1);
	shown.heard();
	await expect.element(page.getByText(new RegExp(words))).toBeVisible();
});

test('nothing is not played; another microphone that hears is offered and taken', async () => {
	const shown = await show(take(0), { id: 'm2', label: 'Jabra' });
	await page.getByRole('button', { name: 'Test the microphone' }).click();
	await expect.element(page.getByText(/Say something/)).toBeVisible();
	shown.over();
	await expect.element(page.getByText(/Nothing was heard/)).toBeVisible();
	expect(shown.played).toEqual([]);
	await page.getByRole('button', { name: /Use .*Jabra/ }).click();
	await expect
		.poll(() => shown.window.parts.settings.store.getState().values.microphone)
		.toEqual({ id: 'm2', label: 'Jabra' });
});

test('stopped, and started in the middle of it: the microphone is let go and nothing is played', async () => {
	const shown = await show(take(0.3));
	await page.getByRole('button', { name: 'Test the microphone' }).click();
	await expect.element(page.getByText(/Say something/)).toBeVisible();
	await page.getByRole('button', { name: 'Stop the test' }).click();
	expect(shown.recordings.open).toBe(0);
	await expect.element(page.getByRole('button', { name: 'Test the microphone' })).toBeVisible();
	await page.getByRole('button', { name: 'Test the microphone' }).click();
	await expect.element(page.getByText(/Say something/)).toBeVisible();
	shown.window.conversation.show({ phase: 'live' });
	await expect.poll(() => shown.recordings.open).toBe(0);
	expect(shown.played).toEqual([]);
	await expect.element(page.getByText(/Say something/)).not.toBeInTheDocument();
	shown.window.conversation.show({ phase: 'idle' });
	await expect.element(page.getByRole('button', { name: 'Test the microphone' })).toBeVisible();
});

test('a microphone that cannot be opened says why', async () => {
	const shown = await show(take(0.3));
	Object.assign(shown.window.parts.sound, { record: async () => err({ kind: 'microphone-denied' }) });
	await page.getByRole('button', { name: 'Test the microphone' }).click();
	await expect.element(page.getByRole('alert').first()).toBeVisible();
});

test('when the panel goes the microphone is let go, and nothing is played', async () => {
	const shown = await show(take(0.3));
	await page.getByRole('button', { name: 'Test the microphone' }).click();
	await expect.element(page.getByText(/Say something/)).toBeVisible();
	expect(shown.recordings.open).toBe(1);
	// There is no microphone in it.
	await shown.window.parts.settings.write({ mode: 'listen' });
	await expect.poll(() => shown.recordings.open).toBe(0);
	expect(shown.played).toEqual([]);
});
