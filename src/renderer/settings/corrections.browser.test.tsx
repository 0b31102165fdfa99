import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { createFakeWindow, type FakeMain } from '#test/support/fake-window.ts';
import { axeFindings, renderWindow } from '#test/support/render-window.tsx';

async function captions(main: FakeMain = {}) {
	const shown = createFakeWindow(main);
	shown.parts.navigation.go('settings');
	shown.parts.navigation.showSection('captions');
	await renderWindow(shown);
	return { ...shown, now: () => shown.parts.settings.store.getState().values.corrections };
}

const anna = { language: 'en', wrong: 'Anna', right: 'Ana' };
const button = (name: string) => page.getByRole('button', { name, exact: true });

async function choose(content: BlobPart): Promise<void> {
	const input = document.querySelector<HTMLInputElement>('input[type=file]') as HTMLInputElement;
	await userEvent.upload(input, new File([content], 'corrections.csv', { type: 'text/csv' }));
}

test('are listed, the newest first; one is taken out, and back in', async () => {
	const bob = { language: 'en', wrong: 'Bob', right: 'Rob' };
	const { now } = await captions({ settings: { corrections: [anna, bob] } });
	const rows = page.getByRole('list', { name: 'Corrections' }).getByRole('listitem');
	await expect
		.poll(() => rows.elements().map((one) => one.textContent?.trim()))
		.toEqual(['Bob RobEnglish', 'Anna AnaEnglish']);
	// Read out in the language of the words.
	expect([...document.querySelectorAll('bdi[lang=en]')].map((one) => one.textContent)).toEqual([
		...['Bob', 'Rob', 'Anna', 'Ana'],
	]);
	await button('Remove: ⁨Bob⁩ → ⁨Rob⁩').click();
	await expect.poll(now).toEqual([anna]);
	await button('Undo').click();
	await expect.poll(now).toEqual([anna, bob]);
});

test('one that is changed after another was taken out stays changed: that is no longer undone', async () => {
	const bob = { language: 'en', wrong: 'Bob', right: 'Rob' };
	const { now } = await captions({ settings: { corrections: [anna, bob] } });
	await button('Remove: ⁨Bob⁩ → ⁨Rob⁩').click();
	await expect.element(button('Undo')).toBeVisible();
	await button('Change: ⁨Anna⁩ → ⁨Ana⁩').click();
	await page.getByLabelText('It should be').fill('Hana');
	await button('Correct').click();
	await expect.poll(now).toEqual([{ ...anna, right: 'Hana' }]);
	expect(button('Undo').query()).toBeNull();
});

test('one is written in its language and direction', async () => {
	await captions({ settings: { corrections: [{ language: 'ar', wrong: 'سامي', right: 'سمير' }] } });
	await page.getByRole('button', { name: /^Change:/ }).click();
	for (const label of ['Instead of', 'It should be']) {
		await expect.element(page.getByLabelText(label)).toHaveAttribute('lang', 'ar');
		await expect.element(page.getByLabelText(label)).toHaveAttribute('dir', 'rtl');
	}
});

test('thousands are there at once, searched, changed and taken out', async () => {
	const many = Array.from({ length: 5000 }, (_, at) => ({
		language: 'en',
		wrong: `Wörd ${at}`,
		right: `X${at}`,
	}));
	const { now } = await captions({ settings: { corrections: many } });
	/** The rendered rows. */
	const rows = () => [...document.querySelectorAll('[data-index]')];
	const first = () => rows()[0]?.textContent;
	const count = () => rows()[0]?.getAttribute('aria-setsize');
	await expect.poll(first, { timeout: 10_000 }).toBe('Wörd 4999 X4999English');
	// Only the rows in view.
	expect(rows().length).toBeLessThan(50);
	expect(count()).toBe('5000');
	const search = page.getByRole('searchbox', { name: 'Search corrections' });
	await search.fill('word 17');
	await expect.poll(count).toBe('111');
	await search.fill(' x1707');
	const found = page.getByRole('list', { name: 'Corrections' }).getByRole('listitem');
	await expect.element(found).toHaveTextContent('Wörd 1707 X1707English');
	expect(await axeFindings()).toEqual([]);
	await button('Remove: ⁨Wörd 1707⁩ → ⁨X1707⁩').click();
	await expect.poll(() => now().length).toBe(4999);
	await expect.element(page.getByText(/^No results for .x1707.\.$/)).toBeVisible();
	await search.fill('');
	await expect.poll(first).toBe('Wörd 4999 X4999English');
	expect(await axeFindings()).toEqual([]);
}, 60_000);

