/* Decides where keyboard focus moves when the focused element disappears. */

/** A description by which an element can be found again in a page that was rebuilt. */
export interface Opener {
	readonly tag: string;
	readonly name: string;
	/** Index among the elements with the same name. */
	readonly nth: number;
	/** Scroll position of the page, CSS px. */
	readonly top: number;
}

/** The focused element, described so that it can be found later; null if nothing has focus. */
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

/** Moves focus to the opener or the heading, unless the user acts. Returns a function that cancels this. */
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

/** True if focus is on nothing, on the page's heading, or in the bar above every page. */
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

/**
 * When the focused element goes away within a page (a notice is dismissed, a panel closed), focus moves to the
 * next element that Tab would reach, or else to the one before. A button that is disabled for a while (the
 * browser takes the focus from it) gets it back afterwards. Pages and dialogs restore focus themselves. Returns a
 * function that stops this.
 */
export function keepPlace(root: HTMLElement): () => void {
	let last = new WeakRef<Element>(root);
	let frame = 0;
	/** An element that had focus when it was disabled, if nothing has had focus since. */
	let disabled: WeakRef<Element> | null = null;

	function follow(target: HTMLElement): void {
		if (target.matches(':disabled')) {
			const { activeElement: at } = document;
			if (target === last.deref() && (at === target || at === document.body)) disabled = new WeakRef(target);
		} else if (target === disabled?.deref()) {
			disabled = null;
			if (document.activeElement === document.body) target.focus();
		}
	}

	function look(records: readonly MutationRecord[]): void {
		for (const { type, target } of records) if (type === 'attributes') follow(target as HTMLElement);
		const lost = last.deref();
		if (!lost || lost.isConnected) return;
		const taken = records.find(({ removedNodes }) =>
			[...removedNodes].some((node) => node.contains(lost) && !isPage(node)),
		);
		if (!taken) return;
		last = new WeakRef<Element>(root);
		// The code that removed the element may move focus itself.
		cancelAnimationFrame(frame);
		frame = requestAnimationFrame(() => {
			if (document.activeElement === document.body) nearest(root, taken)?.focus();
		});
	}
	function came({ target }: FocusEvent): void {
		if (target instanceof Element) last = new WeakRef(target);
		disabled = null;
	}
	/** A click elsewhere discards the remembered position of focus, even if the click focuses nothing. */
	function pressed({ target }: PointerEvent): void {
		if (target instanceof Node && last.deref()?.contains(target) && last.deref() !== root) return;
		disabled = null;
		last = new WeakRef<Element>(root);
	}

	const watch = new MutationObserver(look);
	watch.observe(root, { childList: true, subtree: true, attributes: true, attributeFilter: ['disabled'] });
	document.addEventListener('focusin', came);
	document.addEventListener('pointerdown', pressed);
	return () => {
		watch.disconnect();
		cancelAnimationFrame(frame);
		document.removeEventListener('focusin', came);
		document.removeEventListener('pointerdown', pressed);
	};
}

function isPage(node: Node): boolean {
	return node instanceof Element && (node.matches('main') || node.querySelector('main') !== null);
}

const REACHED = 'a[href], button, input, select, textarea, summary, [tabindex]';

/** The element that Tab would reach next from the removed element, or else the one before it. */
function nearest(root: HTMLElement, { target, nextSibling }: MutationRecord): HTMLElement | null {
	const all = [...root.querySelectorAll<HTMLElement>(REACHED)].filter(
		(one) =>
			one.tabIndex >= 0 && !one.matches(':disabled') && one.checkVisibility({ visibilityProperty: true }),
	);
	const from = nextSibling?.isConnected ? nextSibling : null;
	const isAfter = (one: HTMLElement) =>
		from
			? from.contains(one) || (from.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0
			: !target.contains(one) &&
				(target.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
	return all.find(isAfter) ?? all.at(-1) ?? null;
}

/** Moves focus to the top of the page if the element that opened a closed dialog has disappeared too. */
export function landAfterDialog(): void {
	// The library returns focus to the opener one frame later.
	requestAnimationFrame(() =>
		requestAnimationFrame(() => {
			const heading =
				document.querySelector<HTMLElement>('main h1') ?? document.querySelector<HTMLElement>('h1');
			if (document.activeElement === document.body && heading) focusHeading(heading);
		}),
	);
}
