import { expect, test, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { err, ok } from '#shared/lib/result.ts';
import { captionRow } from '#test/support/fake-conversation.ts';
import { createFakeWindow, type FakeMain, type FakeWindow } from '#test/support/fake-window.ts';
import { axeFindings, renderWindow } from '#test/support/render-window.tsx';
import { windowStates } from '#test/support/window-states.ts';

const ADDRESS = 'http://192.168.1.20:49152/AAAAAAAAAAAAAAAAAAAAAA/';
const OTHER = 'http://10.0.0.5:49152/AAAAAAAAAAAAAAAAAAAAAA/';

const dialog = page.getByRole('dialog', { name: 'Guests' });
const code = dialog.getByRole('img', { name: 'QR code of the address' });
const entry = page.getByRole('menuitem', { name: 'Guests…' });
const openMenu = () => userEvent.click(page.getByRole('button', { name: 'More', exact: true }));
const start = () => userEvent.click(dialog.getByRole('button', { name: 'Start sharing' }));
const close = () => userEvent.click(dialog.getByRole('button', { name: 'Close' }));
const drawn = () => code.element().querySelectorAll('path')[1]?.getAttribute('d') ?? '';

async function live(main: FakeMain = {}): Promise<FakeWindow> {
	const shown = await renderWindow(createFakeWindow(main));
	shown.conversation.show({ phase: 'live', liveSinceMs: 0 });
	shown.conversation.putRow(captionRow(0, ['en', 'Hello.'], [['es', 'Hola.']]), 0);
	return shown;
}

async function invite(main: FakeMain = {}): Promise<FakeWindow> {
	const shown = await live(main);
	await openMenu();
	await userEvent.click(entry);
	await expect.element(dialog).toBeVisible();
	await start();
	return shown;
}

test('nothing is shared until it is asked for; then there is a code, the address and how many read along', async () => {
	const shown = await live();
	const caution = dialog.getByText(/unencrypted/);
	await openMenu();
	await userEvent.click(entry);
	await expect.element(caution).toBeVisible();
	expect(dialog.getByRole('button', { name: 'Stop sharing' }).query()).toBeNull();
	expect(await axeFindings()).toEqual([]);
	expect(shown.asked.some(([name]) => name === 'guests.open')).toBe(false);
	await start();
	await expect.element(dialog.getByText(ADDRESS)).toBeVisible();
	await expect.element(code).toBeVisible();
	// A second press by mistake must not stop it, and the keyboard stays in the dialog.
	await expect.element(dialog.getByRole('button', { name: 'Copy the address' })).toHaveFocus();
	const size = Number(code.element().getAttribute('viewBox')?.split(' ')[2]);
	const places = [...drawn().matchAll(/M(\d+) (\d+)h1v1h-1z/g)].flatMap(([, x, y]) => [Number(x), Number(y)]);
	// Four white modules on every side, and the corners of the code beside them.
	expect([Math.min(...places), Math.max(...places)]).toEqual([4, size - 5]);
	// To be scanned from some way off.
	expect(code.element().getBoundingClientRect().width).toBeGreaterThan(400);
	await expect.element(dialog.getByText('Reading now: 0')).toBeVisible();
	shown.announce('guests.changed', {
		revision: 50,
		sharing: true,
		addresses: [ADDRESS],
		guests: 3,
		listening: [],
	});
	await expect.element(dialog.getByText('Reading now: 3')).toBeVisible();
	// A count that changes all the time is not announced.
	expect(dialog.getByRole('status').element().textContent).toBe('');
	await expect.element(caution).toBeVisible();
	expect(await axeFindings()).toEqual([]);
});

test('the address is copied, and the dialog itself says whether that worked', async () => {
	const written = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue();
	await invite();
	const said = dialog.getByRole('status');
	const copy = dialog.getByRole('button', { name: 'Copy the address' });
	await userEvent.click(copy);
	await expect.element(said).toHaveTextContent('Copied');
	expect(written.mock.calls).toEqual([[ADDRESS]]);
	written.mockRejectedValue(new Error('refused'));
	await userEvent.click(copy);
	await expect.element(said).toHaveTextContent('The address could not be copied.');
	written.mockRestore();
});

test('focus that leaves one of its controls half a second after the dialog opened returns to that control', async () => {
	vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
	try {
		await live();
		await openMenu();
		await userEvent.click(entry);
		await expect.element(dialog).toHaveFocus();
		const control = dialog.getByRole('button', { name: 'Close' });
		(control.element() as HTMLElement).focus();
		(control.element() as HTMLElement).blur();
		// React Aria focuses a dialog again after half a second if nothing has focus at that moment.
		vi.advanceTimersByTime(500);
		await expect.element(control).toHaveFocus();
	} finally {
		vi.useRealTimers();
	}
});

test('of several networks one is chosen, and the code is of its address', async () => {
	const shown = await invite({ guestAddresses: [ADDRESS, OTHER] });
	await expect.element(dialog.getByText(ADDRESS)).toBeVisible();
	const before = drawn();
	await userEvent.click(dialog.getByRole('button', { name: /Network address/ }));
	await userEvent.click(page.getByRole('option', { name: '10.0.0.5' }));
	await expect.element(dialog.getByText(OTHER)).toBeVisible();
	await expect.element(dialog.getByRole('button', { name: /Network address/ })).toHaveFocus();
	expect(drawn()).not.toBe(before);
	// The computer has left that network: nobody reaches it there any more.
	shown.announce('guests.changed', {
		revision: 60,
		sharing: true,
		addresses: [ADDRESS],
		guests: 0,
		listening: [],
	});
	await expect.element(dialog.getByText(ADDRESS)).toBeVisible();
	expect(drawn()).toBe(before);
	// Back in it, with the choice that was made.
	shown.announce('guests.changed', {
		revision: 61,
		sharing: true,
		addresses: [ADDRESS, OTHER],
		guests: 0,
		listening: [],
	});
	await expect.element(dialog.getByText(OTHER)).toBeVisible();
});

test('closing the dialog goes on sharing, which the page says and can end', async () => {
	const shown = await invite();
	await close();
	await expect.element(dialog).not.toBeInTheDocument();
	const notice = page.getByText('Guests can read the captions.');
	await expect.element(notice).toBeVisible();
	const again = page.getByRole('button', { name: 'Show the code' });
	await userEvent.click(again);
	await expect.element(code).toBeVisible();
	await close();
	await expect.element(again).toHaveFocus();
	expect(shown.asked.some(([name]) => name === 'guests.close')).toBe(false);
	// After Stop, too, for as long as it is shared.
	shown.conversation.show({ phase: 'idle' });
	await openMenu();
	await userEvent.click(entry);
	await expect.element(code).toBeVisible();
	await userEvent.click(dialog.getByRole('button', { name: 'Stop sharing' }));
	await expect.element(dialog).not.toBeInTheDocument();
	await expect.element(notice).not.toBeInTheDocument();
	expect(shown.asked.filter(([name]) => name === 'guests.close')).toHaveLength(1);
	await openMenu();
	await expect.element(entry).toHaveAttribute('aria-disabled', 'true');
});

test('guests are invited before the first caption, and captions that come and go leave the dialog open', async () => {
	const shown = await renderWindow(createFakeWindow());
	const captions = () => document.querySelector('#captions')?.textContent;
	const early = page.getByRole('button', { name: 'Guests…' });
	expect(early.query()).toBeNull();
	shown.conversation.show({ phase: 'live', liveSinceMs: 0 });
	await userEvent.click(early);
	await start();
	await expect.element(code).toBeVisible();
	shown.conversation.putRow(captionRow(0, ['en', 'Hello.'], [['es', 'Hola.']]), 0);
	await expect.poll(captions).toContain('Hola.');
	shown.conversation.captions.clear();
	await expect.poll(captions).toContain('Listening');
	await expect.element(code).toBeVisible();
	await close();
	// The button that opened it is gone.
	await expect.poll(() => document.activeElement?.localName).toBe('h1');
});

test('face to face, where there is no such menu, the code can be shown again', async () => {
	const shown = await renderWindow(windowStates['face-mine']());
	shown.announce('guests.changed', {
		revision: 50,
		sharing: true,
		addresses: [ADDRESS],
		guests: 0,
		listening: [],
	});
	await userEvent.click(page.getByRole('button', { name: 'Show the code' }));
	await expect.element(code).toBeVisible();
});

test('sharing that ends by itself closes the dialog', async () => {
	const shown = await invite();
	await expect.element(code).toBeVisible();
	shown.announce('guests.changed', { revision: 50, sharing: false, addresses: [], guests: 0, listening: [] });
	await expect.element(dialog).not.toBeInTheDocument();
});

test('a computer on no network says so, and tries again', async () => {
	const guestAddresses: string[] = [];
	await invite({ guestAddresses });
	await expect
		.element(dialog.getByText('This computer is on no network that others can reach.'))
		.toBeVisible();
	expect(code.query()).toBeNull();
	expect(dialog.getByRole('button', { name: 'Stop sharing' }).query()).toBeNull();
	expect(await axeFindings()).toEqual([]);
	guestAddresses.push(ADDRESS);
	await userEvent.click(dialog.getByRole('button', { name: 'Try again' }));
	await expect.element(code).toBeVisible();
});

test('what went wrong is said, and can be tried again', async () => {
	let broken = true;
	const state = { revision: 1, sharing: true, addresses: [ADDRESS], guests: 0, listening: [] };
	await invite({
		answers: {
			'guests.open': () => (broken ? err({ kind: 'bug', where: 'host.guests.open' }) : ok(state)),
		},
	});
	await expect.element(dialog.getByRole('alert')).toBeVisible();
	expect(code.query()).toBeNull();
	broken = false;
	await userEvent.click(dialog.getByRole('button', { name: 'Try again' }));
	await expect.element(code).toBeVisible();
	expect(dialog.getByRole('alert').query()).toBeNull();
});
