import { type ComponentType, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { expect, onTestFinished, test } from 'vitest';
import { page } from 'vitest/browser';
import { lazily } from './lazily.ts';

test('a part that cannot be loaded is left out, and the rest of the page is there', async () => {
	const Missing = lazily(() => Promise.reject<ComponentType>(new TypeError('Failed to fetch')));
	const There = lazily(async () => () => <p>There</p>);
	const container = document.createElement('div');
	document.body.replaceChildren(container);
	const root = createRoot(container);
	onTestFinished(() => root.unmount());
	root.render(
		<Suspense fallback={null}>
			<Missing />
			<There />
			<p>The rest</p>
		</Suspense>,
	);
	await expect.element(page.getByText('There')).toBeVisible();
	await expect.element(page.getByText('The rest')).toBeVisible();
});
