import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { TalkView } from '#renderer/conversation/push-to-talk.ts';
import { createFakeWindow } from '#test/support/fake-window.ts';
import { axeFindings, renderWindow } from '#test/support/render-window.tsx';

async function live(view: Partial<TalkView> = {}, width = 1000) {
	const shown = await renderWindow(createFakeWindow(), width);
	shown.conversation.show({ phase: 'live' });
	shown.talk.show({ mode: 'push-to-talk', open: false, ...view });
	await page.getByTestId('talk').findElement();
	return shown;
}
const button = () => page.getByRole('button', { name: /^Hold to/ });

test('the key is held by keyboard anywhere, and its repetition is not a new press', async () => {
	const shown = await live();
	await userEvent.keyboard('{t>3/}');
	expect(shown.talk.calls).toEqual([
		['down', 'KeyT'],
		['up', 'KeyT'],
	]);
});

test('the key is text where text is typed', async () => {
	const shown = await live();
	const field = document.createElement('input');
	document.body.append(field);
	field.focus();
	await userEvent.keyboard('t');
	expect([field.value, shown.talk.calls]).toEqual(['t', []]);
});

test('releases a held talk key when the window loses the focus', async () => {
	const shown = await live();
	await userEvent.keyboard('{t>}');
	window.dispatchEvent(new Event('blur'));
	expect(shown.talk.calls).toEqual([['down', 'KeyT'], ['letGo']]);
	await userEvent.keyboard('{/t}');
});

test('the button is held by pointer, and by keyboard when it has the focus', async () => {
	const shown = await live();
	const element = button().element();
	element.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true, button: 0, pointerId: 1 }));
	element.dispatchEvent(new PointerEvent('pointerup', { bubbles: true, button: 0, pointerId: 1 }));
	(element as HTMLElement).focus();
	await userEvent.keyboard('{Enter>}');
	await userEvent.keyboard('{/Enter}');
	expect(shown.talk.calls).toEqual([
		['down', 'pointer'],
		['up', 'pointer'],
		['down', 'button'],
		['up', 'button'],
	]);
});

test('who cannot hold toggles: by a click without a pointer, by a key, from the menu', async () => {
	const shown = await live();
	(button().element() as HTMLElement).click();
	await userEvent.keyboard('{Shift>}t{/Shift}');
	shown.announce('command.run', { command: 'talk-toggle' });
	expect(shown.talk.calls).toEqual([['toggle'], ['toggle'], ['toggle']]);
});

test('a hold that main tells of is one, whoever has the keyboard', async () => {
	const shown = await live();
	shown.announce('talk.held', { down: true });
	shown.announce('talk.held', { down: false });
	expect(shown.talk.calls).toEqual([
		['down', 'anywhere'],
		['up', 'anywhere'],
	]);
});

test('it says whether one is heard, and tells who speaks unheard', async () => {
	const shown = await live({ unheard: true });
	await expect.element(page.getByText('You are not heard')).toBeVisible();
	await expect
		.element(page.getByRole('alert'))
		.toHaveTextContent('You are speaking, but you are not heard. Hold the button or its key.');
	shown.talk.show({ open: true, pressed: 'held', unheard: false });
	await expect.element(page.getByText('You are heard')).toBeVisible();
	await expect.element(button()).toHaveAttribute('aria-pressed', 'true');
	expect(page.getByRole('alert').elements()).toEqual([]);
});

test('who speaks while holding to mute is told of the mute, not to hold', async () => {
	const shown = await live({ mode: 'push-to-mute', unheard: true, pressed: 'toggled' });
	await expect
		.element(page.getByRole('alert'))
		.toHaveTextContent('You are speaking, but the microphone is muted.');
	await expect.element(page.getByText(/Stays muted until you press again/)).toBeVisible();
	shown.talk.show({ mode: 'push-to-talk', open: true, unheard: false });
	await expect.element(page.getByText(/Stays on until you switch it off/)).toBeVisible();
});

test('in a meeting whose call hears my own voice, speaking needs no warning; without a call it does', async () => {
	const shown = await live({ mode: 'push-to-translate', unheard: true });
	await expect
		.element(page.getByRole('alert'))
		.toHaveTextContent('You are speaking, but you are not heard. Hold the button or its key.');
	await shown.parts.settings.write({ mode: 'meeting' });
	await expect.element(page.getByText('The others hear your own voice')).toBeVisible();
	expect(page.getByRole('alert').elements()).toEqual([]);
});

test('an open microphone needs no button', async () => {
	const shown = await live();
	shown.talk.show({ mode: 'open', open: true });
	await expect.poll(() => page.getByTestId('talk').elements()).toEqual([]);
	await userEvent.keyboard('t');
	expect(shown.talk.calls).toEqual([]);
});

test('it is usable by assistive technology, and at 320 px', async () => {
	await live({ unheard: true }, 320);
	expect(await axeFindings()).toEqual([]);
	expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(320);
});

test('a button held by a key is let go when the keyboard leaves it', async () => {
	const shown = await live();
	const element = button().element() as HTMLElement;
	element.focus();
	await userEvent.keyboard('[Space>]');
	element.blur();
	expect(shown.talk.calls).toEqual([
		['down', 'button'],
		['up', 'button'],
	]);
	await userEvent.keyboard('[/Space]');
});

test('on a Mac a key with Cmd ends with Cmd, because nothing tells of the letter', async () => {
	const shown = await renderWindow(
		createFakeWindow({ info: { platform: 'darwin' }, settings: { shortcuts: { talk: ['Mod+J'] } } }),
	);
	shown.conversation.show({ phase: 'live' });
	shown.talk.show({ mode: 'push-to-talk', open: false });
	await page.getByTestId('talk').findElement();
	window.dispatchEvent(new KeyboardEvent('keydown', { key: 'j', code: 'KeyJ', metaKey: true }));
	window.dispatchEvent(new KeyboardEvent('keyup', { key: 'Meta', code: 'MetaLeft' }));
	expect(shown.talk.calls).toEqual([
		['down', 'KeyJ'],
		['up', 'KeyJ'],
	]);
});

test('the click that follows a press of the mouse is no press of its own', async () => {
	const shown = await live();
	const element = button().element();
	element.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true, button: 0, pointerId: 1 }));
	element.dispatchEvent(new PointerEvent('pointerup', { bubbles: true, button: 0, pointerId: 1 }));
	element.dispatchEvent(new MouseEvent('click', { bubbles: true, detail: 1 }));
	expect(shown.talk.calls).toEqual([
		['down', 'pointer'],
		['up', 'pointer'],
	]);
});

test('another button of the mouse opens nothing', async () => {
	const shown = await live();
	button()
		.element()
		.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true, button: 2, pointerId: 1 }));
	expect(shown.talk.calls).toEqual([]);
});

test('a finger that rests on the button opens no menu', async () => {
	await live();
	const menu = new MouseEvent('contextmenu', { bubbles: true, cancelable: true });
	button().element().dispatchEvent(menu);
	expect(menu.defaultPrevented).toBe(true);
});
