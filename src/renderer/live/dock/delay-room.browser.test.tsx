import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { allWords } from '#test/support/all-words.ts';
import { createFakeWindow } from '#test/support/fake-window.ts';
import { renderWindow } from '#test/support/render-window.tsx';

test.each(
	(['en', 'es', 'fr'] as const).flatMap((interfaceLanguage) =>
		[1000, 870, 640].map((width) => ({ interfaceLanguage, width })),
	),
)('a long word for the delay lies on no button: $interfaceLanguage, $width px', async (one) => {
	const { interfaceLanguage, width } = one;
	const words = await allWords(interfaceLanguage);
	const shown = await renderWindow(createFakeWindow({ settings: { interfaceLanguage } }), width, 760);
	shown.conversation.show({ phase: 'live', liveSinceMs: 0, delayMs: 7800, usualDelayMs: 4000 });
	const said = page.getByText(words.shown.getState().t('live.delaySlow'), { exact: true });
	const seen = () => said.elements().filter((element) => element.getClientRects().length > 0);
	await expect.poll(() => seen().length).toBe(1);
	const box = (element: Element | undefined) => element?.getBoundingClientRect() ?? new DOMRect();
	const word = box(seen()[0]);
	const stop = box(
		page.getByRole('button', { name: words.shown.getState().t('live.stop'), exact: true }).element(),
	);
	const apart = word.top >= stop.bottom || word.left >= stop.right || word.right <= stop.left;
	expect(apart, JSON.stringify({ word, stop })).toBe(true);
	const sound = page
		.getByRole('button', { name: words.shown.getState().t('sound.open'), exact: true })
		.element();
	expect(sound.scrollWidth).toBeLessThanOrEqual(sound.clientWidth);
	// Two lines at most: the row of the buttons stays as high as Stop.
	expect(word.height).toBeLessThan(36);
});

test('in a window of the usual width what is beside it keeps its one line', async () => {
	const shown = await renderWindow(createFakeWindow(), 1000, 760);
	shown.conversation.show({ phase: 'live', liveSinceMs: 0, delayMs: 7800, usualDelayMs: 4000 });
	await expect.element(page.getByText('Slower than usual').first()).toBeVisible();
	const words = page.getByText('Catch up', { exact: true }).element();
	expect(words.getBoundingClientRect().height).toBeLessThan(24);
});
