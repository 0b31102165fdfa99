import axe from 'axe-core';
import type { ReactNode } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { onTestFinished, vi } from 'vitest';
import { page } from 'vitest/browser';
import type { I18n } from '#renderer/i18n/i18n.ts';
import { App } from '#renderer/shell/app.tsx';
import { preloadPages } from '#renderer/shell/pages.tsx';
import { Providers } from '#renderer/shell/providers.tsx';
import { interfaceLanguageFor } from '#shared/i18n/interface-languages.ts';
import { allWords } from './all-words.ts';
import type { FakeWindow } from './fake-window.ts';
import '#renderer/ui/fonts.css';
import '#renderer/window.css';

// Before any test, so that the first one does not pay for what is loaded only once.
await Promise.all([preloadPages(), allWords('en')]);

let shownRoot: Root | null = null;

function takeDown(): void {
	shownRoot?.unmount();
	shownRoot = null;
}

/** Shows the whole window in the page until the test ends, at `width` × `height` CSS px. */
export async function renderWindow(
	shown: FakeWindow,
	width = 1000,
	height = 700,
	words?: I18n,
): Promise<FakeWindow> {
	const setting = shown.parts.settings.store.getState().values.interfaceLanguage;
	await render(
		shown,
		<App />,
		width,
		height,
		words ?? (await allWords(interfaceLanguageFor(setting, ['en']))),
	);
	await page.getByRole('main').findElement();
	return shown;
}

/** Shows a piece of it alone, in English. */
export async function renderPart(shown: FakeWindow, part: ReactNode): Promise<void> {
	const alone = (
		<main>
			<h1>Part</h1>
			{part}
		</main>
	);
	await render(shown, alone, 1000, 700, await allWords('en'));
}

async function render(
	shown: FakeWindow,
	content: ReactNode,
	width: number,
	height: number,
	words: I18n,
): Promise<void> {
	await page.viewport(width, height);
	await shown.ready;
	takeDown();
	const container = document.createElement('div');
	container.id = 'root';
	document.body.replaceChildren(container);
	const root = createRoot(container);
	shownRoot = root;
	root.render(
		<Providers parts={shown.parts} i18n={words}>
			{content}
		</Providers>,
	);
	onTestFinished(takeDown);
}

/** The findings of axe, one readable line each. */
export async function axeFindings(): Promise<readonly string[]> {
	// What was closed and fades away is still in the page: too pale for axe, and outside the landmarks.
	await vi.waitUntil(() => document.querySelector('[data-exiting]') === null);
	// A dialog hides the page behind it from a screen reader, and these two rules look for the heading and the main landmark of that page.
	// Axe means to pass them then, but now and then does not count the dialog as visible, and fails them.
	const dialogs = document.querySelectorAll('[role=dialog], [role=alertdialog]').length;
	const report = await axe.run(document, {
		resultTypes: ['violations'],
		rules: {
			'landmark-one-main': { enabled: dialogs === 0 },
			'page-has-heading-one': { enabled: dialogs === 0 },
			// Off by default; needed by voice control, whose users say what a button shows.
			'label-content-name-mismatch': { enabled: true },
		},
	});
	return report.violations.map(
		({ id, nodes }) =>
			`${id}: ${nodes.map((node) => `${node.target.join(' ')} ${node.failureSummary ?? ''}`).join('; ')}`,
	);
}
