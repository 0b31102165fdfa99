/* Where the keyboard goes when what it was on has gone. */

/** How to find an element again in a page that is built anew. */
export interface Opener {
	readonly tag: string;
	readonly name: string;
	/** Which of those that are called the same. */
	readonly nth: number;
	/** How far its page was scrolled, CSS px. */
	readonly top: number;
}

/** What has the keyboard now, as it can be found later; null where nothing has it. */
export function openerNow(): Opener | null {
	const { activeElement } = document;
	if (!(activeElement instanceof HTMLElement) || activeElement === document.body) return null;
	const tag = activeElement.localName;
	const name = nameOf(activeElement);
	const top = document.querySelector('main')?.scrollTop ?? 0;
	return { tag, name, nth: alike(tag, name).indexOf(activeElement), top };
}

function alike(tag: string, name: string): readonly HTMLElement[] {
	return [...document.querySelectorAll<HTMLElement>(`#root ${tag}`)].filter((one) => nameOf(one) === name);
}

function nameOf(element: HTMLElement): string {
	return element.getAttribute('aria-label') ?? element.textContent;
}

/**
 * Puts the keyboard on the opener, or else on the heading of the page, as soon as they are there. It stops with
 * the first key or click of the person, and when something on the page has taken the keyboard. Returns its end.
 */
export function land(opener: Opener | null): () => void {
	const over = new AbortController();
	const watch = new MutationObserver(look);
	let heading: HTMLElement | null = null;

	function look(): void {
		const isOver = !isAdrift(heading);
		const found = opener && alike(opener.tag, opener.name)[opener.nth];
		if (isOver || found) {
			if (!isOver && found) comeBack(found, opener?.top ?? 0);
			end();
			return;
		}
		const next = document.querySelector<HTMLElement>('main h1') ?? document.querySelector<HTMLElement>('h1');
		if (next && next !== heading) {
			heading = next;
			focusHeading(next);
		}
		if (heading && !opener) end();
	}
	function end(): void {
		watch.disconnect();
		over.abort();
	}

	for (const name of ['keydown', 'pointerdown'] as const)
		window.addEventListener(name, end, { capture: true, signal: over.signal });
	watch.observe(document.body, { childList: true, subtree: true });
	look();
	return end;
}

function comeBack(found: HTMLElement, top: number): void {
	found.closest('main')?.scrollTo({ top, behavior: 'instant' });
	found.focus();
}

/** Nothing on the page has the keyboard, or only what stands above every page. */
function isAdrift(heading: HTMLElement | null): boolean {
	const { activeElement: at } = document;
	return (
		!at ||
		at === document.body ||
		at === heading ||
		(at.closest('header') !== null && at.closest('main') === null)
	);
}

function focusHeading(heading: HTMLElement): void {
	heading.tabIndex = -1;
	heading.focus();
}

/** When a dialog has gone and what opened it as well, the keyboard goes on at the top of the page. */
export function landAfterDialog(): void {
	// The library gives it back to the opener in the frame after.
	requestAnimationFrame(() =>
		requestAnimationFrame(() => {
			const heading =
				document.querySelector<HTMLElement>('main h1') ?? document.querySelector<HTMLElement>('h1');
			if (document.activeElement === document.body && heading) focusHeading(heading);
		}),
	);
}
