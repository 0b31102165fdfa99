import { flushSync } from 'react-dom';
import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';

import { captionRow } from '#test/support/fake-conversation.ts';
import { kept } from '#test/support/fake-pages.ts';
import { createFakeWindow } from '#test/support/fake-window.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { axeFindings, renderWindow } from '#test/support/render-window.tsx';

const button = (name: string) => page.getByRole('button', { name, exact: true });
const heading = (name: string) => page.getByRole('heading', { name, level: 1 });
const live = { phase: 'live', liveSinceMs: 0 } as const;

test('the keyboard goes to the heading of the page that comes, and back to what opened it, page by page', async () => {
	await renderWindow(createFakeWindow());
	await button('Settings').click();
	await expect.element(heading('Settings')).toHaveFocus();
	const opener = button('Open diagnostics');
	await opener.click();
	await expect.element(heading('Diagnostics')).toHaveFocus();
	await button('Back').click();
	await expect.element(heading('Settings')).toBeVisible();
	await expect.element(button('Open diagnostics')).toHaveFocus();
	await button('Back').click();
	await expect.element(button('Settings')).toHaveFocus();
});

test('closing an element within a page moves the focus to its neighbour', async () => {
	const setup = { offered: true, done: [] };
	await renderWindow(createFakeWindow({ settings: { setup, soundOpen: true } }));
	(button('Not now').element() as HTMLElement).focus();
	await userEvent.keyboard('{Enter}');
	await expect.element(button('Not now')).not.toBeInTheDocument();
	await expect.element(page.getByRole('radio', { name: 'Speak and be heard' })).toHaveFocus();
	(button('Close').element() as HTMLElement).focus();
	await userEvent.keyboard('{Enter}');
	await expect.element(button('Close')).not.toBeInTheDocument();
	await expect.element(button('Mute microphone')).toHaveFocus();
});

test('a button that cannot be pressed for a while has the keyboard again afterwards', async () => {
	const window_ = createFakeWindow({ settings: { soundOpen: true } });
	const { promise, resolve } = Promise.withResolvers<void>();
	const { testOutput } = window_.parts.sound;
	Object.assign(window_.parts.sound, {
		async testOutput() {
			await promise;
			return testOutput();
		},
	});
	await renderWindow(window_);
	await expect.element(button('Play a test sound')).toBeVisible();
	const tests = button('Play a test sound').element() as HTMLButtonElement;
	tests.focus();
	await userEvent.keyboard('{Enter}');
	await expect.poll(() => [tests.disabled, document.activeElement]).toEqual([true, document.body]);
	resolve();
	await expect.poll(() => [tests.disabled, document.activeElement]).toEqual([false, tests]);
});

test('a page that one comes back to is scrolled as it was left', async () => {
	const shown = await renderWindow(createFakeWindow(), 1000, 400);
	shown.parts.navigation.go('settings');
	shown.parts.navigation.showSection('captions');
	await expect.element(heading('Settings')).toBeVisible();
	const main = () => document.querySelector('main') as HTMLElement;
	main().scrollTop = 150;
	const opener = page.getByRole('slider').first();
	(opener.element() as HTMLElement).focus({ preventScroll: true });
	main().scrollTop = 150;
	shown.parts.navigation.go('diagnostics');
	await expect.element(heading('Diagnostics')).toHaveFocus();
	shown.parts.navigation.back();
	await expect.element(opener).toHaveFocus();
	expect(main().scrollTop).toBe(150);
});

test('who has gone on already is not taken to what opened the page before', async () => {
	const { parts } = await renderWindow(createFakeWindow());
	await button('Settings').click();
	await button('Open diagnostics').click();
	await expect.element(heading('Diagnostics')).toHaveFocus();
	parts.navigation.back();
	parts.navigation.go('voices');
	await expect.element(heading('Voices')).toHaveFocus();
	// Has the same name as the button that opened the page just left.
	const late = document.createElement('button');
	late.textContent = 'Open diagnostics';
	document.querySelector('main')?.append(late);
	await expect.poll(() => late.isConnected).toBe(true);
	await new Promise((done) => requestAnimationFrame(done));
	await expect.element(heading('Voices')).toHaveFocus();
});

