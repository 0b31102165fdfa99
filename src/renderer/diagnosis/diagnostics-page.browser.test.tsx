import { expect, test, vi } from 'vitest';
import { page } from 'vitest/browser';
import {
	type Finding,
	fine,
	mainChecks,
	skipped,
	trouble,
	warning,
	windowChecks,
} from '#shared/diagnosis/checks.ts';
import { createFakeWindow, type FakeMain } from '#test/support/fake-window.ts';
import { renderWindow } from '#test/support/render-window.tsx';

const findings: readonly Finding[] = [
	{ check: 'service', ...fine('serviceAnswers', { host: 'api.example.com', ms: 42 }) },
	{ check: 'clock', ...warning('clockWrong', { minutes: 12 }) },
	{ check: 'account', ...trouble({ kind: 'api-key-rejected', status: 401 }) },
	{ check: 'room', ...skipped('waitsFor', { check: 'account' }) },
];

/** With every other check well. */
function whole(some: readonly Finding[]): readonly Finding[] {
	return [...mainChecks, ...windowChecks].map(
		(check) => some.find((one) => one.check === check) ?? { check, ...fine('folderWritable') },
	);
}

async function open(main: FakeMain = {}) {
	const window = createFakeWindow({ findings, ...main });
	window.parts.navigation.go('diagnostics');
	return renderWindow(window);
}

const row = (name: string) => page.getByRole('listitem').filter({ hasText: name });

test('runs the checks on opening, and shows the result, the cause and the step to take', async () => {
	const shown = await open();
	await expect.element(page.getByText('Failed: 1. Warnings: 1.')).toBeVisible();
	await expect
		.poll(() => row('Service').first().element().textContent)
		.toMatch(/.*api.example.com.* answers in 42 ms.*/s);
	await expect.poll(() => row('Clock').element().textContent).toMatch(/.*Warning.*12.*Set the clock.*/s);
	await expect.poll(() => row('Room').element().textContent).toMatch(/.*Skipped because of: Account.*/s);
	await expect
		.poll(() => row('Account').first().element().textContent)
		.toMatch(/.*does not accept this API key.*/s);
	expect(shown.asked.map(([name]) => name)).toContain('diagnosis.run');
	await row('Account').first().getByRole('button', { name: 'Enter the key' }).click();
	await expect.element(page.getByRole('heading', { name: 'Settings', exact: true })).toBeVisible();
	await expect.poll(() => shown.asked.map(([name]) => name)).toContain('diagnosis.cancel');
});

test('shows that everything works before the number of warnings', async () => {
	await open({ findings: whole(findings.filter(({ state }) => state !== 'failed')) });
	await expect.element(page.getByText('Everything works. Warnings: 1.')).toBeVisible();
});

test.each([
	['stopped', whole([{ check: 'room', ...skipped('cancelled') }])],
	['missing', whole([]).slice(1)],
] as const)('where not everything was checked it does not say that everything works: %s', async (_, some) => {
	await open({ findings: some });
	await expect.element(page.getByText('Not everything was checked.')).toBeVisible();
	expect(page.getByText(/Everything works/).elements()).toEqual([]);
});

test.each([
	['stopped', whole([{ check: 'room', ...skipped('cancelled') }]), 'Not everything was checked.', 2],
	['done', whole([]), 'Everything works.', 1],
] as const)('opened again it looks again only at what was stopped: %s', async (_, some, words, runs) => {
	const shown = await open({ findings: some });
	await expect.element(page.getByText(words)).toBeVisible();
	shown.parts.navigation.go('live');
	await expect.element(page.getByRole('button', { name: 'Start', exact: true })).toBeVisible();
	shown.parts.navigation.go('diagnostics');
	await expect.element(page.getByText(words)).toBeVisible();
	await expect.poll(() => shown.asked.filter(([name]) => name === 'diagnosis.run').length).toBe(runs);
});

test('the report is copied with what the window found, and a failure to make it is said', async () => {
	await open({
		answers: { 'diagnostics.report': () => ({ ok: false, error: { kind: 'bug', where: 'x' } }) },
	});
	await page.getByRole('button', { name: 'Copy report' }).click();
	await expect.element(page.getByRole('alert')).toBeVisible();
});

test('that the report could not be copied is said', async () => {
	vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValue(new Error('not allowed'));
	await open();
	await page.getByRole('button', { name: 'Copy report' }).click();
	await expect.element(page.getByText('The report could not be copied.')).toBeVisible();
});

test('while it looks it says how far it is, and can be stopped', async () => {
	const window = createFakeWindow({ findings: [] });
	window.parts.diagnosis.store.setState({ running: true, findings: findings.slice(0, 2) });
	window.parts.navigation.go('diagnostics');
	await renderWindow(window);
	await expect.element(page.getByText(/Checking… 2 of \d+/)).toBeVisible();
	await page.getByRole('button', { name: 'Stop checking' }).click();
	await expect.poll(() => window.asked.map(([name]) => name)).toContain('diagnosis.cancel');
});
