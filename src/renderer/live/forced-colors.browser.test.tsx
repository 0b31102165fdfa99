import { afterEach, expect, test } from 'vitest';
import { cdp, page, userEvent } from 'vitest/browser';
import { axeFindings, renderWindow } from '#test/support/render-window.tsx';
import { windowStates } from '#test/support/window-states.ts';

/** Emulates a system with its own colours (Windows), or one whose user asks for more contrast. */
async function media(name: 'forced-colors' | 'prefers-contrast', value: string): Promise<void> {
	await cdp().send('Emulation.setEmulatedMedia', { features: [{ name, value }] });
}

afterEach(() => cdp().send('Emulation.setEmulatedMedia', { features: [] }));

/** True if the element has a visible edge: a line of some width, in a colour other than its background. */
function hasEdge(element: Element, pseudo?: string): boolean {
	const style = getComputedStyle(element, pseudo);
	return ['Top', 'Bottom', 'Left', 'Right'].some((side) => {
		const at = (what: 'Width' | 'Style' | 'Color') =>
			style[`border${side}${what}` as 'borderTopWidth' | 'borderTopStyle' | 'borderTopColor'];
		return (
			Number.parseFloat(at('Width')) > 0 && at('Style') !== 'none' && at('Color') !== style.backgroundColor
		);
	});
}

/** The box of an input may be drawn around it. */
const isDrawn = (control: Element) =>
	hasEdge(control) ||
	[control.parentElement, control.parentElement?.parentElement].some((box) => box && hasEdge(box));

test.each(['live', 'meeting', 'idle'] as const)(
	'where the system replaces the colours, every control has an edge, and sides and states stay apart: %s',
	async (state) => {
		await media('forced-colors', 'active');
		await renderWindow(windowStates[state]());
		expect(matchMedia('(forced-colors: active)').matches).toBe(true);
		const controls = [...document.querySelectorAll('main button, main input')].filter(
			// An element beside them draws these.
			(control) => !['radio', 'checkbox', 'range'].includes(control.getAttribute('type') ?? ''),
		);
		const bare = controls.filter((control) => control.checkVisibility() && !isDrawn(control));
		expect(bare.map((control) => control.getAttribute('aria-label') ?? control.textContent)).toEqual([]);
		if (state === 'meeting') {
			const rows = [...document.querySelectorAll('[data-layout][data-side]')];
			expect(rows.length).toBeGreaterThan(1);
			expect(rows.every((row) => hasEdge(row, '::before'))).toBe(true);
			const kinds = new Set(rows.map((row) => getComputedStyle(row, '::before').borderLeftStyle));
			expect([...kinds].sort()).toEqual(['double', 'solid']);
		}
	},
);

test.each(['sandbox', 'failed', 'welcome'] as const)(
	'where the system replaces the colours, the icons beside words have theirs: %s',
	async (state) => {
		await media('forced-colors', 'active');
		await renderWindow(windowStates[state]());
		const icons = () => [...document.querySelectorAll('[role="note"] svg, [data-problem] > svg, h2 svg')];
		await expect.poll(() => icons().length).toBeGreaterThan(0);
		for (const icon of icons())
			expect(getComputedStyle(icon).color).toBe(getComputedStyle(icon.parentElement ?? icon).color);
	},
);

test('the focused element has an outline under forced colours', async () => {
	await media('forced-colors', 'active');
	await renderWindow(windowStates.live());
	const stop = page.getByRole('button', { name: 'Stop', exact: true }).element() as HTMLElement;
	page.getByRole('button', { name: 'Pause' }).element().focus();
	await userEvent.tab();
	expect(document.activeElement).toBe(stop);
	const { outlineStyle, outlineWidth } = getComputedStyle(stop);
	expect([outlineStyle, Number.parseFloat(outlineWidth) >= 2]).toEqual(['solid', true]);
});

test('where more contrast is asked for, it is given, and axe finds nothing', async () => {
	await media('prefers-contrast', 'more');
	const shown = await renderWindow(windowStates.live());
	void shown.parts.settings.write({ theme: 'system' });
	await expect.poll(() => document.documentElement.dataset['contrast']).toBe('more');
	expect(await axeFindings()).toEqual([]);
});
