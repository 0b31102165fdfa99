import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { type FirstPicture, withFirstPicture } from '#main/app/first-picture.ts';
import html from '#renderer/index.html?raw';
import { createFakeWindow, type FakeMain } from '#test/support/fake-window.ts';
import { renderWindow } from '#test/support/render-window.tsx';

const dressed: FirstPicture = {
	...{ language: 'en', theme: 'light', motion: 'system', page: 'live', pair: ['English', 'Español'] },
	start: { label: 'Start', pressed: 'Working…' },
};
const start = () => page.getByRole('button', { name: 'Start', exact: true });
const pictures = () => document.querySelectorAll('.first-picture').length;

/** Beside the body, which each window shown in a test empties. */
function hangUp(): void {
	const parsed = new DOMParser().parseFromString(withFirstPicture(html, dressed), 'text/html');
	const picture = parsed.querySelector('.first-picture');
	if (!picture) throw new Error('index.html has no first picture');
	document.documentElement.append(document.adoptNode(picture));
	onTestFinished(() => picture.remove());
}

/** The window for these answers of main, and how often it has started a conversation. */
async function build(main: FakeMain = {}) {
	const shown = await renderWindow(createFakeWindow(main));
	expect(pictures()).toBe(0);
	return {
		shown,
		starts: () => shown.conversation.calls.filter(([name]) => name === 'start').length,
	};
}

beforeEach(() => {
	document.body.replaceChildren();
	hangUp();
});

test('a press of Start before the window is there starts one conversation, and says at once that it was taken', async () => {
	expect(page.getByText('Working…').elements()).toEqual([document.querySelector('#first-press')]);
	await expect.element(page.getByText('Working…')).not.toBeVisible();
	await start().click();
	await start().click();
	await expect.element(page.getByText('Working…')).toBeVisible();
	const { starts } = await build();
	await expect.poll(starts).toBe(1);
});

test('without a press nothing starts, and the focus is nowhere', async () => {
	const { starts } = await build();
	await expect.element(start()).toBeEnabled();
	expect(starts()).toBe(0);
	expect(document.activeElement).toBe(document.body);
});

test('who had reached Start by the keyboard is still there, and Enter starts', async () => {
	await userEvent.keyboard('{Tab}');
	expect(document.activeElement).toBe(start().element());
	const { starts } = await build();
	await expect.element(start()).toHaveFocus();
	expect(starts()).toBe(0);
	await userEvent.keyboard('{Enter}');
	expect(starts()).toBe(1);
});

test('a press that meets a problem starts nothing, not even once the problem is solved', async () => {
	await start().click();
	const { shown, starts } = await build({ key: { present: false } });
	await expect.element(start()).toBeDisabled();
	const status = shown.parts.account.store.getState().status;
	shown.announce('account.changed', { ...status, revision: 99, key: { ...status.key, present: true } });
	await expect.element(start()).toBeEnabled();
	expect(starts()).toBe(0);
});

test('a press waits for what passes by itself', async () => {
	await start().click();
	const { shown, starts } = await build({ account: { service: 'sandbox', sandbox: 'starting' } });
	await expect.element(start()).toBeDisabled();
	expect(starts()).toBe(0);
	const status = shown.parts.account.store.getState().status;
	shown.announce('account.changed', { ...status, revision: 99, sandbox: 'running' });
	await expect.poll(starts).toBe(1);
});

test('a window that begins with another page takes the picture away, too', async () => {
	const { starts } = await build({ account: { service: 'unset' } });
	expect(starts()).toBe(0);
});
