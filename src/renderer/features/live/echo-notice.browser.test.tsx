import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { createFakeWindow } from '#test/support/fake-window.ts';
import { axeFindings, renderWindow } from '#test/support/render-window.tsx';

test('that the microphone hears the translation is said with two ways out, one press each', async () => {
	const shown = await renderWindow(createFakeWindow({ echo: { heard: true } }));
	await expect.element(page.getByText(/microphone hears the translation/)).toBeVisible();
	expect(await axeFindings()).toEqual([]);
	await page.getByRole('button', { name: 'Choose headphones' }).click();
	expect(shown.parts.navigation.store.getState().place).toBe('output');
	await page.getByRole('button', { name: 'Microphone off while the voice speaks' }).click();
	await expect.poll(() => shown.parts.settings.store.getState().values.gate).toBe('on');
});

test('what was done by itself can be undone', async () => {
	const shown = await renderWindow(createFakeWindow({ echo: { heard: true, gated: true } }));
	await expect.element(page.getByText(/it is now off while the voice speaks/)).toBeVisible();
	await page.getByRole('button', { name: 'Leave it on' }).click();
	await expect.poll(() => shown.parts.settings.store.getState().values.gate).toBe('off');
});

test('nothing is said while all is well', async () => {
	await renderWindow(createFakeWindow());
	expect(page.getByText(/hears the translation/).elements()).toEqual([]);
});
