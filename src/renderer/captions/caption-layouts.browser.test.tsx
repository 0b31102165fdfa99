import { expect, test, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { CaptionRow } from '#shared/captions/segment.ts';
import type { LegName } from '#shared/leg-name.ts';
import { captionRow, lostRow } from '#test/support/fake-conversation.ts';
import { createFakeWindow, type FakeWindow } from '#test/support/fake-window.ts';
import { axeFindings, renderWindow } from '#test/support/render-window.tsx';

async function live(main = {}, width = 1200): Promise<FakeWindow> {
	const shown = await renderWindow(createFakeWindow(main), width, 800);
	shown.conversation.show({ phase: 'live', liveSinceMs: 0 });
	return shown;
}
const at = (text: string) => page.getByText(text, { exact: true }).first().element().getBoundingClientRect();
const button = (name: string | RegExp) => page.getByRole('button', { name });

function clipboard() {
	return vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue();
}

test('the layout is chosen with the keyboard: beside, under, or the translation alone', async () => {
	const shown = await live();
	shown.conversation.putRow(captionRow(0, ['en', 'Good morning.'], [['es', 'Buenos días.']]));
	await expect.element(page.getByText('Buenos días.').first()).toBeVisible();
	expect(at('Buenos días.').left).toBeGreaterThan(at('Good morning.').right - 1);

	(button('Text size and layout').element() as HTMLElement).focus();
	await userEvent.keyboard('{Enter}');
	await expect.element(page.getByRole('dialog', { name: 'Text size and layout' })).toBeVisible();
	await userEvent.keyboard('{Tab}{Tab}{Tab}{ArrowDown}');
	await expect.poll(() => at('Buenos días.').top).toBeGreaterThanOrEqual(at('Good morning.').bottom - 1);
	expect(shown.asked).toContainEqual(['settings.write', { captionLayout: 'under' }]);

	expect(await axeFindings()).toEqual([]);
	await userEvent.keyboard('{Escape}');
	await expect.element(button('Text size and layout')).toHaveFocus();

	void shown.parts.settings.write({ captionLayout: 'target' });
	await expect.element(page.getByText('Good morning.')).not.toBeInTheDocument();
	shown.conversation.putRow(captionRow(1, ['en', 'And now'], [], false));
	await expect.element(page.getByText('And now')).toBeVisible();
});

test.each([1000, 1600])('a sentence being heard is marked from edge to edge: %i px', async (width) => {
	const shown = await live({}, width);
	shown.conversation.putRow(captionRow(0, ['en', 'Good morning.'], [['es', 'Buenos días.']]));
	await expect.element(page.getByText('Buenos días.').first()).toBeVisible();
	const row = document.querySelector('[data-lit]')?.getBoundingClientRect();
	const region = page
		.getByRole('region', { name: 'Captions', exact: true })
		.element()
		.getBoundingClientRect();
	expect(row?.left).toBe(region.left);
	// Except for the width of the scroll bar.
	expect((region.right - (row?.right ?? 0)) / 20).toBeLessThan(1);
});

test('a number and its sign stay in one line', async () => {
	const shown = await live();
	shown.conversation.putRow(captionRow(0, ['en', 'By 14 % or 5 €, 3 people.'], []));
	const source = () => document.querySelector('[data-kind="source"]')?.textContent;
	await expect.poll(source).toBe('By 14\u00a0% or 5\u00a0€, 3 people.');
});

test('the level of the microphone is seen in a narrow window as well', async () => {
	await live({}, 420);
	await expect.element(page.getByRole('meter', { name: 'Microphone level' })).toBeVisible();
});

test('what two versions agree on stands in full colour, and words only taken back stay until others come', async () => {
	const shown = await live();
	const say = (text: string, final = false) =>
		shown.conversation.putRow(captionRow(0, ['en', text], [], final), 0);
	say('I want');
	await expect.element(page.getByText('I want')).toBeVisible();
	say('I want to go');
	await expect.element(page.getByText('to go')).toBeVisible();
	const source = () => document.querySelector('[data-kind="source"]');
	const tail = source()?.querySelector('span');
	expect(tail?.textContent?.trim()).toBe('to go');
	expect(tail && getComputedStyle(tail).color).not.toBe(getComputedStyle(source() as Element).color);
	say('I want');
	say('I want a cake.', true);
	await expect.poll(() => source()?.textContent).toBe('I want a cake.');
	expect(source()?.querySelector('span')).toBeNull();
});

test('the sentence whose voice is heard is lit, alone, and says so', async () => {
	const shown = await live();
	for (const id of [0, 1])
		shown.conversation.putRow(captionRow(id, ['en', `said ${id}`], [['es', `dicho ${id}`]]));
	shown.parts.spoken.setState({ lit: ['t1'] });
	await expect.poll(() => document.querySelectorAll('[data-lit="true"]').length).toBe(1);
	const lit = document.querySelector('[data-lit="true"]');
	expect(lit?.textContent).toContain('dicho 1');
	expect(lit?.getAttribute('aria-current')).toBe('true');
	const edge = lit && getComputedStyle(lit, '::after');
	expect(edge?.borderInlineStartStyle).toBe('solid');
	// As far from the words on each side.
	expect([edge?.left, edge?.right]).toEqual(['12px', '12px']);
	shown.parts.spoken.setState({ lit: [] });
	await expect.poll(() => document.querySelectorAll('[data-lit="true"]').length).toBe(0);
});

test('a line, a side or everything is copied, isolated where it reads from the right, and said', async () => {
	const written = clipboard();
	const shown = await live({ settings: { hear: ['ar'] } });
	shown.conversation.putRow(captionRow(0, ['en', 'Good morning.'], [['ar', 'صباح الخير.']]));
	shown.conversation.putRow(lostRow(1, 4000));
	shown.conversation.putRow(captionRow(2, ['en', 'Let us begin.'], [['ar', 'لنبدأ.']]));
	const said = () => document.querySelector('[data-testid="copied"]')?.textContent;

	await button('Copy this caption').first().click();
	expect(written).toHaveBeenLastCalledWith('Good morning.\n\u2067صباح الخير.\u2069');
	await expect.poll(said).toContain('Copied: ');

	const choose = async (name: string | RegExp) => {
		(button('More').element() as HTMLElement).focus();
		await userEvent.keyboard('{Enter}');
		await page.getByRole('menuitem', { name }).click();
	};
	await choose(/Arabic$/);
	expect(written.mock.lastCall?.[0]).toBe('\u2067صباح الخير.\u2069\n\u2067لنبدأ.\u2069\n');
	await expect.poll(said).toBe('Copied: \u2068العربية\u2069 · Arabic');
	await choose(/Copy only: Original/);
	expect(written.mock.lastCall?.[0]).toContain('Good morning.\n');
	expect(written.mock.lastCall?.[0]).not.toContain('صباح');
	await choose('Copy all');
	expect(written.mock.lastCall?.[0]?.split('\n\n')).toHaveLength(3);

	written.mockRejectedValueOnce(new Error('not allowed'));
	await choose(/Arabic$/);
	await expect.poll(said).toBe('The captions could not be copied.');
});

test('a language of a meeting is copied from both sides, even if one has been silent for long', async () => {
	const written = clipboard();
	const shown = await live();
	const of = (leg: LegName, { source, translations, ...row }: CaptionRow): CaptionRow => ({
		...row,
		leg,
		source: source && { ...source, leg },
		translations: translations.map((translation) => ({ ...translation, leg })),
	});
	shown.conversation.putRow(of('outgoing', captionRow(0, ['en', 'Good morning.'], [['es', 'Buenos días.']])));
	for (let id = 1; id <= 8; id++)
		shown.conversation.putRow(
			of('incoming', captionRow(id, ['es', `dicho ${id}`], [['en-us', `said ${id}`]])),
		);

	await button('More').click();
	await page.getByRole('menuitem', { name: /English/ }).click();
	const lines = written.mock.lastCall?.[0].trimEnd().split('\n');
	expect(lines).toEqual(['Good morning.', ...Array.from({ length: 8 }, (_, n) => `said ${n + 1}`)]);
});

test('one button brings the captions over other windows, and says whether they are there', async () => {
	const shown = await live();
	shown.conversation.putRow(captionRow(0, ['en', 'Hello.'], [['es', 'Hola.']]));
	const overlay = button('Captions window');
	await expect.element(overlay).toHaveAttribute('aria-pressed', 'false');
	await overlay.click();
	await expect
		.poll(() => shown.asked.filter(([name]) => name === 'settings.write').length)
		.toBeGreaterThan(0);
	expect(shown.asked.findLast(([name]) => name === 'settings.write')?.[1]).toMatchObject({
		overlay: { shown: true },
	});
});

test('the size goes up and down in steps, with its share of the usual one, and stops at both ends', async () => {
	const shown = await live({ settings: { captionSize: 60 } });
	shown.conversation.putRow(captionRow(0, ['en', 'Hello.'], [['es', 'Hola.']]));
	await button('Text size and layout').click();
	await button('Larger captions').click();
	await expect.element(page.getByText('291%')).toBeVisible();
	await expect.element(button('Larger captions')).toBeDisabled();
	await button('Smaller captions').click();
	expect(shown.asked.filter(([name]) => name === 'settings.write').map(([, patch]) => patch)).toEqual([
		{ captionSize: 64 },
		{ captionSize: 60 },
	]);
});

test.each([
	['Larger', 60, 'Smaller'],
	['Smaller', 18, 'Larger'],
] as const)(
	'%s captions at %i px is off after a press; the keyboard goes to %s, and Escape closes',
	async (name, captionSize, other) => {
		const shown = await live({ settings: { captionSize } });
		shown.conversation.putRow(captionRow(0, ['en', 'Hello.'], [['es', 'Hola.']]));
		await button('Text size and layout').click();
		(button(`${name} captions`).element() as HTMLElement).focus();
		await userEvent.keyboard('{Enter}');
		await expect.element(button(`${name} captions`)).toBeDisabled();
		await expect.element(button(`${other} captions`)).toHaveFocus();
		await userEvent.keyboard('{Escape}');
		await expect.element(button(`${other} captions`)).not.toBeInTheDocument();
	},
);

test.each([1200, 420])(
	'at %i px no button is without a name, and each says it with its key',
	async (width) => {
		const shown = await live({ settings: { shortcuts: { save: ['Mod+S'] } } }, width);
		shown.conversation.putRow(captionRow(0, ['en', 'Hello.'], [['es', 'Hola.']]));
		for (const [name, tip] of [
			['Text size and layout', 'Text size and layout'],
			['Captions window', 'Captions over other windows (\u2068O\u2069)'],
			['Save captions', 'Save captions (\u2068Ctrl + S\u2069)'],
			['Record', 'Record'],
			['More', 'More'],
			['Mute microphone', 'Mute microphone (\u2068M\u2069)'],
			['Pause', 'Pause (\u2068P\u2069)'],
			['Stop', 'Stop (\u2068Ctrl + ↵\u2069)'],
			['Settings', 'Settings (\u2068Ctrl + ,\u2069)'],
		] as const)
			await expect
				.element(page.getByRole('button', { name, exact: true }))
				.toHaveAttribute('data-tooltip', tip);
		// A combo box names its arrow button.
		const nameless = [...document.querySelectorAll('button:not([aria-haspopup=listbox])')].filter(
			(one) =>
				one instanceof HTMLElement &&
				one.checkVisibility() &&
				one.innerText.trim() === '' &&
				!one.dataset['tooltip'],
		);
		expect(nameless.map((one) => one.outerHTML)).toEqual([]);
		shown.conversation.show({ phase: 'idle' });
		await expect.element(button('New conversation')).toBeVisible();
		const words = page.getByRole('button', { name: 'Save captions' }).getByText('Save');
		expect(words.element().getBoundingClientRect().width > 1).toBe(width === 1200);
	},
);

test('axe finds nothing in any layout, at 320 px too, with a sentence lit and one uncertain', async () => {
	for (const captionLayout of ['beside', 'under', 'target']) {
		const shown = await live({ settings: { captionLayout } }, 320);
		shown.conversation.putRow(captionRow(0, ['en', 'Good morning.'], [['es', 'Buenos días.']]));
		shown.conversation.putRow(captionRow(1, ['en', 'And then'], [['es', 'Y luego']], false));
		shown.parts.spoken.setState({ lit: ['t0'] });
		await expect.element(page.getByText('Buenos días.').first()).toBeVisible();
		expect(await axeFindings()).toEqual([]);
		expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(320);
	}
});