test('a link to a place on a page moves the focus there', async () => {
	const key = { present: false, source: 'none', lastFour: '' } as const;
	await renderWindow(createFakeWindow({ key }));
	await button('Enter the key').click();
	await expect.element(page.getByRole('dialog').getByLabelText('API key')).toHaveFocus();
});

test('a conversation of the history is left to the row it was opened from', async () => {
	const conversations = [
		kept('a', 2, [['en', 'Hello', 'es', 'Hola']], { title: 'First' }),
		kept('b', 1, [['en', 'Bye', 'es', 'Adiós']], { title: 'Second' }),
	];
	await renderWindow(createFakeWindow({ conversations }));
	await button('History').click();
	await expect.element(heading('History')).toHaveFocus();
	await page.getByText('Second', { exact: true }).click();
	await expect.element(heading('Second')).toHaveFocus();
	await button('Back').click();
	await expect.element(page.getByRole('button', { name: /^Open.*Second/ })).toHaveFocus();
});

test('Escape goes back, but not from a field, a list, a dialog, or unsaved changes', async () => {
	const shown = await renderWindow(createFakeWindow());
	const at = () => shown.parts.navigation.store.getState().page;
	await button('Settings').click();
	await expect.element(heading('Settings')).toHaveFocus();

	const { showSection } = shown.parts.navigation;
	showSection('advanced');
	await page.getByLabelText('Service address').click();
	await userEvent.keyboard('{Escape}');
	expect(at()).toBe('settings');

	showSection('general');
	await page.getByRole('button', { name: /Theme/ }).click();
	await expect.element(page.getByRole('listbox')).toBeVisible();
	await userEvent.keyboard('{Escape}');
	await expect.element(page.getByRole('listbox')).not.toBeInTheDocument();
	expect(at()).toBe('settings');

	showSection('account');
	await button('Forget the key').click();
	await expect.element(page.getByRole('alertdialog')).toBeVisible();
	await userEvent.keyboard('{Escape}');
	await expect.element(page.getByRole('alertdialog')).not.toBeInTheDocument();
	expect(at()).toBe('settings');

	showSection('advanced');
	const title = (await heading('Settings').findElement()) as HTMLElement;
	shown.parts.settings.store.setState(({ values }) => ({ values: { ...values, proxy: 'address' } }));
	const address = page.getByRole('textbox', { name: 'Address of the proxy' });
	await address.fill('not an address');
	title.focus();
	await userEvent.keyboard('{Escape}');
	expect(at()).toBe('settings');
	await expect.element(address).toHaveValue('not an address');
	await address.fill('');
	title.focus();
	// As an unused recording marks itself.
	title.dataset['unsaved'] = 'true';
	await userEvent.keyboard('{Escape}');
	expect(at()).toBe('settings');
	delete title.dataset['unsaved'];
	await userEvent.keyboard('{Escape}');
	await expect.poll(at).toBe('live');
	await expect.element(button('Settings')).toHaveFocus();
	await userEvent.keyboard('{Escape}');
	expect(at()).toBe('live');
});

test('the title of the document names the page and what the conversation does', async () => {
	const shown = await renderWindow(createFakeWindow());
	await expect.poll(() => document.title).toBe('Dragoman');
	await button('Settings').click();
	await expect.poll(() => document.title).toBe('Settings · Dragoman');
	shown.conversation.show(live);
	await expect.poll(() => document.title).toBe('Settings · ● Live · Dragoman');
	await button('Back').click();
	shown.conversation.show({ ...live, paused: true });
	await expect.poll(() => document.title).toBe('● Paused · Dragoman');
});

