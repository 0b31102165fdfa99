import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { allWords } from '#test/support/all-words.ts';
import { captionRow } from '#test/support/fake-conversation.ts';
import { createFakeWindow, type FakeMain, type FakeWindow } from '#test/support/fake-window.ts';
import { axeFindings, renderWindow } from '#test/support/render-window.tsx';

/** A conversation that was stopped, with two lines said. */
async function stopped(main: FakeMain = {}, width = 1000): Promise<FakeWindow> {
	const shown = await renderWindow(createFakeWindow(main), width, 760);
	shown.conversation.show({ phase: 'live', liveSinceMs: 0 });
	shown.conversation.putRow(captionRow(0, ['en', 'Good morning.'], [['es', 'Buenos días.']]));
	shown.conversation.putRow(captionRow(1, ['en', 'Any questions?'], [['es', '¿Alguna pregunta?']]));
	shown.conversation.show({ phase: 'idle' });
	await expect.element(button('New conversation')).toBeVisible();
	return shown;
}
const button = (name: string | RegExp) => page.getByRole('button', { name });
const modes = () => page.getByRole('radiogroup', { name: 'What do you want to do?' });
const folded = (name: string) => button(`${name} What do you want to do?`);
const translations = () => document.querySelectorAll('[data-kind="translation"]').length;
const height = (id: string) => document.getElementById(id)?.getBoundingClientRect().height ?? 0;

test.each([1000, 420])(
	'after Stop the modes fold to the chosen one, and the captions have the room: %i px',
	async (width) => {
		const shown = await renderWindow(createFakeWindow(), width, 760);
		const before = height('captions');
		if (width === 1000) await expect.element(modes()).toBeVisible();
		shown.conversation.putRow(captionRow(0, ['en', 'Good morning.'], [['es', 'Buenos días.']]));
		await expect.element(folded('Speak and be heard')).toBeVisible();
		expect(modes().elements()).toEqual([]);
		await expect.poll(() => height('captions')).toBeGreaterThan(before + (width === 1000 ? 30 : 5));
		expect(await axeFindings()).toEqual([]);
	},
);

test.each(
	(['en', 'fr', 'de'] as const).flatMap((interfaceLanguage) =>
		([420, 652, 740] as const).map((width) => ({ interfaceLanguage, width })),
	),
)('what can be done with the captions stands in one line: $interfaceLanguage, $width px', async (one) => {
	const { interfaceLanguage, width } = one;
	const words = await allWords(interfaceLanguage);
	const shown = await renderWindow(createFakeWindow({ settings: { interfaceLanguage } }), width, 760);
	const tops = () => {
		const more = page
			.getByRole('button', { name: words.shown.getState().t('captions.more'), exact: true })
			.element();
		const all = [...(more.parentElement?.querySelectorAll('button') ?? [])];
		expect(all.length).toBe(7);
		return new Set(all.map((each) => each.getBoundingClientRect().top)).size;
	};
	shown.conversation.show({ phase: 'live', liveSinceMs: 0 });
	shown.conversation.putRow(captionRow(0, ['en', 'Good morning.'], [['es', 'Buenos días.']]));
	shown.replay.keep('t0');
	await expect.poll(tops).toBe(1);
	shown.conversation.show({ phase: 'idle' });
	await expect.element(button(words.shown.getState().t('captions.fresh'))).toBeVisible();
	expect(tops()).toBe(1);
});

test('the folded modes open with the keyboard, say what each does, and the chosen one keeps the keyboard and the captions', async () => {
	const shown = await stopped();
	(folded('Speak and be heard').element() as HTMLElement).focus();
	await userEvent.keyboard('{Enter}');
	await expect
		.element(page.getByRole('option', { name: 'Listen' }))
		.toHaveAccessibleDescription(/what this computer plays/);
	await userEvent.keyboard('{ArrowDown}{ArrowDown}{Enter}');
	await expect.element(folded('Listen')).toHaveFocus();
	expect(shown.parts.settings.store.getState().values.mode).toBe('listen');
	await expect.poll(translations).toBe(2);
});

test('while the last words are heard the line of the mode stands, and nobody is told to stop', async () => {
	const shown = await renderWindow(createFakeWindow(), 1000, 760);
	shown.conversation.show({ phase: 'live', liveSinceMs: 0 });
	await expect.element(page.getByText('Stop to choose another mode.')).toBeVisible();
	shown.conversation.show({ phase: 'ending', tail: true });
	await expect.element(page.getByText('Speak and be heard', { exact: true }).first()).toBeVisible();
	expect(page.getByText(/Stop to choose/).elements()).toEqual([]);
});

test.each(['solo', 'meeting', 'listen', 'face', 'captions'] as const)(
	'a new conversation begins on a fresh page, and a slip is undone with the same key: %s',
	async (mode) => {
		const shown = await stopped({ settings: { mode } });
		(button('New conversation').element() as HTMLElement).focus();
		await userEvent.keyboard('{Enter}');
		await expect.element(button('Show the last conversation')).toHaveFocus();
		expect(translations()).toBe(0);
		await expect.element(modes()).toBeVisible();
		expect(await axeFindings()).toEqual([]);
		// Nothing of the conversation is erased.
		expect(shown.asked.map(([name]) => name)).not.toContain('history.erase');
		await userEvent.keyboard('{Enter}');
		await expect.element(button('New conversation')).toHaveFocus();
		await expect.poll(translations).toBe(2);
	},
);

test('the way back is there until another conversation begins, and not while it does', async () => {
	const shown = await stopped();
	await button('New conversation').click();
	await expect.element(button('Show the last conversation')).toBeVisible();
	shown.conversation.show({ phase: 'connecting' });
	await expect.poll(() => button('Show the last conversation').query()).toBeNull();
	await expect.element(page.getByText('Wait until “Listening” appears here.')).toBeVisible();
	shown.conversation.show({ phase: 'failed', problem: { kind: 'service-unreachable', cause: '' } });
	await button('Show the last conversation').click();
	await expect.poll(translations).toBe(2);
});

test('what comes back is not read aloud again', async () => {
	const shown = await stopped();
	const log = page.getByRole('log', { name: 'Spoken captions' });
	const read = () => log.element().querySelectorAll('p').length;
	await expect.poll(read).toBe(2);
	await button('New conversation').click();
	await button('Show the last conversation').click();
	await expect.poll(translations).toBe(2);
	shown.conversation.putRow(captionRow(2, ['en', 'Thank you.'], [['es', 'Gracias.']]));
	await expect.element(log).toMatchTextContent(/^Buenos días\.¿Alguna pregunta\?Gracias\.$/);
});

test('while it runs there is no new conversation to be had', async () => {
	const shown = await stopped();
	shown.conversation.show({ phase: 'live', liveSinceMs: 0 });
	await expect.poll(() => button('New conversation').query()).toBeNull();
	shown.conversation.show({ phase: 'ending', tail: true });
	expect(button('New conversation').query()).toBeNull();
});

test('what the conversation used of the credit stays beside its state after Stop', async () => {
	const shown = await renderWindow(createFakeWindow({ creditUse: { used: { credits: 12.345, usd: 0.4 } } }));
	const said = page.getByText(/^Credit used:/);
	await expect
		.poll(() => said.element().textContent?.replace(/[\u2068\u2069]/g, ''))
		.toMatch(/^Credit used: 12\.35 \(about \$0\.40\) Credit spent since Start/);
	expect(said.element().getAttribute('data-tooltip')).toMatch(/since Start/);
	shown.parts.creditUse.setState({ used: null });
	await expect.element(said).not.toBeInTheDocument();
});
