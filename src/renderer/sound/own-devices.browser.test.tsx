import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { createFakeWindow } from '#test/support/fake-window.ts';
import { renderWindow } from '#test/support/render-window.tsx';

test('the virtual microphone of ours is offered neither to speak into nor to hear from', async () => {
	await renderWindow(
		createFakeWindow({
			settings: { soundOpen: true },
			sound: {
				microphones: [
					{ id: 'm', label: 'Laptop' },
					{ id: 'dm', label: 'Dragoman microphone' },
				],
				outputs: [
					{ id: 'o', label: 'Headphones' },
					{ id: 'dv', label: 'Dragoman voice' },
				],
			},
		}),
	);
	const picker = (name: RegExp) => page.getByRole('button', { name });
	await picker(/Microphone$/).click();
	await expect.element(page.getByRole('option', { name: 'Laptop' })).toBeVisible();
	await expect.element(page.getByRole('option', { name: 'Dragoman microphone' })).not.toBeInTheDocument();
	await userEvent.keyboard('{Escape}');
	await picker(/Speakers$/).click();
	await expect.element(page.getByRole('option', { name: 'Headphones' })).toBeVisible();
	await expect.element(page.getByRole('option', { name: 'Dragoman voice' })).not.toBeInTheDocument();
});