test('on every other page a running conversation is seen, muted, stopped and gone back to', async () => {
	const shown = await renderWindow(createFakeWindow());
	const pill = page.getByRole('region', { name: 'Conversation', exact: true });
	const calls = () => shown.conversation.calls.filter(([name]) => name === 'setMuted' || name === 'stop');
	for (const [name, go] of [
		['settings', () => shown.parts.navigation.go('settings')],
		['voices', () => shown.parts.navigation.go('voices')],
		['history', () => shown.parts.navigation.read(null)],
	] as const) {
		shown.conversation.show({ ...live, phase: 'idle' });
		go();
		await expect.element(pill).not.toBeInTheDocument();
		shown.conversation.show(live);
		await expect.element(pill.getByText('Live')).toBeVisible();
		await pill.getByRole('button', { name: 'Mute microphone' }).click();
		await pill.getByRole('button', { name: 'Stop', exact: true }).click();
		expect([name, calls().splice(-2)]).toEqual([name, [['setMuted', true], ['stop']]]);
	}
	expect(await axeFindings()).toEqual([]);
	await pill.getByRole('button', { name: /^Live/ }).click();
	await expect.element(button('Stop')).toBeVisible();
	await expect.element(pill).not.toBeInTheDocument();
});

test('in the bar of another page Mute and Stop show their keys', async () => {
	const shown = await renderWindow(createFakeWindow());
	shown.conversation.show(live);
	shown.parts.navigation.go('settings');
	const pill = page.getByRole('region', { name: 'Conversation', exact: true });
	const key = (caps: string) => expect.stringMatching(new RegExp(`\\(.${caps}.\\)$`));
	const tipOf = (name: string) =>
		pill.getByRole('button', { name, exact: true }).element().getAttribute('data-tooltip');
	await expect.element(pill).toBeVisible();
	expect([tipOf('Mute microphone'), tipOf('Stop')]).toEqual([key('M'), key('Ctrl . ↵')]);
});

test('Ctrl+F goes to the search of a page that has one, with what was looked for marked', async () => {
	await renderWindow(createFakeWindow());
	await button('Settings').click();
	await expect.element(heading('Settings')).toHaveFocus();
	const box = page.getByRole('searchbox', { name: 'Search settings' });
	await box.fill('echo');
	await userEvent.click(button('Back'));
	await expect.element(button('Settings')).toHaveFocus();
	await userEvent.keyboard('{Control>}f{/Control}');
	await expect.element(button('Settings')).toHaveFocus();
	await button('Settings').click();
	await expect.element(heading('Settings')).toHaveFocus();
	await userEvent.keyboard('{Control>}f{/Control}');
	await expect.element(box).toHaveFocus();
	await userEvent.keyboard('theme');
	await userEvent.keyboard('{Control>}f{/Control}sound');
	await expect.element(box).toHaveValue('sound');
	await userEvent.keyboard('{Escape}');
	await expect.element(box).toHaveValue('');
	await expect.element(box).toHaveFocus();
	await userEvent.keyboard('{Escape}');
	await expect.element(button('Settings')).toHaveFocus();
});

test('when a dialog has gone with what opened it, the keyboard is at the top of the page and not nowhere', async () => {
	const shown = await renderWindow(createFakeWindow());
	shown.conversation.putRow(captionRow(0, ['en', 'Hello'], [['es', 'Hola']]));
	await button('More').click();
	await page.getByRole('menuitem', { name: 'Clear captions' }).click();
	await page.getByRole('alertdialog').getByRole('button', { name: 'Clear captions' }).click();
	await expect.element(page.getByRole('alertdialog')).not.toBeInTheDocument();
	await expect.element(page.getByRole('heading', { level: 1 })).toHaveFocus();
});

