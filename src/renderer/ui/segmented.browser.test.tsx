import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import { expect, onTestFinished, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { Segmented } from './segmented.tsx';
import './theme.css';

const sizes = ['small', 'middle', 'large'] as const;
const radio = (name: string) => page.getByRole('radio', { name });

async function show({ isDisabled = false, dir = 'ltr' }: { isDisabled?: boolean; dir?: 'ltr' | 'rtl' } = {}) {
	const container = document.createElement('div');
	container.dir = dir;
	document.body.replaceChildren(container);
	const root = createRoot(container);
	onTestFinished(() => root.unmount());
	const chosen: string[] = [];

	function Sizes() {
		const [size, setSize] = useState<(typeof sizes)[number]>('middle');
		const choose = (next: typeof size) => {
			chosen.push(next);
			setSize(next);
		};
		return (
			<>
				<button type="button">before</button>
				<Segmented
					label="Size"
					options={sizes.map((value) => ({ value, label: value }))}
					value={size}
					onChange={choose}
					isDisabled={isDisabled}
				/>
			</>
		);
	}
	root.render(<Sizes />);
	await expect.element(radio('middle')).toBeChecked();
	return chosen;
}

test('the keyboard comes to the chosen one, and arrows go on from it and around', async () => {
	const chosen = await show();
	page.getByRole('button', { name: 'before' }).element().focus();
	await userEvent.keyboard('{Tab}');
	await expect.element(radio('middle')).toHaveFocus();
	await userEvent.keyboard('{ArrowRight}{ArrowRight}{ArrowUp}');
	expect(chosen).toEqual(['large', 'small', 'large']);
	await expect.element(radio('large')).toBeChecked();
	await expect.element(radio('middle')).not.toBeChecked();
	await expect.element(page.getByRole('radiogroup', { name: 'Size' })).toBeVisible();
});

test('what does not fit in one row becomes a column', async () => {
	await show();
	const tops = () =>
		new Set(sizes.map((size) => radio(size).element().closest('label')?.getBoundingClientRect().top)).size;
	expect(tops()).toBe(1);
	const frame = page.getByRole('radiogroup').element() as HTMLElement;
	// Two of them still fit.
	frame.style.width = '150px';
	await expect.poll(tops).toBe(3);
	frame.style.width = '';
	await expect.poll(tops).toBe(1);
});

test('right to left, the left arrow goes on', async () => {
	const chosen = await show({ dir: 'rtl' });
	radio('middle').element().focus();
	await userEvent.keyboard('{ArrowLeft}');
	expect(chosen).toEqual(['large']);
});

test('the words are the button, and have the ring of the keyboard', async () => {
	const chosen = await show();
	await page.getByText('small', { exact: true }).click();
	expect(chosen).toEqual(['small']);
	const option = radio('small').element().closest('label');
	if (!option) throw new Error('no label');
	expect(getComputedStyle(option).outlineStyle).toBe('none');
	await userEvent.keyboard('{ArrowRight}');
	const next = radio('middle').element().closest('label');
	if (!next) throw new Error('no label');
	expect(getComputedStyle(next).outlineStyle).toBe('solid');
});

test('of what is not to be had now nothing can be chosen', async () => {
	const chosen = await show({ isDisabled: true });
	(page.getByText('small', { exact: true }).element() as HTMLElement).click();
	await expect.element(radio('small')).toBeDisabled();
	expect(chosen).toEqual([]);
	await expect.element(page.getByRole('radiogroup')).toHaveAttribute('aria-disabled', 'true');
});
