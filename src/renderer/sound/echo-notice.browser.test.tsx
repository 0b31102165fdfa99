import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { createFakeWindow } from '#test/support/fake-window.ts';
import { axeFindings, renderWindow } from '#test/support/render-window.tsx';

test('that the microphone hears the translation is said with two ways out, one press each', async () => {
	const shown = await renderWindow(createFakeWindow({ echo: { heard: true } }));
	await expect.element(page.getByText(/microphone picks up the translation/)).toBeVisible();
	expect(await axeFindings()).toEqual([]);
	await page.getByRole('button', { name: 'Choose headphones' }).click();
	expect(shown.parts.navigation.store.getState().place).toBe('output');
	await page.getByRole('button', { name: 'Microphone off while the voice speaks' }).click();
	await expect.poll(() => shown.parts.settings.store.getState().values.gate).toBe('on');
});

test('another microphone is one press away, and taken; where there is none, none is offered', async () => {
	const microphones = [
		{ id: 'm1', label: 'Built-in' },
		{ id: 'm2', label: 'Jabra Evolve2 65' },
	];
	const sound = { microphones, listed: true, systemMicrophone: 'Built-in' };
	const shown = await renderWindow(createFakeWindow({ echo: { heard: true }, sound }));
	await page.getByRole('button', { name: /Use .?Jabra Evolve2 65/ }).click();
	await expect.poll(() => shown.parts.settings.store.getState().values.microphone?.id).toBe('m2');
	shown.parts.sound.store.setState({ microphones: [{ id: 'm2', label: 'Jabra Evolve2 65' }] });
	await expect.element(page.getByRole('button', { name: /^Use/ })).not.toBeInTheDocument();
});

test('what was done by itself can be undone', async () => {
	const shown = await renderWindow(createFakeWindow({ echo: { heard: true, gated: true } }));
	await expect.element(page.getByText(/it is now off while the voice speaks/)).toBeVisible();
	await page.getByRole('button', { name: 'Leave it on' }).click();
	await expect.poll(() => shown.parts.settings.store.getState().values.gate).toBe('off');
});

test('nothing is said while all is well', async () => {
	await renderWindow(createFakeWindow());
	expect(page.getByText(/picks up the translation/).elements()).toEqual([]);
});
