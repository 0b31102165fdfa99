import { afterEach, expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { createFakeWindow } from '#test/support/fake-window.ts';
import { renderWindow } from '#test/support/render-window.tsx';
import { type WindowState, windowStates } from '#test/support/window-states.ts';

afterEach(() => window.scrollTo(0, 0));

/** How far the window itself is scrolled, and could be: it never should. */
function windowScroll(): readonly (readonly [string, ...number[]])[] {
	const root = document.querySelector('#root');
	if (!root) throw new Error('no window');
	return [document.documentElement, document.body, root].map((element) => [
		element.id || element.tagName.toLowerCase(),
		element.scrollTop,
		element.scrollLeft,
		element.scrollHeight - element.clientHeight,
		element.scrollWidth - element.clientWidth,
	]);
}

const still = [
	['html', 0, 0, 0, 0],
	['body', 0, 0, 0, 0],
	['root', 0, 0, 0, 0],
];

/** Pieces taken out of the flow that do not scroll with the part of the page they belong to. */
function leftBehind(): readonly string[] {
	return [...document.querySelectorAll<HTMLElement>('#root *')]
		.filter((element) => {
			const position = getComputedStyle(element).position;
			if (position !== 'absolute' || !element.checkVisibility()) return false;
			const scroller = scrollerOf(element);
			return scroller !== null && !scroller.contains(element.offsetParent);
		})
		.map((element) => `${element.outerHTML.slice(0, 100)} in ${element.parentElement?.className}`);
}

function scrollerOf(element: Element): Element | null {
	const parent = element.parentElement;
	if (!parent || parent.id === 'root') return null;
	const { overflowX, overflowY } = getComputedStyle(parent);
	return /auto|scroll/.test(`${overflowX} ${overflowY}`) ? parent : scrollerOf(parent);
}

function settings() {
	const shown = createFakeWindow();
	shown.parts.navigation.go('settings');
	shown.parts.navigation.showSection('sound');
	return shown;
}

test('a click on a switch of the settings turns it and leaves the page where it is', async () => {
	await renderWindow(settings());
	const count = page.getByRole('main').getByRole('switch').elements().length;
	expect(count).toBeGreaterThan(3);
	for (let at = 0; at < count; at++) {
		const input = page.getByRole('main').getByRole('switch').nth(at).element() as HTMLInputElement;
		const label = input.closest('label');
		if (!label) throw new Error('a switch without its label');
		if (input.disabled) continue;
		label.scrollIntoView({ block: 'center' });
		await userEvent.click(label);
		expect(document.activeElement).toBe(input);
		expect(windowScroll()).toEqual(still);
		const { top, bottom } = label.getBoundingClientRect();
		expect(top > 0 && bottom < innerHeight).toBe(true);
	}
});

test.each(['settings', 'voices-make'] as const)(
	'Tab goes through the whole page "%s", each stop is in sight, and the window stands still',
	async (state) => {
		const shown = createFakeWindow();
		shown.parts.navigation.go(state === 'settings' ? 'settings' : 'voices');
		await renderWindow(shown, 1000, 500);
		if (state === 'voices-make')
			await page
				.getByRole('button', { name: /Make a voice/ })
				.first()
				.click();
		const seen = new Set<Element>();
		for (;;) {
			await userEvent.tab();
			const at = document.activeElement;
			if (!at || at === document.body || seen.has(at)) break;
			seen.add(at);
			expect(windowScroll()).toEqual(still);
			const box = (at.closest('label') ?? at).getBoundingClientRect();
			expect([at.outerHTML.slice(0, 160), box.top >= 0, box.top < innerHeight]).toEqual([
				at.outerHTML.slice(0, 160),
				true,
				true,
			]);
		}
		expect(seen.size).toBeGreaterThan(8);
	},
);

test.each([
	[1000, 760],
	[420, 700],
])(
	'in no state, at %i × %i, is there anything to scroll to around the window',
	{ timeout: 60_000 },
	async (width, height) => {
		for (const state of Object.keys(windowStates) as WindowState[]) {
			await renderWindow(windowStates[state](), width, height);
			expect([state, windowScroll()]).toEqual([state, still]);
			expect([state, leftBehind()]).toEqual([state, []]);
		}
	},
);