test('a few are not searched', async () => {
	const some = Array.from({ length: 20 }, (_, at) => ({
		language: 'en',
		wrong: `Word ${at}`,
		right: `X${at}`,
	}));
	await captions({ settings: { corrections: some } });
	await expect.element(page.getByRole('list', { name: 'Corrections' })).toBeVisible();
	expect(page.getByRole('searchbox', { name: 'Search corrections' }).query()).toBeNull();
});

test('one is changed in the list', async () => {
	// One of the same language, and one of the same word.
	const others = [
		{ language: 'en', wrong: 'Bob', right: 'Rob' },
		{ language: 'es', wrong: 'Anna', right: 'Ana' },
	];
	const [bob, spanish] = others;
	const { now } = await captions({
		settings: { corrections: [bob, anna, spanish].flatMap((one) => one ?? []) },
	});
	await button('Change: ⁨Anna⁩ → ⁨Ana⁩').last().click();
	await expect.element(page.getByRole('dialog', { name: 'Change the correction' })).toBeVisible();
	await page.getByLabelText('Instead of').fill('Hanna');
	await page.getByLabelText('It should be').fill('Hana');
	await button('Correct').click();
	await expect.poll(now).toEqual([...others, { language: 'en', wrong: 'Hanna', right: 'Hana' }]);
});

test('one whose wrong word is changed takes the place of the old one, although settings have changed meanwhile', async () => {
	const shown = await captions({ settings: { corrections: [anna] } });
	await button('Change: ⁨Anna⁩ → ⁨Ana⁩').click();
	// As main announces it: equal corrections, and other objects.
	const values = structuredClone({ ...shown.parts.settings.store.getState().values, captionSize: 40 });
	shown.announce('settings.changed', { revision: 99, values, origins: {}, sources: {}, problem: null });
	await page.getByLabelText('Instead of').fill('Hanna');
	await button('Correct').click();
	const written = () => shown.asked.filter(([name]) => name === 'settings.write').map(([, patch]) => patch);
	await expect.poll(written).toEqual([{ corrections: [{ ...anna, wrong: 'Hanna' }] }]);
});

test('come from a file, which can be taken back, and go into one', async () => {
	const bob = { language: 'en', wrong: '=Bob', right: 'Rob, "R"' };
	const shown = await captions({
		settings: { corrections: [anna] },
		answers: { 'corrections.read': () => ok([bob]), 'file.save-text': () => ok('/home/corrections.csv') },
	});
	await choose('en,Bob,Rob');
	await expect.poll(shown.now).toEqual([anna, bob]);
	expect(shown.asked).toContainEqual(['corrections.read', { table: 'en,Bob,Rob' }]);
	await button('Undo').click();
	await expect.poll(shown.now).toEqual([anna]);
	await choose('en,Bob,Rob');
	await expect.poll(shown.now).toEqual([anna, bob]);
	await button('Save as CSV').click();
	await expect.element(page.getByText(/^Saved as .*corrections.csv/)).toBeVisible();
	const text = '\ufefflanguage,wrong,right\nen,Anna,Ana\nen,\'=Bob,"Rob, ""R"""\n';
	expect(shown.asked).toContainEqual(['file.save-text', { suggestedName: 'corrections.csv', text }]);
});

