import { expect, test } from 'vitest';
import { addWords, createI18n, type Texts } from '#renderer/i18n/i18n.ts';
import en from '#shared/i18n/en.json';
import { renderWindow } from '#test/support/render-window.tsx';
import { type WindowState, windowStates } from '#test/support/window-states.ts';

/** Every text between marks and a third longer, as a longer language would make it. */
function pseudo(tree: object): Texts {
	return Object.fromEntries(
		Object.entries(tree).map(([key, value]) => [
			key,
			typeof value === 'string' ? `⟦${value}${' ~~~'.repeat(Math.ceil(value.length / 12))}⟧` : pseudo(value),
		]),
	);
}

/**
 * Words that are not ours: React Aria's button out of a dialog, the sign of a cut, names of languages and devices, numbers, what was said,
 * addresses, keys, isolated texts.
 */
const FOREIGN =
	/^Dismiss$|^…$|^[\d\s.,:%·+–-]*$|^\d[\d.]* (sec|min|hr|minutes)$|MacBook|Jabra|^(?:English|Español|Spanish|Arabic|Japanese|Hebrew|العربية|日本語)(?: · (?:Spanish|Arabic|Japanese))?$|api\.example|^[0-9a-f]{6}$|^(?:\u2068.*\u2069[\s·→]*)+$/;

/** Said by others or to somebody else, in their language. */
const OTHERS = ':is(main, [role=dialog]) [lang]';

function texts(): readonly string[] {
	const found: string[] = [];
	const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	for (let node = walker.nextNode(); node; node = walker.nextNode()) {
		const parent = node.parentElement;
		if (!parent || parent.closest(`script, style, select, [data-final], [role=log], ${OTHERS}, kbd, bdi, dd`))
			continue;
		found.push(node.textContent ?? '');
	}
	for (const element of document.querySelectorAll('[aria-label], [title], [placeholder]')) {
		if (element.closest(OTHERS)) continue;
		for (const name of ['aria-label', 'title', 'placeholder']) found.push(element.getAttribute(name) ?? '');
	}
	// Isolated text on screen comes from others and may be cut short: the tooltip then has the whole of it.
	const isolated = new Set([...document.querySelectorAll('bdi')].map(({ textContent }) => textContent));
	return found.map((text) => text.trim()).filter((text) => text !== '' && !isolated.has(text));
}

test.each(Object.keys(windowStates) as WindowState[])(
	'every word on screen is from the catalogue: %s',
	async (state) => {
		const words = await createI18n('en');
		await addWords(words, 'en');
		words.words.set('en', pseudo(en));
		await renderWindow(windowStates[state](), 1000, 700, words);
		expect(texts().filter((text) => !text.includes('⟦') && !FOREIGN.test(text))).toEqual([]);
		expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(1000);
	},
);
