import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { err } from '#shared/lib/result.ts';
import { createFakeWindow, type FakeMain } from '#test/support/fake-window.ts';
import { renderWindow } from '#test/support/render-window.tsx';

const field = page.getByLabelText('API key');
const submit = page.getByRole('button', { name: 'Check and continue' });
const none = { present: false, source: 'none', lastFour: '' } as const;

const welcome = (main: FakeMain = {}) =>
	renderWindow(createFakeWindow({ account: { service: 'unset' }, key: none, ...main }));

test('a key is checked at once, kept in the keychain, and leads to the one screen', async () => {
	const shown = await welcome();
	await field.fill('  plbr_0123456789abcdef ');
	await userEvent.keyboard('{Enter}');
	await expect.element(page.getByRole('button', { name: 'Start', exact: true })).toBeVisible();
	expect(shown.asked).toContainEqual(['account.set-key', { key: 'plbr_0123456789abcdef', keep: 'keychain' }]);
});

test('shows a refused key at the field, which keeps the focus, and changes nothing else', async () => {
	await welcome({ answers: { 'account.set-key': () => err({ kind: 'api-key-rejected', status: 401 }) } });
	await field.fill('wrong');
	await submit.click();
	await expect.element(page.getByText(/does not accept this API key/)).toBeVisible();
	await expect.element(field).toHaveAttribute('aria-invalid', 'true');
	await expect.element(field).toHaveFocus();
	await expect.element(field).toHaveAccessibleDescription(/does not accept this API key/);
});

test('of a key whose check another choice has overtaken nothing is said', async () => {
	const shown = await welcome({ answers: { 'account.set-key': () => err({ kind: 'cancelled' }) } });
	await field.fill('right-key-1234');
	await submit.click();
	await expect.poll(() => shown.asked.map(([name]) => name)).toContain('account.set-key');
	// A frame in which it would be drawn, and one after it.
	await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
	await expect.element(submit).toBeEnabled();
	expect(page.getByText(/Cancelled\./).query()).toBeNull();
	await expect.element(field).not.toHaveAttribute('aria-invalid', 'true');
});

