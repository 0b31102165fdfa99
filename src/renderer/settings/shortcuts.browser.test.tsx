import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { slots } from '#shared/keys/commands.ts';
import { createFakeWindow, type FakeMain } from '#test/support/fake-window.ts';
import { axeFindings, renderWindow } from '#test/support/render-window.tsx';

async function settings(main: FakeMain = {}, width = 1000) {
	const shown = await renderWindow(createFakeWindow(main), width, 900);
	shown.parts.navigation.go('settings', 'shortcuts');
	await page.getByRole('heading', { name: 'Settings' }).findElement();
	const keys = () => shown.parts.settings.store.getState().values.shortcuts;
	return { ...shown, keys };
}

async function record(name: string, keys: string): Promise<void> {
	await page
		.getByRole('button', { name: `Add keys for ${name}`, exact: true })
		.first()
		.click();
	await page.getByRole('button', { name: `Press the keys for ${name}; Escape cancels` }).findElement();
	await userEvent.keyboard(keys);
}

test('a combination is recorded by pressing it, and does at once what it is for', async () => {
	const shown = await settings();
	await record('Pause or resume', '{Control>}{Shift>}x{/Shift}{/Control}');
	await expect.poll(shown.keys).toEqual({ pause: ['P', 'Mod+Shift+X'] });
	await expect.element(page.getByRole('button', { name: 'Add keys for Pause or resume' })).toHaveFocus();
	shown.conversation.show({ phase: 'live' });
	await userEvent.keyboard('{Control>}{Shift>}x{/Shift}{/Control}');
	await expect.poll(() => shown.conversation.calls.map(([name]) => name)).toContain('pause');
});

test('keys of another command are shown with whose they are, and taken over when wished', async () => {
	const shown = await settings();
	await record('Pause or resume', 'm');
	await expect.element(page.getByText(/M.* is already used for .*Mute or unmute/)).toBeVisible();
	expect(shown.keys()).toEqual({});
	await page.getByRole('button', { name: 'Use it here' }).click();
	await expect.poll(shown.keys).toEqual({ mute: ['Mod+D'], pause: ['P', 'M'] });
});

test('what the system needs is refused with the reason, and Escape leaves all as it was', async () => {
	const shown = await settings();
	await record('Pause or resume', '{Control>}c{/Control}');
	await expect.element(page.getByText(/is for cutting, copying, pasting/)).toBeVisible();
	await userEvent.keyboard('{Escape}');
	await expect.element(page.getByRole('button', { name: 'Add keys for Pause or resume' })).toBeVisible();
	expect(shown.keys()).toEqual({});
});

test('keys are removed one by one, and reset one by one or all together', async () => {
	const shown = await settings();
	await page.getByRole('button', { name: /Remove .*M.* from Mute or unmute/ }).click();
	await expect.poll(shown.keys).toEqual({ mute: ['Mod+D'] });
	await page.getByRole('button', { name: 'Reset to default: keys of Mute or unmute' }).click();
	await expect.poll(shown.keys).toEqual({});
	await page.getByRole('button', { name: /Remove .*P.* from Pause/ }).click();
	await page.getByRole('button', { name: 'Reset all keys' }).click();
	await expect.poll(shown.keys).toEqual({});
});

test('the sheet shows the keys in force, and those of other programs when they are on', async () => {
	const shown = await settings({ settings: { shortcuts: { mute: ['Mod+Shift+X'] }, globalKeys: true } });
	shown.parts.navigation.showShortcuts(true);
	const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
	await expect.element(sheet.getByText('X', { exact: true })).toBeVisible();
	await expect.element(sheet.getByText('In other programs')).toBeVisible();
	await expect.element(sheet.getByText('F10')).toBeVisible();
});

test('keys are in groups, and a phrase key says its words', async () => {
	const shown = await settings({ settings: { speak: 'en', hear: ['es'], globalKeys: true } });
	const group = page.getByRole('list', { name: 'Ready phrases' }).first();
	await expect.element(group.getByRole('listitem').first()).toBeVisible();
	const names = () =>
		group
			.getByRole('listitem')
			.elements()
			.map((one) => one.textContent ?? '');
	expect(names()).toHaveLength(5);
	for (const name of names()) expect(name).toMatch(/^Say “.+”/);
	expect(document.body.textContent).not.toContain('Say phrase');
	const titles = () =>
		[...document.querySelectorAll('[data-setting=shortcuts] h3')].map((one) => one.textContent);
	expect(titles()).toEqual(['Conversation', 'Ready phrases', 'Captions', 'Dragoman']);
	await shown.parts.settings.write({ phrases: { en: ['', 'My own words', '', '', ''] } });
	await expect.poll(() => names()[1]).toMatch(/^Say “.?My own words/);
	await expect.poll(() => names()[0]).toMatch(/^Say phrase 1/);
	shown.parts.navigation.showShortcuts(true);
	const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
	await expect.element(sheet.getByText(/My own words/)).toBeVisible();
});

test('every command with keys is in a group', async () => {
	await settings({ settings: { globalKeys: true } });
	const shown = () =>
		[...document.querySelectorAll<HTMLElement>('[data-slot]')].map((one) => one.dataset['slot']);
	await expect.poll(() => shown().toSorted()).toEqual(slots.map(({ name }) => name).toSorted());
});

test('shows that another program already has the keys', async () => {
	await settings({ settings: { globalKeys: true }, shell: { refusedKeys: ['global.mute'] } });
	await expect.element(page.getByText(/Another program already has these keys/)).toBeVisible();
});

test('where the system has no such keys, or asks first, that is said', async () => {
	await settings({ shell: { globalKeys: 'portal' } });
	await expect.element(page.getByText(/Wayland/)).toBeVisible();
	await settings({ shell: { globalKeys: 'none' } });
	await expect.element(page.getByText(/Not available here/)).toBeVisible();
});

test('whether the talk key can be held in other programs is said', async () => {
	await settings({ settings: { globalKeys: true }, shell: { holds: true } });
	await expect.element(page.getByText(/is held: talking ends when you let go/)).toBeVisible();
	await settings({ settings: { globalKeys: true } });
	await expect.element(page.getByText(/cannot be held in other programs here/)).toBeVisible();
	await settings({ settings: { globalKeys: true }, shell: { globalKeys: 'none', holds: true } });
	await expect.element(page.getByText(/of these keys only .*Talk \(hold\).* works here/)).toBeVisible();
	await expect.element(page.getByText(/talking ends when you let go/)).toBeVisible();
});

test('the section is usable by assistive technology, and at 320 px', async () => {
	await settings({ settings: { globalKeys: true } }, 320);
	expect(await axeFindings()).toEqual([]);
	expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(320);
});
