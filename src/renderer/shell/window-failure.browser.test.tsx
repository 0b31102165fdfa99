import { useState } from 'react';
import { expect, onTestFinished, test, vi } from 'vitest';
import { page } from 'vitest/browser';
import { createFakeWindow } from '#test/support/fake-window.ts';
import { axeFindings, renderPart, renderWindow } from '#test/support/render-window.tsx';
import { WindowFailure } from './app.tsx';

const button = (name: string) => page.getByRole('button', { name, exact: true });

/** Draws nothing but a button, and fails at its press until `mends()`. */
function Fragile({ isWhole }: { readonly isWhole: () => boolean }) {
	const [isPressed, press] = useState(false);
	if (isPressed && !isWhole()) throw new TypeError('no such caption');
	return (
		<button type="button" onClick={() => press(true)}>
			Fail
		</button>
	);
}

test('a window that fails while it is drawn says so; Stop stays, and the window can be shown again on its first page', async () => {
	// React reports what was caught there.
	const reported = vi.spyOn(console, 'error').mockImplementation(() => {});
	onTestFinished(() => reported.mockRestore());
	const shown = createFakeWindow();
	let isWhole = false;
	await renderPart(
		shown,
		<WindowFailure>
			<Fragile isWhole={() => isWhole} />
		</WindowFailure>,
	);
	shown.parts.navigation.go('settings');
	shown.conversation.show({ phase: 'live', liveSinceMs: 0 });
	await button('Fail').click();
	await expect.element(page.getByText(/Something in this window failed.*continues/)).toBeVisible();
	expect(shown.asked).toContainEqual([
		'log.write',
		expect.objectContaining({
			level: 'error',
			message: 'the window failed',
			facts: expect.arrayContaining([['failure', 'TypeError: no such caption']]),
		}),
	]);
	await button('Stop').click();
	expect(shown.conversation.calls).toContainEqual(['stop']);
	shown.conversation.show({ phase: 'ending', tail: true });
	await button('Stop now').click();
	expect(shown.conversation.calls).toContainEqual(['stopNow']);
	shown.conversation.show({ phase: 'idle' });
	await expect.poll(() => button('Stop now').query()).toBeNull();
	isWhole = true;
	await button('Show the window again').click();
	await expect.element(button('Fail')).toBeVisible();
	expect(shown.parts.navigation.store.getState().page).toBe('live');
});

test('a page of the whole window that fails leaves the others', async () => {
	const reported = vi.spyOn(console, 'error').mockImplementation(() => {});
	onTestFinished(() => reported.mockRestore());
	const shown = await renderWindow(createFakeWindow());
	shown.parts.navigation.go('nosuch' as never);
	await expect.element(page.getByText('Something in this window failed', { exact: false })).toBeVisible();
	expect(await axeFindings()).toEqual([]);
	await button('Show the window again').click();
	await expect.element(button('Start')).toBeVisible();
	// The button that was pressed is gone; the keyboard is on the page.
	await expect.element(page.getByRole('main')).toHaveFocus();
});
