import { describe, expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { SLIP_MS } from '#renderer/conversation/follow-conversation.ts';
import { captionRow } from '#test/support/fake-conversation.ts';
import { createFakeWindow } from '#test/support/fake-window.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { renderWindow } from '#test/support/render-window.tsx';

const away = {
	phase: 'reconnecting',
	liveSinceMs: 0,
	delayMs: 3600,
	recovering: { sinceMs: 0, attempt: 21, cause: 'network' },
} as const;

describe('while the service is away', () => {
	test.each([
		['webrtc', /^The connection to the interpreter was lost\. What is being said is not translated\.$/],
		['websocket', /^The connection to the interpreter was lost\. What is being said is kept/],
	] as const)('a band says so, and what becomes of what is said (%s)', async (route, words) => {
		const shown = await renderWindow(createFakeWindow());
		shown.conversation.show({ ...away, travel: { route, fellBack: null } });
		await expect.element(page.getByText(words)).toBeVisible();
		await expect.element(page.getByText(/attempt 21$/)).toBeVisible();
		shown.conversation.show({ phase: 'live', recovering: null });
		await expect.poll(() => page.getByText(words).query()).toBeNull();
	});

	test('nothing is said to be lost where nothing is said', async () => {
		const shown = await renderWindow(createFakeWindow());
		shown.conversation.show({ ...away, muted: true });
		await expect
			.element(page.getByText('The connection to the interpreter was lost.', { exact: true }))
			.toBeVisible();
	});
});

test.each([
	['reconnecting', away],
	['paused', { phase: 'live', paused: true, liveSinceMs: 0, delayMs: 8800, usualDelayMs: 4000 }],
] as const)('while %s the delay has no number and no grade', async (_, view) => {
	const shown = await renderWindow(createFakeWindow());
	shown.conversation.show({ phase: 'live', liveSinceMs: 0, delayMs: 8800, usualDelayMs: 4000 });
	await expect.element(page.getByText('Slower than usual').first()).toBeVisible();
	shown.conversation.show(view);
	await expect.poll(() => page.getByText(/Slower|As usual/).query()).toBeNull();
	const delay = document.querySelector('[data-tooltip^="From what is said to its translation."]');
	expect(delay?.textContent).toBe('Delay–');
});

test('a caption that was cut off is not shown as one that still runs', async () => {
	const shown = await renderWindow(createFakeWindow());
	const row = captionRow(0, ['en', 'Could you'], [], false);
	const source = row.source && { ...row.source, cutOff: true as const };
	shown.conversation.putRow({ ...row, source }, 0);
	const text = page.getByText('Could you', { exact: true });
	await expect.element(text).toBeVisible();
	expect(getComputedStyle(text.element()).textDecorationLine).toBe('none');
	expect(getComputedStyle(text.element(), '::after').content).toBe('none');
	await expect.element(page.getByText('cut off', { exact: true })).toBeVisible();
});

test.each([
	['captions', 'The microphone is off. The last words are still being written.'],
	['listen', 'Listening has ended. The last words are still being spoken.'],
	['solo', 'The microphone is off. The last words are still being spoken.'],
] as const)('after Stop it says what is still to come (%s)', async (mode, words) => {
	const shown = await renderWindow(createFakeWindow({ settings: { mode } }));
	shown.conversation.show({ phase: 'ending', tail: true });
	await expect.element(page.getByText(words)).toBeVisible();
});

test('Start makes a session ahead when it is pointed at or focused, but not right after Stop', async () => {
	// Its time stands still: right after Stop it stays, however slow the machine is.
	const clock = createManualClock();
	const shown = await renderWindow(createFakeWindow({ clock }));
	const prepared = () => shown.conversation.calls.filter(([name]) => name === 'prepare').length;
	const start = page.getByRole('button', { name: 'Start', exact: true });
	await start.hover();
	await expect.poll(prepared).toBe(1);
	shown.conversation.show({ phase: 'live', liveSinceMs: 0 });
	await page.getByRole('button', { name: 'Pause', exact: true }).click();
	const before = prepared();
	// A pause is followed by no last words: Start is there at once, and takes the keyboard from the button that has gone.
	shown.conversation.show({ phase: 'idle' });
	await expect.element(start).toHaveFocus();
	await start.hover();
	expect(prepared()).toBe(before);
	clock.advance(SLIP_MS);
	await expect.element(start).not.toHaveAttribute('aria-disabled');
	await page.getByRole('banner').hover();
	await start.hover();
	await expect.poll(prepared).toBe(before + 1);
});

test('between two faces ? shows the shortcuts at once', async () => {
	const shown = await renderWindow(createFakeWindow({ settings: { mode: 'face' } }));
	shown.conversation.show({ phase: 'live', liveSinceMs: 0 });
	await expect.element(page.getByRole('main', { name: 'Face to face' })).toBeVisible();
	await userEvent.keyboard('?');
	await expect.element(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
});

test('who has chosen the sandbox on the first page goes on at the heading of the next one', async () => {
	const key = { present: false, source: 'none', lastFour: '' } as const;
	const shown = await renderWindow(createFakeWindow({ account: { service: 'unset' }, key }));
	await page.getByRole('button', { name: 'Try the sandbox' }).click();
	const status = shown.parts.account.store.getState().status;
	shown.announce('account.changed', { ...status, revision: 99, service: 'sandbox', sandbox: 'running' });
	await expect.element(page.getByRole('button', { name: 'Start' })).toBeVisible();
	await expect.poll(() => document.activeElement?.localName).toBe('h1');
});
