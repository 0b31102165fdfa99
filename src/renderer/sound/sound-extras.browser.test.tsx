import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { createFakeWindow } from '#test/support/fake-window.ts';
import { axeFindings, renderWindow } from '#test/support/render-window.tsx';

test('one slider goes from what was said to the translation, by keyboard', async () => {
	const shown = await renderWindow(
		createFakeWindow({ settings: { soundOpen: true, voiceVolume: 1, originalVolume: 0 } }),
	);
	const slider = page.getByRole('slider', { name: 'Balance' });
	await expect.element(slider).toHaveAttribute('aria-valuetext', '+100%');
	(slider.element() as HTMLElement).focus();
	await userEvent.keyboard('{Home}');
	const values = () => shown.parts.settings.store.getState().values;
	await expect.poll(() => [values().voiceVolume, values().originalVolume]).toEqual([0, 1]);
	await userEvent.keyboard('{End}');
	await expect.poll(() => [values().voiceVolume, values().originalVolume]).toEqual([1, 0]);
});

test('a headset that has become a telephone is named, and a better microphone taken by one press', async () => {
	const sound = {
		microphones: [
			{ id: 'h', label: 'AirPods Pro' },
			{ id: 'm', label: 'MacBook Pro Microphone' },
		],
		outputs: [{ id: 'o', label: 'AirPods Pro' }],
		systemMicrophone: 'AirPods Pro',
		systemOutput: 'AirPods Pro',
	};
	const shown = await renderWindow(createFakeWindow({ settings: { soundOpen: true }, sound }));
	await expect.element(page.getByText(/sounds like a telephone/)).toBeVisible();
	expect(await axeFindings()).toEqual([]);
	await page.getByRole('button', { name: /Use .*MacBook Pro Microphone/ }).click();
	await expect.poll(() => shown.parts.settings.store.getState().values.microphone?.id).toBe('m');
	await expect.poll(() => page.getByText(/sounds like a telephone/).elements()).toEqual([]);
});