test('letters are for the list that has the keyboard, open or closed, and not for the conversation', async () => {
	const shown = await renderWindow(createFakeWindow());
	shown.conversation.show(live);
	const done = () => shown.conversation.calls.map(([name]) => name).filter((name) => name !== 'prepare');
	shown.parts.navigation.go('settings');
	const theme = page.getByRole('button', { name: /Theme/ });
	await expect.element(theme).toBeVisible();
	((await theme.findElement()) as HTMLElement).focus();
	await userEvent.keyboard('pm');
	expect(done()).toEqual([]);
	await theme.click();
	await expect.element(page.getByRole('listbox')).toBeVisible();
	await userEvent.keyboard('pm{Escape}');
	await expect.element(page.getByRole('listbox')).not.toBeInTheDocument();
	expect(done()).toEqual([]);
	// With a modifier, letters are not typed.
	await userEvent.keyboard('{Control>}{Enter}{/Control}');
	expect(done()).toEqual(['stop']);
});

test('the language to type in, live, looks for its entries by letters', async () => {
	const shown = await renderWindow(createFakeWindow());
	shown.conversation.show(live);
	shown.parts.drafts.setState({ isOpen: true });
	const language = await page.getByRole('button', { name: /Language you type in/ }).findElement();
	(language as HTMLElement).focus();
	await userEvent.keyboard('pm');
	expect(shown.conversation.calls.map(([name]) => name)).not.toContain('pause');
	expect(shown.conversation.calls.map(([name]) => name)).not.toContain('setMuted');
});

test('an icon button shows its tooltip on focus and on hover', async () => {
	await renderWindow(createFakeWindow());
	const tip = () => document.querySelector('[data-tip]');
	await button('Settings').hover();
	await expect.poll(() => tip()?.textContent).toMatch(/^Settings/);
	// The browser would show its own beside it.
	expect(document.querySelectorAll('button[title]')).toHaveLength(0);
	await button('History').click();
	await expect.element(heading('History')).toHaveFocus();
	await userEvent.keyboard('{Escape}');
	await expect.element(button('History')).toHaveFocus();
	await expect.poll(() => tip()?.textContent).toMatch(/^History/);
	await userEvent.tab();
	await expect.poll(() => tip()?.textContent).toBe('Voices');
	const { left, right, top } = tip()?.getBoundingClientRect() ?? new DOMRect();
	const below = button('Voices').element().getBoundingClientRect().bottom;
	expect(left).toBeGreaterThanOrEqual(0);
	expect(right).toBeLessThanOrEqual(window.innerWidth);
	expect(top).toBeGreaterThanOrEqual(below);
	expect(await axeFindings()).toEqual([]);
	await userEvent.keyboard('{Escape}');
	await expect.poll(tip).toBeNull();
	await userEvent.tab();
	await expect.poll(() => tip()?.textContent).toMatch(/^Settings/);
	await userEvent.tab();
	await expect.poll(tip).toBeNull();
});

test('a text has a tooltip only while it is cut', async () => {
	await page.viewport(1000, 700);
	await renderWindow(createFakeWindow());
	const tip = () => document.querySelector('[data-tip]');
	const box = page.getByRole('combobox', { name: 'They hear' });
	const whole = () => (box.element() as HTMLInputElement).value;
	await expect.poll(whole).toMatch(/^Español/);
	(box.element() as HTMLElement).style.maxInlineSize = '90px';
	await box.hover();
	await expect.poll(() => tip()?.textContent).toBe(whole());
	(box.element() as HTMLElement).style.maxInlineSize = '';
	await button('Settings').hover();
	await expect.poll(() => tip()?.textContent).toMatch(/^Settings/);
	(box.element() as HTMLElement).focus();
	await expect.poll(tip).toBeNull();
});

test('the pointer has to rest on a button to be told its name; beside it there is nothing to name', async () => {
	const clock = createManualClock();
	await renderWindow(createFakeWindow({ clock }));
	const tip = () => document.querySelector('[data-tip]');
	const history = button('History').element();
	const rest = (at: Element | null, ms: number) => {
		at?.dispatchEvent(new PointerEvent('pointerover', { bubbles: true, pointerType: 'mouse' }));
		flushSync(() => clock.advance(ms));
	};
	rest(history, 599);
	expect(tip()).toBeNull();
	rest(history.parentElement, 600);
	expect(tip()).toBeNull();
	rest(history, 600);
	expect(tip()?.textContent).toMatch(/^History/);
});
