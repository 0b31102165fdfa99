import { expect, test, vi } from 'vitest';
import { page } from 'vitest/browser';
import { err } from '#shared/lib/result.ts';
import { captionRow } from '#test/support/fake-conversation.ts';
import { createFakeWindow } from '#test/support/fake-window.ts';
import { renderWindow } from '#test/support/render-window.tsx';

const away = () => err({ kind: 'service-unreachable', cause: 'offline', host: 'api.example.com' } as const);
const again = () => page.getByRole('button', { name: 'Try again' });

test.each([
	['sessions', 'session.list'],
	['glossaries', 'glossary.list'],
	['history', 'history.list'],
] as const)(
	'on the page of %s trying again reads them again, and starts no conversation',
	async (of, call) => {
		const shown = createFakeWindow({ answers: { [call]: away } });
		shown.parts.navigation.go(of);
		await renderWindow(shown);
		const asked = () => shown.asked.filter(([name]) => name === call).length;
		await expect.element(page.getByText(/api\.example\.com.* cannot be reached/)).toBeVisible();
		const before = asked();
		await again().click();
		await expect.poll(asked).toBe(before + 1);
		await expect.element(page.getByRole('alert')).toBeVisible();
		expect(shown.conversation.calls.map(([name]) => name)).not.toContain('tryAgain');
	},
);

test('offers to try the unavailable service again first, and to show open sessions second', async () => {
	const shown = await renderWindow(createFakeWindow());
	shown.conversation.show({ phase: 'failed', problem: { kind: 'session-uncertain' } });
	const words = page.getByText(/^The service is unavailable right now\. A session may have been opened/);
	await expect.element(words).toHaveAttribute('role', 'alert');
	const offered = document.querySelector('[data-problem="session-uncertain"]')?.querySelectorAll('button');
	expect([...(offered ?? [])].map((one) => one.textContent)).toEqual(['Try again', 'Show open sessions']);
	await again().click();
	expect(shown.conversation.calls.map(([name]) => name)).toContain('tryAgain');
	await page.getByRole('button', { name: 'Show open sessions' }).click();
	expect(shown.parts.navigation.store.getState().page).toBe('sessions');
});

test('a conversation of the history that could not be read is read again', async () => {
	const shown = createFakeWindow({ answers: { 'history.read': () => err({ kind: 'history-busy' }) } });
	shown.parts.navigation.read('some');
	await renderWindow(shown);
	await again().click();
	await expect.poll(() => shown.asked.filter(([name]) => name === 'history.read').length).toBe(2);
});

test.each([
	['copied', true, 'The report is on the clipboard.'],
	['not copied', false, 'The report could not be copied.'],
] as const)('what became of the report is said: %s', async (_, works, words) => {
	const written = vi.spyOn(navigator.clipboard, 'writeText');
	if (works) written.mockResolvedValue();
	else written.mockRejectedValue(new Error('not allowed'));
	const shown = createFakeWindow();
	shown.conversation.show({ phase: 'failed', problem: { kind: 'bug', where: 'here' } });
	await renderWindow(shown);
	await page.getByRole('button', { name: 'Copy report' }).click();
	await expect.element(page.getByText(words, { exact: false })).toBeVisible();
});

test('on the page of the conversation trying again goes on with it; on a fresh page another one begins', async () => {
	const shown = createFakeWindow();
	shown.conversation.putRow(captionRow(0, ['en', 'Hello'], []));
	shown.conversation.show({ phase: 'failed', problem: { kind: 'service-unreachable', cause: 'offline' } });
	await renderWindow(shown);
	await again().click();
	expect(shown.conversation.calls.at(-1)?.[0]).toBe('tryAgain');
	shown.conversation.captions.putAway();
	await again().click();
	expect(shown.conversation.calls.at(-1)?.[0]).toBe('start');
});
