import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { type FirstPicture, withFirstPicture } from '#main/app/first-picture.ts';
import html from '#renderer/index.html?raw';
import { createFakeWindow, type FakeMain } from '#test/support/fake-window.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { renderWindow } from '#test/support/render-window.tsx';
import { failFirstPicture } from './first-picture.ts';
import type { Parts } from './parts.ts';

const dressed: FirstPicture = {
	language: 'en',
	theme: 'light',
	motion: 'system',
	page: 'live',
	pair: ['English', 'Español'],
	start: { label: 'Start', pressed: 'Working…' },
};
const start = () => page.getByRole('button', { name: 'Start', exact: true });
const pictures = () => document.querySelectorAll('.first-picture').length;

/** Parsed by a request, because another file's tests may have forbidden it to script in this page (Trusted Types). */
function parse(text: string): Promise<Document> {
	const address = URL.createObjectURL(new Blob([text], { type: 'text/html' }));
	const { promise, resolve } = Promise.withResolvers<Document>();
	const request = new XMLHttpRequest();
	request.open('GET', address);
	request.responseType = 'document';
	request.onload = () => resolve(request.response as Document);
	request.send();
	return promise.finally(() => URL.revokeObjectURL(address));
}

/** Beside the body, which each window shown in a test empties. */
async function hangUp(): Promise<void> {
	document.body.replaceChildren();
	const picture = (await parse(withFirstPicture(html, dressed))).querySelector('.first-picture');
	if (!picture) throw new Error('index.html has no first picture');
	document.documentElement.append(document.adoptNode(picture));
	onTestFinished(() => picture.remove());
}

/** The window for these answers of main, and how often it has started a conversation. */
async function build(main: FakeMain = {}, readSound?: Parts['readSound']) {
	const made = createFakeWindow(main);
	const shown = await renderWindow(readSound ? { ...made, parts: { ...made.parts, readSound } } : made);
	expect(pictures()).toBe(0);
	return {
		shown,
		starts: () => shown.conversation.calls.filter(([name]) => name === 'start').length,
	};
}

beforeEach(hangUp);

test('a press of Start before the window is there starts one conversation, and says at once that it was taken', async () => {
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

test.each([
	[9999, 'running', 1],
	[10_001, 'running', 0],
	[100, 'failed', 0],
] as const)(
	"a press meets the sandbox's start: after %i ms it is %s, and %i conversations begin",
	async (afterMs, sandbox, count) => {
		const clock = createManualClock();
		await start().click();
		const { shown, starts } = await build({ clock, account: { service: 'sandbox', sandbox: 'starting' } });
		await expect.element(start()).toBeDisabled();
		await expect.poll(() => clock.pending).toBeGreaterThan(0);
		await clock.run(afterMs);
		expect(starts()).toBe(0);
		const { status } = shown.parts.account.store.getState();
		shown.announce('account.changed', { ...status, revision: 99, sandbox });
		if (count > 0) await expect.poll(starts).toBe(count);
		else if (sandbox === 'running') await expect.element(start()).toBeEnabled();
		await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
		expect(starts()).toBe(count);
	},
);

test('holding Start while the window loads counts as one press', async () => {
	await userEvent.keyboard('{Tab}{ >}');
	const { starts } = await build();
	await expect.element(start()).toHaveFocus();
	await expect.poll(starts).toBe(1);
	await userEvent.keyboard('{/ }');
	expect(starts()).toBe(1);
});

const meeting: FakeMain = {
	settings: { mode: 'meeting', hear: ['es'], voiceOf: 'es' },
	callOutput: { to: 'nowhere', missing: '' },
};

test('devices and routes are read before a press counts, and what they say counts, too', async () => {
	await start().click();
	const { promise, resolve } = Promise.withResolvers<void>();
	const { shown, starts } = await build(meeting, () => promise);
	await expect.element(start()).toBeEnabled();
	expect(starts()).toBe(0);
	shown.announce('routing.changed', { revision: 9, virtualMicrophone: { state: 'unsupported' } });
	await expect.element(start()).toBeDisabled();
	resolve();
	await new Promise((done) => requestAnimationFrame(done));
	expect(starts()).toBe(0);
	shown.announce('routing.changed', { revision: 10, virtualMicrophone: { state: 'none' } });
	await expect.element(start()).toBeEnabled();
	expect(starts()).toBe(0);
});

test('where they cannot be read, the press counts after two seconds, and not if a conversation has begun meanwhile', async () => {
	const never = () => new Promise(() => {});
	const clock = createManualClock();
	await start().click();
	const { starts } = await build({ clock }, never);
	await clock.run(1999);
	expect(starts()).toBe(0);
	await clock.run(1);
	expect(starts()).toBe(1);

	await hangUp();
	await start().click();
	const other = await build({ clock }, never);
	other.shown.conversation.show({ phase: 'live' });
	await clock.run(2000);
	expect(other.shown.conversation.calls.filter(([name]) => name !== 'prepare')).toEqual([]);
});

test('a window that cannot be built leaves no Start that does nothing', async () => {
	await expect.element(start()).toBeEnabled();
	expect(() => failFirstPicture(new Error('broken'))).toThrow('broken');
	await expect.element(start()).toBeDisabled();
});

test('a window that begins with another page takes the picture away, too', async () => {
	const { starts } = await build({ account: { service: 'unset' } });
	expect(starts()).toBe(0);
});
