import { expect, test, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { err } from '#shared/lib/result.ts';
import { captionRow } from '#test/support/fake-conversation.ts';
import { createFakeWindow, type FakeMain, type FakeWindow } from '#test/support/fake-window.ts';
import { axeFindings, renderWindow } from '#test/support/render-window.tsx';

const ADDRESS = 'http://192.168.1.20:49152/AAAAAAAAAAAAAAAAAAAAAA/';
const OTHER = 'http://10.0.0.5:49152/AAAAAAAAAAAAAAAAAAAAAA/';

const dialog = page.getByRole('dialog', { name: 'Guests' });
const code = dialog.getByRole('img', { name: 'QR code of the address' });
const entry = page.getByRole('menuitem', { name: 'Guests…' });
const openMenu = () => userEvent.click(page.getByRole('button', { name: 'More', exact: true }));
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
	return shown;
}

test('nothing is shared until it is asked for; then there is a code, the address and how many read along', async () => {
	const shown = await live();
	await openMenu();
	expect(shown.asked.some(([name]) => name === 'guests.open')).toBe(false);
	await userEvent.click(entry);
	await expect.element(dialog.getByText(ADDRESS)).toBeVisible();
	await expect.element(code).toBeVisible();
	const size = Number(code.element().getAttribute('viewBox')?.split(' ')[2]);
	const places = [...drawn().matchAll(/M(\d+) (\d+)h1v1h-1z/g)].flatMap(([, x, y]) => [Number(x), Number(y)]);
	// Four white modules on every side, and the corners of the code beside them.
	expect([Math.min(...places), Math.max(...places)]).toEqual([4, size - 5]);
	await expect.element(dialog.getByText('Reading along: 0')).toBeVisible();
	shown.announce('guests.changed', { revision: 50, sharing: true, addresses: [ADDRESS], guests: 3 });
	await expect.element(dialog.getByText('Reading along: 3')).toBeVisible();
	// A count that changes all the time is not announced.
	expect(dialog.getByRole('status').query()).toBeNull();
	await expect.element(dialog.getByText(/unencrypted/)).toBeVisible();
	expect(await axeFindings()).toEqual([]);
});

test('the address is copied', async () => {
	const written = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue();
	await invite();
	await userEvent.click(dialog.getByRole('button', { name: 'Copy the address' }));
	await expect.element(dialog.getByRole('button', { name: 'Copied' })).toBeVisible();
	expect(written.mock.calls).toEqual([[ADDRESS]]);
});

test('of several networks one is chosen, and the code is of its address', async () => {
	await invite({ guestAddresses: [ADDRESS, OTHER] });
	await expect.element(dialog.getByText(ADDRESS)).toBeVisible();
	const before = drawn();
	await userEvent.click(dialog.getByRole('button', { name: /Network address/ }));
	await userEvent.click(page.getByRole('option', { name: '10.0.0.5' }));
	await expect.element(dialog.getByText(OTHER)).toBeVisible();
	expect(drawn()).not.toBe(before);
});

test('closing the dialog goes on sharing, which the page says and can end', async () => {
	const shown = await invite();
	await userEvent.click(dialog.getByRole('button', { name: 'Close' }));
	await expect.element(dialog).not.toBeInTheDocument();
	const notice = page.getByText('Guests can read the captions.');
	await expect.element(notice).toBeVisible();
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

test('sharing that ends by itself closes the dialog', async () => {
	const shown = await invite();
	await expect.element(code).toBeVisible();
	shown.announce('guests.changed', { revision: 50, sharing: false, addresses: [], guests: 0 });
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

test('what went wrong is said', async () => {
	await invite({ answers: { 'guests.open': () => err({ kind: 'bug', where: 'host.guests.open' }) } });
	await expect.element(dialog.getByRole('alert')).toBeVisible();
	expect(code.query()).toBeNull();
});
