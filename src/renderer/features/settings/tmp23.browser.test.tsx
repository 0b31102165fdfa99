import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { createFakeWindow } from '#test/support/fake-window.ts';
import { renderWindow } from '#test/support/render-window.tsx';
for (const count of [2, 1000, 5000])
test(`list ${count}`, async () => {
	const corrections = Array.from({ length: count }, (_, n) => ({ language: 'en', wrong: `word${n}`, right: `Word ${n}` }));
	const shown = createFakeWindow({ settings: { corrections } });
	shown.parts.navigation.go('settings');
	await renderWindow(shown);
	await new Promise((d) => setTimeout(d, 500));
	const from = performance.now();
	shown.parts.navigation.showSection('captions');
	await expect.element(page.getByRole('button', { name: 'Save as CSV' })).toBeVisible();
	console.log('OPEN', count, performance.now() - from);
	const from2 = performance.now();
	await page.getByRole('button', { name: `Remove: ⁨word${count - 1}⁩ → ⁨Word ${count - 1}⁩` }).click();
	await expect.element(page.getByRole('button', { name: 'Undo' })).toBeVisible();
	console.log('REMOVE', count, performance.now() - from2);
}, 60000);
