import { useState } from 'react';
import { expect, test } from 'vitest';
import { cdp, page, userEvent } from 'vitest/browser';
import { createFakeWindow } from '#test/support/fake-window.ts';
import { renderPart, renderWindow } from '#test/support/render-window.tsx';
import { Button } from './button.tsx';

const TIMES = 4;
/** React keeps what it showed last until it shows something else. */
const LAST = 1;

/** A garbage collection may leave objects that only the next one finds unreachable. */
const COLLECTIONS = 5;

/** How many are left in the end; waits by number of collections, which are slow on a busy machine. */
async function alive(refs: readonly WeakRef<Element>[]): Promise<number> {
	let left = refs.length;
	for (let time = 0; time < COLLECTIONS && left > LAST; time += 1) {
		await new Promise(requestAnimationFrame);
		await cdp().send('HeapProfiler.collectGarbage');
		left = refs.filter((ref) => ref.deref() !== undefined).length;
	}
	return left;
}

/** Shows and hides it several times; resolves to what was shown. */
async function showings(selector: string, show: (time: number) => Promise<void>, hide: () => Promise<void>) {
	const refs: WeakRef<Element>[] = [];
	// Queried by hand: the test library may keep what it has seen.
	const find = () => document.querySelector(selector);
	for (let time = 0; time < TIMES; time += 1) {
		await show(time);
		await expect.poll(() => find() !== null).toBe(true);
		const shown = find();
		if (shown) refs.push(new WeakRef(shown));
		await hide();
		await expect.poll(() => find() === null).toBe(true);
	}
	expect(refs).toHaveLength(TIMES);
	return refs;
}

test('a list of languages that was closed is not kept', async () => {
	await renderWindow(createFakeWindow());
	((await page.getByRole('combobox', { name: 'They hear' }).findElement()) as HTMLElement).focus();
	const refs = await showings(
		'[role=listbox]',
		(time) => userEvent.keyboard(time % 2 === 0 ? 'ge' : 'fr'),
		() => userEvent.keyboard('{Enter}'),
	);
	expect(await alive(refs)).toBeLessThanOrEqual(LAST);
});

test('a list of languages that was opened by a click and closed is not kept', async () => {
	await renderWindow(createFakeWindow());
	const refs = await showings(
		'[role=listbox]',
		() => page.getByRole('combobox', { name: 'They hear' }).click(),
		() => userEvent.keyboard('{Escape}'),
	);
	expect(await alive(refs)).toBeLessThanOrEqual(LAST);
});

test('a dialog that was closed is not kept', async () => {
	await renderWindow(createFakeWindow({ settings: { soundOpen: true } }));
	const refs = await showings(
		'[role=alertdialog]',
		() => page.getByRole('button', { name: 'Record', exact: true }).click(),
		() => userEvent.keyboard('{Escape}'),
	);
	expect(await alive(refs)).toBeLessThanOrEqual(LAST);
});

/** Like a notice with its *Dismiss*, which disappears as soon as it is pressed. */
function Notice() {
	const [isShown, setShown] = useState(false);
	return (
		<>
			<input aria-label="Next" onFocus={() => setShown(true)} />
			{isShown && (
				<Button look="quiet" onPress={() => setShown(false)}>
					Dismiss
				</Button>
			)}
		</>
	);
}

test('a button that goes under the pointer is not kept', async () => {
	await renderPart(createFakeWindow(), <Notice />);
	const refs = await showings(
		'main button',
		() => page.getByRole('textbox', { name: 'Next' }).click(),
		async () => {
			await page.getByRole('button', { name: 'Dismiss' }).hover();
			await page.getByRole('button', { name: 'Dismiss' }).click();
		},
	);
	expect(await alive(refs)).toBeLessThanOrEqual(LAST);
});
