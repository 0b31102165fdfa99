import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { iconsOnTexts } from '#test/looks/judge.ts';
import { captionRow } from '#test/support/fake-conversation.ts';
import { createFakeWindow, type FakeWindow } from '#test/support/fake-window.ts';
import { renderWindow } from '#test/support/render-window.tsx';
import { windowStates } from '#test/support/window-states.ts';

const texts = {
	en: 'I would like to begin with the results of the third quarter, and then the plan for the next one.',
	es: 'Me gustaría empezar con los resultados del tercer trimestre, y después el plan del siguiente.',
	ar: 'أود أن أبدأ بنتائج الربع الثالث من هذا العام، ثم ننتقل إلى خطة الربع الذي يليه إن شاء الله.',
};

/** Indent of a text's first letter, from the side where its language begins, px. */
function indent(one: Element): number {
	const range = document.createRange();
	const walk = document.createTreeWalker(one, NodeFilter.SHOW_TEXT);
	const text = walk.nextNode();
	if (!text) throw new Error('no text');
	range.setStart(text, 0);
	range.setEnd(text, 1);
	const letter = range.getBoundingClientRect();
	const box = one.getBoundingClientRect();
	return (one as HTMLElement).dir === 'rtl' ? box.right - letter.right : letter.left - box.left;
}

test.each(
	(['en', 'ar'] as const).flatMap((interfaceLanguage) =>
		[
			['en', 'es'],
			['en', 'ar'],
			['ar', 'en'],
		].flatMap(([from = '', to = '']) =>
			[1000, 420].flatMap((width) =>
				(['beside', 'under', 'target'] as const).map((captionLayout) => ({
					interfaceLanguage,
					from,
					to,
					width,
					captionLayout,
				})),
			),
		),
	),
)(
	'the buttons of a row lie on no words and push none aside: $interfaceLanguage, $from → $to, $width px, $captionLayout',
	async ({ interfaceLanguage, from, to, width, captionLayout }) => {
		const shown: FakeWindow = createFakeWindow({
			settings: { interfaceLanguage, captionLayout, hear: [to], voiceOf: to },
		});
		await shown.ready;
		await renderWindow(shown, width, 760);
		shown.conversation.show({ phase: 'live', liveSinceMs: 0 });
		const text = (code: string) => texts[code as keyof typeof texts];
		shown.conversation.putRow(captionRow(0, [from, text(from)], [[to, text(to)]]));
		await expect.element(page.getByText(text(to)).first()).toBeVisible();
		await expect.poll(() => document.documentElement.dir).toBe(interfaceLanguage === 'ar' ? 'rtl' : 'ltr');
		expect(iconsOnTexts(document.body)).toEqual([]);
		for (const one of document.querySelectorAll('[data-layout] p[dir]')) expect(indent(one)).toBeLessThan(24);
	},
);

test.each([1000, 420])('nor in a line that was typed and refused, nor in a meeting: %i px', async (width) => {
	await renderWindow(windowStates['live-typed'](), width, 700);
	await expect.element(page.getByText('My number is 0034 555 12 34.').first()).toBeVisible();
	expect(iconsOnTexts(document.body)).toEqual([]);
	await renderWindow(windowStates.meeting(), width, 700);
	await expect.element(page.getByText('Them', { exact: true }).first()).toBeVisible();
	expect(iconsOnTexts(document.body)).toEqual([]);
});

test('each button of a row says what it is about', async () => {
	const shown = await renderWindow(createFakeWindow());
	shown.conversation.putRow(captionRow(0, ['en', 'Good morning.'], [['es', 'Buenos días.']]));
	const button = (name: string) => page.getByRole('button', { name });
	await expect.element(button('Copy this caption')).toHaveAccessibleDescription('Good morning.');
	await expect.element(button('Correct a word')).toHaveAccessibleDescription('Good morning.');
	await shown.parts.settings.write({ captionLayout: 'target' });
	await expect.element(button('Copy this caption')).toHaveAccessibleDescription('Buenos días.');
});

test('one language is chosen under the word for one', async () => {
	const shown = await renderWindow(createFakeWindow());
	shown.conversation.putRow(captionRow(0, ['en', 'Good morning.'], [['es', 'Buenos días.']]));
	await page.getByRole('button', { name: 'Correct a word' }).click();
	await expect.element(page.getByRole('radiogroup', { name: 'Language', exact: true })).toBeVisible();
	await page.getByRole('button', { name: 'Cancel' }).click();
	await page.getByRole('button', { name: 'Save captions' }).click();
	await expect.element(page.getByRole('radiogroup', { name: 'Language', exact: true })).toBeVisible();
});

test('the three dots are as bold as the other signs', async () => {
	const shown = await renderWindow(createFakeWindow());
	shown.conversation.putRow(captionRow(0, ['en', 'Good morning.'], [['es', 'Buenos días.']]));
	const more = page.getByRole('button', { name: 'More' });
	await expect.element(more).toBeVisible();
	const sign = more.element().querySelector('path') as SVGPathElement;
	expect(sign.getBBox().height).toBeGreaterThan(1);
});