test('of the keys only those act that mean something here, and the list of them is shown at once', async () => {
	const shown = await welcome();
	await expect.element(submit).toBeVisible();
	await userEvent.keyboard('mo');
	shown.announce('command.run', { command: 'mute' });
	expect(shown.conversation.calls).toEqual([]);
	expect(shown.asked.map(([name]) => name)).not.toContain('settings.write');
	await userEvent.keyboard('?');
	await expect.element(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
});

test('an empty field is not sent', async () => {
	const shown = await welcome();
	await submit.click();
	await expect.element(page.getByText('Enter your API key.')).toBeVisible();
	expect(shown.asked.map(([name]) => name)).not.toContain('account.set-key');
});

test('hides the key until it is asked to show it, and again when another field has the keyboard', async () => {
	await welcome();
	await field.fill('plbr_0123456789abcdef');
	await expect.element(field).toHaveAttribute('type', 'password');
	await userEvent.tab();
	const eye = page.getByRole('button', { name: 'Show API key' });
	await expect.element(eye).toHaveFocus();
	await userEvent.keyboard('{Enter}');
	await expect.element(field).toHaveAttribute('type', 'text');
	await expect.element(page.getByRole('button', { name: 'Hide API key' })).toHaveFocus();
	await userEvent.tab({ shift: true });
	await expect.element(field).toHaveAttribute('type', 'text');
	await page.getByRole('button', { name: /Where to keep the key/ }).click();
	await expect.element(field).toHaveAttribute('type', 'password');
	await userEvent.keyboard('{Escape}');
	await eye.click();
	await expect.element(field).toHaveAttribute('type', 'text');
	// Another program's window.
	globalThis.window.dispatchEvent(new Event('blur'));
	await expect.element(field).toHaveAttribute('type', 'password');
});

test('a key on show is hidden when it is sent, and stays hidden when it is refused', async () => {
	await welcome({ answers: { 'account.set-key': () => err({ kind: 'api-key-rejected', status: 401 }) } });
	await field.fill('wrong');
	await page.getByRole('button', { name: 'Show API key' }).click();
	await field.click();
	await userEvent.keyboard('{Enter}');
	await expect.element(page.getByText(/does not accept this API key/)).toBeVisible();
	await expect.element(field).toHaveAttribute('type', 'password');
});

test.each([
	[1000, 760],
	[420, 700],
])('an error moves nothing at %i × %i', async (width, height) => {
	const failed = () => err({ kind: 'sandbox-failed', reason: 'port' } as const);
	const refused = () => err({ kind: 'api-key-rejected', status: 401 } as const);
	await renderWindow(
		createFakeWindow({
			account: { service: 'unset' },
			key: none,
			answers: { 'account.choose': failed, 'account.set-key': refused },
		}),
		width,
		height,
	);
	await expect.element(submit).toBeVisible();
	const tops = () =>
		[...document.querySelectorAll('main h2, main button')].map((one) => one.getBoundingClientRect().top);
	const before = tops();
	await page.getByRole('button', { name: 'Try the sandbox' }).click();
	await expect.element(page.getByRole('alert')).toBeVisible();
	expect(tops()).toEqual(before);
	await field.fill('wrong');
	await userEvent.keyboard('{Enter}');
	await expect.element(page.getByText(/does not accept this API key/)).toBeVisible();
	// A narrow page scrolls to the field; nothing in it moves.
	const scrolled = (before[0] ?? 0) - (tops()[0] ?? 0);
	expect(tops().map((top) => top + scrolled)).toEqual(before);
});

test('without a keychain it says so and keeps the key for this run', async () => {
	const shown = await welcome({ key: { ...none, keychain: 'missing' } });
	await expect.element(page.getByText(/has no keychain/)).toBeVisible();
	await field.fill('key-for-now');
	await submit.click();
	await expect
		.poll(() => shown.asked)
		.toContainEqual(['account.set-key', { key: 'key-for-now', keep: 'session' }]);
});

test('a key that is to be forgotten at quitting is not said to be stored', async () => {
	await welcome();
	const stored = page.getByText(/Stored in your system’s keychain/);
	await expect.element(stored).toBeVisible();
	await page.getByRole('button', { name: /Where to keep the key/ }).click();
	await page.getByRole('option', { name: 'Keep it until I quit' }).click();
	await expect.element(page.getByText(/Kept in memory until you quit/)).toBeVisible();
	expect(stored.query()).toBeNull();
});

test('a keychain without protection is not chosen by itself', async () => {
	const shown = await welcome({ key: { ...none, keychain: 'plain' } });
	await expect.element(page.getByText(/could read a stored key/)).toBeVisible();
	await field.fill('key-for-now');
	await submit.click();
	await expect
		.poll(() => shown.asked)
		.toContainEqual(['account.set-key', { key: 'key-for-now', keep: 'session' }]);
});

test('the sandbox says that nothing is translated, before and after', async () => {
	const shown = await welcome();
	await expect.element(page.getByText(/recognises nothing you say/)).toBeVisible();
	await page.getByRole('button', { name: 'Try the sandbox' }).click();
	await expect.element(page.getByText('Sandbox: nothing is really translated')).toBeVisible();
	expect(shown.asked).toContainEqual(['account.choose', { service: 'sandbox' }]);
});

test('a sandbox that does not start says so where it was chosen', async () => {
	await welcome({ answers: { 'account.choose': () => err({ kind: 'sandbox-failed', reason: 'port' }) } });
	await page.getByRole('button', { name: 'Try the sandbox' }).click();
	await expect.element(page.getByRole('alert')).toHaveTextContent('The sandbox could not be started.');
});

test('the service is named, and the addresses of prices and keys are read before they are opened', async () => {
	const shown = await welcome({ account: { service: 'unset', apiUrl: 'https://api.palabra.ai' } });
	await expect.element(page.getByText(/Charged by Palabra per minute/)).toBeVisible();
	await page.getByRole('button', { name: /^docs\.palabra\.ai.*in your browser/ }).click();
	await page.getByRole('button', { name: /^www\.palabra\.ai.*in your browser/ }).click();
	const opened = shown.asked.filter(([name]) => name === 'system.open-service-site');
	expect(opened.map(([, input]) => input)).toEqual([{ page: 'keys' }, { page: 'prices' }]);
});

test('a service at another address is called by its host, and nothing is said about its keys', async () => {
	await welcome({ account: { service: 'unset', apiUrl: 'https://speech.example.net/v1' } });
	await expect.element(page.getByText(/Charged by .?speech\.example\.net.? per minute/)).toBeVisible();
	await expect.element(page.getByText(/No key yet|What an hour costs/)).not.toBeInTheDocument();
});
