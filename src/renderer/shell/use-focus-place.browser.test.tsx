import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { createFakeWindow } from '#test/support/fake-window.ts';
import { renderWindow } from '#test/support/render-window.tsx';

const panel = page.getByRole('complementary', { name: 'Sound and pace' });
const microphone = () => panel.getByRole('button', { name: /^System default: MacBook Pro Microphone/ });
const close = () => panel.getByRole('button', { name: 'Close' }).click();
const drawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));

test('a place is led to once: what is shown anew takes no focus and opens nothing', async () => {
	const shown = await renderWindow(createFakeWindow());
	const { settings, navigation } = shown.parts;
	navigation.go('live', 'microphone');
	await expect.element(microphone()).toHaveFocus();
	await close();
	await expect.element(panel).not.toBeInTheDocument();
	await page.getByRole('button', { name: 'Sound and pace' }).click();
	await expect.element(microphone()).toBeVisible();
	await drawn();
	expect(document.activeElement).not.toBe(microphone().element());
	await close();
	// The two halves take the place of the page, and it comes back.
	await settings.write({ mode: 'face' });
	shown.conversation.show({ phase: 'live', liveSinceMs: 0 });
	await expect.element(page.getByRole('region', { name: 'Your half' })).toBeVisible();
	shown.conversation.show({ phase: 'idle' });
	await expect.element(page.getByRole('button', { name: 'Start', exact: true })).toBeVisible();
	await drawn();
	expect(settings.store.getState().values.soundOpen).toBe(false);
});

test('a place that is asked for again is led to again', async () => {
	const shown = await renderWindow(createFakeWindow());
	const { navigation } = shown.parts;
	navigation.go('live', 'microphone');
	await expect.element(microphone()).toHaveFocus();
	await close();
	await expect.element(panel).not.toBeInTheDocument();
	navigation.go('live', 'microphone');
	await expect.element(microphone()).toHaveFocus();
});