test('what is wrong in a file is said, and changes nothing', async () => {
	const shown = await captions({
		settings: { corrections: [anna] },
		answers: {
			'corrections.read': () =>
				err({ kind: 'table-invalid', lines: [{ line: 3, reason: 'three-columns' }], more: 2 }),
		},
	});
	await choose('x');
	await expect.element(page.getByText('The table cannot be used as it is.')).toBeVisible();
	await expect.element(page.getByText(/^Line 3: Three columns are needed/)).toBeVisible();
	await expect.element(page.getByText('More lines like these: 2.')).toBeVisible();
	expect(await axeFindings()).toEqual([]);
	await choose(new Uint8Array([0x63, 0xe9]));
	await expect.element(page.getByText('This file is not UTF-8 text. Save it as CSV UTF-8.')).toBeVisible();
	await choose('x'.repeat(3_000_001));
	await expect.element(page.getByText('There would be more than 5,000 corrections.')).toBeVisible();
	expect(shown.asked.filter(([name]) => name === 'corrections.read')).toHaveLength(1);
	expect(shown.now()).toEqual([anna]);
});

test('one press adds the corrections to glossaries of the service; shows a refusal', async () => {
	const made = { id: 'g', name: 'Dragoman corrections en', kind: 'asr', source: 'en', target: 'en' };
	let answer: Result<unknown, Problem> = ok({
		made: [{ ...made, enabled: true, entries: 1 }],
		replaced: [],
		problem: null,
	});
	await captions({
		settings: { corrections: [anna] },
		answers: { 'glossary.from-corrections': () => answer },
	});
	await button('Add to glossaries').click();
	await expect
		.element(page.getByText(/are now in these glossaries of the service: .*Dragoman corrections en/))
		.toBeVisible();
	answer = err({ kind: 'glossaries-unavailable' });
	await button('Add to glossaries').click();
	await expect
		.element(page.getByText('This service does not offer glossaries, or not for this account.'))
		.toBeVisible();
});

test('glossaries that were chosen stay chosen when others take their place', async () => {
	const made = { id: 'new', name: 'Dragoman corrections en', kind: 'asr', source: 'en', target: 'en' };
	const answer = {
		made: [{ ...made, enabled: true, entries: 1 }],
		replaced: [
			{ id: 'old', by: 'new' },
			{ id: 'older', by: 'new' },
			{ id: 'german', by: null },
		],
		problem: null as Problem | null,
	};
	const { parts } = await captions({
		settings: { corrections: [anna], glossaries: ['mine', 'old', 'older', 'german'] },
		answers: { 'glossary.from-corrections': () => ok(answer) },
	});
	const chosen = () => parts.settings.store.getState().values.glossaries;
	await button('Add to glossaries').click();
	await expect.poll(chosen).toEqual(['mine', 'new']);
	await expect.element(page.getByText(/are now in these glossaries of the service/)).toBeVisible();
	answer.replaced = [{ id: 'new', by: 'newer' }];
	answer.problem = { kind: 'forbidden', detail: '' };
	await button('Add to glossaries').click();
	await expect.poll(chosen).toEqual(['mine', 'newer']);
	await expect.element(page.getByText(/are now in these glossaries of the service/)).not.toBeInTheDocument();
});

test.for(['all', 'none'] as const)('where %s apply, that stays', async (glossaries) => {
	const { parts } = await captions({
		settings: { corrections: [anna], glossaries },
		answers: {
			'glossary.from-corrections': () =>
				ok({ made: [], replaced: [{ id: 'old', by: 'new' }], problem: null }),
		},
	});
	await button('Add to glossaries').click();
	await expect.element(page.getByText(/are now in these glossaries of the service/)).toBeVisible();
	expect(parts.settings.store.getState().values.glossaries).toBe(glossaries);
});

test('where there are none, nothing is saved or put into glossaries', async () => {
	await captions();
	await expect.element(page.getByText(/^No corrections yet/)).toBeVisible();
	for (const name of ['Save as CSV', 'Add to glossaries']) await expect.element(button(name)).toBeDisabled();
});
