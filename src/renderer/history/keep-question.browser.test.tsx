import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import type { HistoryRow } from '#shared/host/history.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { kept } from '#test/support/fake-pages.ts';
import { createFakeWindow, type FakeMain } from '#test/support/fake-window.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { axeFindings, renderWindow } from '#test/support/render-window.tsx';

const NOW = Date.UTC(2026, 4, 4, 12, 0, 0);
const DAY_MS = 86_400_000;

const button = (name: string | RegExp) => page.getByRole('button', { name });
const dialog = page.getByRole('dialog', { name: 'Keep for some days' });

/** After a conversation that nobody has decided on. */
async function live(main: FakeMain = {}) {
	const clock = createManualClock(NOW);
	const shown = await renderWindow(createFakeWindow({ clock, history: { undecided: 1 }, ...main }));
	return { ...shown, written: () => shown.asked.filter(([name]) => name === 'settings.write') };
}

const begun = (daysAgo: number, row: Partial<HistoryRow> = {}) =>
	kept(`c${daysAgo}`, NOW - daysAgo * DAY_MS, [['en', 'Yes', 'es', 'Sí']], row);

test('that older conversations go is said before the days are limited, and can be thought better of', async () => {
	const { written } = await live({ conversations: [begun(1), begun(31)] });
	await button(/^For .30 days/).click();
	await expect.element(dialog.getByText(/older conversations are deleted/)).toBeVisible();
	expect(await axeFindings()).toEqual([]);
	await dialog.getByRole('button', { name: 'Cancel' }).click();
	await expect.element(dialog).not.toBeInTheDocument();
	expect(written()).toEqual([]);
	await button(/^For .30 days/).click();
	await dialog.getByRole('button', { name: /^For .30 days/ }).click();
	await expect.element(page.getByText(/^This conversation and later ones are kept for/)).toBeVisible();
	expect(written()).toEqual([['settings.write', { history: 'days' }]]);
});

test('where nothing goes by it the days are limited at once', async () => {
	const undecided = begun(40, { state: 'undecided' });
	const running = begun(41, { state: 'running', endedAt: null });
	const { written } = await live({ conversations: [begun(1), begun(30), undecided, running] });
	await button(/^For .30 days/).click();
	await expect.poll(written).toEqual([['settings.write', { history: 'days' }]]);
	await expect.element(page.getByText(/^This conversation and later ones are kept for/)).toBeVisible();
	expect(dialog.query()).toBeNull();
});

test.each<[string, FakeMain]>([
	[
		'an older one is among many',
		{ conversations: [...Array.from({ length: 500 }, (_, at) => begun(at / 100)), begun(31)] },
	],
	['an older one was cut off', { conversations: [begun(31, { state: 'cut-off', endedAt: null })] }],
	['the history cannot be read', { answers: { 'history.list': () => err({ kind: 'history-busy' }) } }],
])('nothing is limited unasked where %s', async (_, main) => {
	const { written } = await live(main);
	await button(/^For .30 days/).click();
	await expect.element(dialog).toBeVisible();
	expect(written()).toEqual([]);
});

test('keeps a choice made while older conversations are looked for', async () => {
	const { promise, resolve } = Promise.withResolvers<Result<unknown, Problem>>();
	const { written } = await live({ answers: { 'history.list': () => promise } });
	await button(/^For .30 days/).click();
	await button(/^Keep$/).click();
	await expect.element(page.getByText('This conversation and later ones are kept.')).toBeVisible();
	resolve(ok({ rows: [], next: null }));
	await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
	expect(written()).toEqual([['settings.write', { history: 'keep' }]]);
});
