import { describe, expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { dayAndTime } from '#renderer/i18n/format.ts';
import type { SessionPage, SessionRow } from '#shared/host/contract.ts';
import { err, ok } from '#shared/lib/result.ts';
import { createFakeWindow, type FakeMain } from '#test/support/fake-window.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { axeFindings, renderWindow } from '#test/support/render-window.tsx';

/** The server's time, which differs from this computer's. */
const SERVER_NOW = Date.UTC(2026, 4, 4, 12, 0, 0);

function row(given: Partial<SessionRow> & { handle: string }): SessionRow {
	return {
		label: `label-${given.handle}`,
		createdAt: SERVER_NOW - 60_000,
		updatedAt: SERVER_NOW - 30_000,
		expiresAt: SERVER_NOW + 605_000,
		owner: 'foreign',
		...given,
	};
}

function pageOf(rows: readonly SessionRow[], more: Partial<SessionPage> = {}): SessionPage {
	return { rows: [...rows], next: null, complete: true, serverNow: SERVER_NOW, brokenLedger: null, ...more };
}

async function sessions(main: FakeMain) {
	const shown = createFakeWindow(main);
	shown.parts.navigation.go('sessions');
	return renderWindow(shown);
}

const button = (name: string | RegExp) => page.getByRole('button', { name });
const text = (words: string | RegExp) => page.getByText(words);

describe('the list', () => {
	test('says whose each session is, and counts down by the clock of the server', async () => {
		const clock = createManualClock();
		const rows = [
			row({ handle: 'a', owner: 'this-conversation' }),
			row({ handle: 'b', expiresAt: SERVER_NOW + 29 * 86_400_000 + 3_600_000 }),
			row({ handle: 'c', owner: 'probably-ours', createdAt: null, updatedAt: null, expiresAt: null }),
			row({ handle: 'd', owner: 'this-computer', expiresAt: SERVER_NOW - 1 }),
		];
		await sessions({ clock, answers: { 'session.list': () => ok(pageOf(rows)) } });
		await expect.element(text('This conversation')).toBeVisible();
		await expect.element(text('Another program or computer')).toBeVisible();
		await expect.element(text('Probably this computer')).toBeVisible();
		await expect.element(text('This computer')).toBeVisible();
		await expect.element(text(/^Expires in .10:05./)).toBeVisible();
		await expect.element(text(/^Expires in .29 days, 1 hr./)).toBeVisible();
		await expect.element(text('Expiry unknown')).toBeVisible();
		await expect.element(text(/^Expired$/)).toBeVisible();
		expect(document.body.textContent).toContain(dayAndTime(SERVER_NOW - 60_000, 'en'));
		await clock.run(6000);
		await expect.element(text(/^Expires in .9:59./)).toBeVisible();
	});

	test('comes page by page, shown as it comes, and asks before it goes on for ever', async () => {
		let answer: () => void = () => {};
		const shown = createFakeWindow();
		const host = {
			...shown.parts.host,
			async ask(name: string, input: unknown) {
				if (name !== 'session.list') return shown.parts.host.ask(name as never, input as never);
				const number = Number((input as { after: string | null }).after ?? 0);
				if (number === 1) await new Promise<void>((done) => (answer = done));
				return ok(pageOf([row({ handle: `${number}` })], { next: number < 5 ? `${number + 1}` : null }));
			},
		};
		shown.parts.navigation.go('sessions');
		await renderWindow({ ...shown, parts: { ...shown.parts, host: host as typeof shown.parts.host } });
		await expect.element(text('label-0')).toBeVisible();
		expect(text('label-1').query()).toBeNull();
		answer();
		await expect.element(text('label-3')).toBeVisible();
		expect(text('label-4').query()).toBeNull();
		await button('Show more').click();
		await expect.element(text('label-5')).toBeInTheDocument();
		expect(button('Show more').query()).toBeNull();
		expect(page.getByRole('listitem').elements().length).toBe(6);
		// On the first that came, not on the button that ends the one before.
		expect(document.activeElement).toBe(button(/Extend.*label-4/).element());
	});

	test('says when there is nothing, and when it cannot be read, and can be asked again', async () => {
		let answers = 0;
		await sessions({
			answers: {
				'session.list': () =>
					answers++ === 0 ? err({ kind: 'service-unreachable', cause: 'offline' }) : ok(pageOf([])),
			},
		});
		await expect.element(page.getByRole('alert')).toBeVisible();
		expect(text('No session is open').query()).toBeNull();
		expect(text('“Start” opens one, and “Stop” ends it.').query()).toBeNull();
		await button('Refresh').click();
		await expect.element(text('No session is open')).toBeVisible();
		await expect.element(text('“Start” opens one, and “Stop” ends it.')).toBeVisible();
		expect(page.getByRole('alert').query()).toBeNull();
	});

	test('is read anew when the computer wakes', async () => {
		const shown = await sessions({ answers: { 'session.list': () => ok(pageOf([])) } });
		await expect.element(text('No session is open')).toBeVisible();
		const before = shown.asked.filter(([name]) => name === 'session.list').length;
		shown.announce('power.changed', { event: 'resume' });
		await expect.poll(() => shown.asked.filter(([name]) => name === 'session.list').length).toBe(before + 1);
	});

	test('says where a ledger that could not be read was kept', async () => {
		const brokenLedger = '/home/ada/ledger.json.broken-17';
		await sessions({ answers: { 'session.list': () => ok(pageOf([], { brokenLedger })) } });
		await expect.element(text(/set aside as .*ledger\.json\.broken-17/)).toBeVisible();
	});
});

describe('a session', () => {
	test('is extended by a chosen time, on top of what is left', async () => {
		const shown = await sessions({
			clock: createManualClock(),
			answers: {
				'session.list': () => ok(pageOf([row({ handle: 'a' })])),
				'session.extend': () => ok({ expiresAt: SERVER_NOW + 2_405_000 }),
			},
		});
		await button('Extend session label-a').click();
		await text('30 min').click();
		await page.getByRole('dialog').getByRole('button', { name: 'Extend', exact: true }).click();
		expect(shown.asked).toContainEqual(['session.extend', { handle: 'a', ttlS: 605 + 1800 }]);
		await expect.element(text(/now expires in .40:05/)).toBeVisible();
		await expect.element(text(/^Expires in .40:05/)).toBeVisible();
	});

	test('is extended by any number of minutes', async () => {
		const shown = await sessions({
			clock: createManualClock(),
			answers: {
				'session.list': () => ok(pageOf([row({ handle: 'a', expiresAt: null })])),
				'session.extend': () => ok({ expiresAt: null }),
			},
		});
		await button('Extend session label-a').click();
		await text('Other').click();
		await page.getByLabelText('Minutes').fill('45');
		await userEvent.tab();
		await page.getByRole('dialog').getByRole('button', { name: 'Extend', exact: true }).click();
		expect(shown.asked).toContainEqual(['session.extend', { handle: 'a', ttlS: 2700 }]);
		await expect.element(text(/^Expires in .45:00/)).toBeVisible();
	});

	test('is deleted by keyboard alone, after being told that this cannot be undone', async () => {
		let rows = [row({ handle: 'a' }), row({ handle: 'b' })];
		const shown = await sessions({
			answers: {
				'session.list': () => ok(pageOf(rows)),
				'session.end': () => {
					rows = rows.slice(1);
					return ok();
				},
			},
		});
		const end = button('End session label-a');
		await expect.element(end).toBeVisible();
		(end.element() as HTMLElement).focus();
		await userEvent.keyboard('{Enter}');
		await expect.element(page.getByRole('alertdialog').getByText('This cannot be undone.')).toBeVisible();
		expect(shown.asked.map(([name]) => name)).not.toContain('session.end');
		await userEvent.keyboard('{Escape}');
		await expect.element(page.getByRole('alertdialog')).not.toBeInTheDocument();
		expect(shown.asked.map(([name]) => name)).not.toContain('session.end');
		// Keyboard focus is back where it was.
		await expect.poll(() => document.activeElement).toBe(end.element());
		await userEvent.keyboard('{Enter}');
		await expect.element(page.getByRole('alertdialog')).toBeVisible();
		(
			page.getByRole('alertdialog').getByRole('button', { name: 'End', exact: true }).element() as HTMLElement
		).focus();
		await userEvent.keyboard('{Enter}');
		await expect.poll(() => shown.asked).toContainEqual(['session.end', { handle: 'a' }]);
		await expect.element(text(/Session .label-a. is ended/)).toBeVisible();
		await expect.poll(() => page.getByRole('listitem').elements().length).toBe(1);
		await expect.poll(() => document.activeElement).not.toBe(document.body);
	});

	test('that cannot be extended or ended says why', async () => {
		await sessions({
			answers: {
				'session.list': () => ok(pageOf([row({ handle: 'a' })])),
				'session.end': () => err({ kind: 'service-unreachable', cause: 'offline' }),
			},
		});
		await button('End session label-a').click();
		await page.getByRole('alertdialog').getByRole('button', { name: 'End', exact: true }).click();
		await expect.element(page.getByRole('alert')).toBeVisible();
		await expect.element(text('label-a')).toBeVisible();
	});

	test('the question before ending a session tells that another program opened it', async () => {
		const rows = [row({ handle: 'a' }), row({ handle: 'b', owner: 'this-computer' })];
		await sessions({ answers: { 'session.list': () => ok(pageOf(rows)) } });
		const dialog = page.getByRole('alertdialog');
		const foreign = dialog.getByText(/^It was opened by another program or computer/);
		await button('End session label-a').click();
		await expect.element(foreign).toBeVisible();
		await dialog.getByRole('button', { name: 'Cancel' }).click();
		await expect.element(dialog).not.toBeInTheDocument();
		await button('End session label-b').click();
		await expect.element(dialog.getByText('This cannot be undone.')).toBeVisible();
		expect(foreign.query()).toBeNull();
	});
});

test('cleaning up says in words what was done and what was kept', async () => {
	const report = {
		deleted: 2,
		absent: 0,
		failed: 1,
		inUse: 1,
		handedOver: 1,
		otherAccounts: 0,
		outdated: 0,
		uncertain: 0,
		problem: { kind: 'service-unreachable', cause: 'offline' },
		brokenLedger: null,
	};
	const shown = await sessions({
		answers: { 'session.list': () => ok(pageOf([])), 'session.sweep': () => ok(report) },
	});
	await button('Clean up leftovers').click();
	await expect
		.element(text(/^Deleted: 2\. .*will be tried again: 1\. In use by a running program, kept: 1/))
		.toBeVisible();
	await expect.element(page.getByRole('alert')).toBeVisible();
	expect(shown.asked.filter(([name]) => name === 'session.list').length).toBeGreaterThan(1);
});

test('after a refused start it says how many are open, how many are ours, and tries again', async () => {
	const rows = [row({ handle: 'a' }), row({ handle: 'b', owner: 'this-computer' })];
	const shown = createFakeWindow({ answers: { 'session.list': () => ok(pageOf(rows)) } });
	shown.conversation.show({ phase: 'failed', problem: { kind: 'session-limit', detail: '' } });
	await renderWindow(shown);
	await button('Show open sessions').click();
	await expect.element(text(/Open now: 2\. From this computer: 1\./)).toBeVisible();
	await expect.element(text(/Sessions needed for a conversation: 1\./)).toBeVisible();
	await button('Try again').click();
	expect(shown.conversation.calls.at(-1)?.[0]).toBe('tryAgain');
	expect(shown.parts.navigation.store.getState().page).toBe('live');
});

test.each(['en', 'es', 'ar'] as const)(
	'has nothing that axe finds wrong, narrow, in %s',
	async (language) => {
		const rows = [row({ handle: 'a', owner: 'this-conversation' }), row({ handle: 'b' })];
		const shown = createFakeWindow({
			settings: { interfaceLanguage: language },
			answers: { 'session.list': () => ok(pageOf(rows, { brokenLedger: '/x/ledger.json', next: null })) },
		});
		shown.conversation.show({ phase: 'failed', problem: { kind: 'session-limit', detail: '' } });
		shown.parts.navigation.go('sessions');
		await renderWindow(shown, 420, 700);
		await expect.element(text('label-b')).toBeInTheDocument();
		expect(await axeFindings()).toEqual([]);
		expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(420);
		expect(document.documentElement.dir).toBe(language === 'ar' ? 'rtl' : 'ltr');
		(page.getByRole('listitem').first().element().querySelector('button') as HTMLElement).click();
		await expect.element(page.getByRole('dialog')).toBeVisible();
		expect(await axeFindings()).toEqual([]);
	},
);
