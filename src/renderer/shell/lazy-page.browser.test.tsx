import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { createFakeWindow } from '#test/support/fake-window.ts';
import { renderPart } from '#test/support/render-window.tsx';
import { Lazy, lazyPage } from './lazy-page.tsx';

/** A page whose file is missing `times` times. */
function missingFor(times: number) {
	let asked = 0;
	return lazyPage(
		'test',
		async () => {
			asked += 1;
			if (asked <= times) throw new TypeError('Failed to fetch dynamically imported module');
			return ({ word }: { readonly word: string }) => <p>Here it is: {word}</p>;
		},
		'part',
	);
}

test('a page that cannot be loaded says so, and stands there once another try has brought it', async () => {
	const missing = missingFor(2);
	await renderPart(
		createFakeWindow(),
		<Lazy page={missing} with={{ word: 'well' }} meanwhile={<p>Wait</p>} />,
	);
	const said = page.getByRole('alert');
	const words = 'This page could not be loaded. Something went wrong inside Dragoman.';
	await expect.element(said).toHaveTextContent(words);
	const again = page.getByRole('button', { name: 'Try again' });
	await again.click();
	await expect.element(said).toHaveTextContent(words);
	await again.findElement().then((button) => (button as HTMLElement).focus());
	await userEvent.keyboard('{Enter}');
	await expect.element(page.getByText('Here it is: well')).toBeVisible();
	await expect.element(said).not.toBeInTheDocument();
	// Keyboard focus is not lost with the button.
	await expect.element(page.getByRole('main')).toHaveFocus();
});

test('a page that was missing is asked for again at the next visit', async () => {
	const missing = missingFor(1);
	await missing.preload();
	await renderPart(createFakeWindow(), <Lazy page={missing} with={{ word: 'now' }} />);
	await expect.element(page.getByText('Here it is: now')).toBeVisible();
});
