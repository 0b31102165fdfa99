import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import { expect, onTestFinished, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { SearchField } from './search-field.tsx';
import './theme.css';

const box = page.getByRole('searchbox', { name: 'Search settings' });

async function show({ autoFocus = false } = {}) {
	const container = document.createElement('div');
	document.body.replaceChildren(container);
	const root = createRoot(container);
	onTestFinished(() => root.unmount());
	const submitted: string[] = [];

	function Search() {
		const [typed, setTyped] = useState('');
		return (
			<SearchField
				label="Search settings"
				typed={typed}
				onTyped={setTyped}
				onSubmit={() => submitted.push(typed)}
				autoFocus={autoFocus}
			/>
		);
	}
	root.render(<Search />);
	await expect.element(box).toBeVisible();
	return submitted;
}

test('it is called as its empty box reads, Enter takes what was typed and Escape empties it', async () => {
	const submitted = await show();
	await expect.element(box).toHaveAttribute('placeholder', 'Search settings');
	await expect.element(box).not.toHaveFocus();
	await box.fill('voice');
	await userEvent.keyboard('{Enter}');
	expect(submitted).toEqual(['voice']);
	await userEvent.keyboard('{Escape}');
	await expect.element(box).toHaveValue('');
});

test('asked to, it takes the keyboard as it comes', async () => {
	await show({ autoFocus: true });
	await expect.element(box).toHaveFocus();
});
