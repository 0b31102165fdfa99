import type { ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import type { Clock } from '#shared/lib/clock.ts';

/** Added before each new try, ms. */
const LONGER_MS = 1000;
const TRIES = 20;

/**
 * Draws the captions. React takes away all of what threw while it was drawn; then it is drawn again, because nobody may
 * be at the computer whose captions others read, and the next ones may be fine.
 */
export function keepDrawn(element: HTMLElement, page: ReactNode, clock: Clock): void {
	let failed = 0;
	const root = createRoot(element, {
		onUncaughtError(failure) {
			reportError(failure);
			failed += 1;
			if (failed < TRIES) clock.after(failed * LONGER_MS, () => root.render(page));
		},
	});
	root.render(page);
}
