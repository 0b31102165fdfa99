import { expect, test } from 'vitest';
import { cdp, page, userEvent } from 'vitest/browser';
import { createFakeWindow } from '#test/support/fake-window.ts';
import { renderWindow } from '#test/support/render-window.tsx';

const TIMES = 6;
/** React keeps what it showed last until it shows something else. */
const LAST = 1;

// Looked for by hand: what the test library has seen, it may keep.
const list = () => document.querySelector('[role=listbox]');

async function alive(refs: readonly WeakRef<Element>[]): Promise<number> {
	await cdp().send('HeapProfiler.collectGarbage');
	return refs.filter((ref) => ref.deref() !== undefined).length;
}

test('a list of languages that was closed is not kept', async () => {
	await renderWindow(createFakeWindow());
	await page.getByRole('combobox', { name: 'They hear' }).click();
	const refs: WeakRef<Element>[] = [];
	for (let more = 0; more < TIMES; more += 1) {
		await userEvent.keyboard(more % 2 === 0 ? 'german' : 'french');
		await expect.poll(() => list() !== null).toBe(true);
		const shown = list();
		if (shown) refs.push(new WeakRef(shown));
		await userEvent.keyboard('{Enter}');
		await expect.poll(() => list() === null).toBe(true);
	}
	expect(refs).toHaveLength(TIMES);
	await expect.poll(() => alive(refs)).toBeLessThanOrEqual(LAST);
});
