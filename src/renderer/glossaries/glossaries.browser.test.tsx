import { describe, expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { Glossary } from '#shared/host/glossaries.ts';
import { err, ok } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { createFakeWindow, type FakeMain, type FakeWindow } from '#test/support/fake-window.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { axeFindings, renderWindow } from '#test/support/render-window.tsx';

const names: Glossary = {
	id: 'g1',
	name: 'Names',
	kind: 'translation',
	source: 'en',
	target: 'es',
	enabled: true,
	entries: 12,
};
const words: Glossary = {
	id: 'g2',
	name: 'Words',
	kind: 'asr_hot',
	source: 'de',
	target: 'de',
	enabled: false,
	entries: 1,
};

async function glossaries(main: FakeMain = {}, all: readonly Glossary[] = [names, words]) {
	const shown = createFakeWindow({
		...main,
		answers: { 'glossary.list': () => ok([...all]), ...main.answers },
	});
	shown.parts.navigation.go('glossaries');
	await renderWindow(shown);
	await expect.element(page.getByRole('heading', { name: 'Glossaries' })).toBeVisible();
	return shown;
}

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
const text = (said: string | RegExp) => page.getByText(said);
const askedFor = ({ asked }: Awaited<ReturnType<typeof glossaries>>, name: string) =>
	asked.filter(([one]) => one === name).map(([, input]) => input);
/** Names are isolated. */
const named = (before: string, name: string, after = '') => new RegExp(`^${before}.?${name}.?${after}$`);

describe('the list', () => {
	test('says what each glossary is for, for which languages, and how long it is', async () => {
		await glossaries();
		await expect.element(text('Names')).toBeVisible();
		await expect.element(text('12 entries')).toBeVisible();
		await expect.element(text('1 entry')).toBeVisible();
		await expect.element(text('Words to listen for')).toBeVisible();
		expect(document.body.textContent).toContain('English → Español · Spanish');
		expect(await axeFindings()).toEqual([]);
	});

	test('without glossaries it says what to do', async () => {
		await glossaries({}, []);
		await expect.element(text('No glossaries yet')).toBeVisible();
		expect(page.getByRole('radiogroup').query()).toBeNull();
		expect(await axeFindings()).toEqual([]);
	});

	test('a service that has none says so, and offers none to be made', async () => {
		await glossaries({ answers: { 'glossary.list': () => err({ kind: 'glossaries-unavailable' }) } });
		await expect
			.element(text('This service does not offer glossaries, or not for this account.'))
			.toBeVisible();
		expect(button('Make a glossary').query()).toBeNull();
		expect(text('No glossaries yet').query()).toBeNull();
	});

	test('a glossary is switched off and on, and stays as the service has it when that fails', async () => {
		const shown = await glossaries({
			answers: {
				'glossary.enable': (input) => {
					const { id, enabled } = input as { id: string; enabled: boolean };
					return id === 'g1' ? ok({ ...names, enabled }) : err({ kind: 'forbidden', detail: '' });
				},
			},
		});
		const first = page.getByRole('switch', { name: named('', 'Names', ' is on') });
		await expect.element(first).toBeChecked();
		await first.click({ force: true });
		await expect.element(first).not.toBeChecked();
		const second = page.getByRole('switch', { name: named('', 'Words', ' is on') });
		await second.click({ force: true });
		await expect.element(text('The service does not allow this for your account.')).toBeVisible();
		await expect.element(second).not.toBeChecked();
		expect(askedFor(shown, 'glossary.enable')).toEqual([
			{ id: 'g1', enabled: false },
			{ id: 'g2', enabled: true },
		]);
	});
});

describe('which apply to conversations', () => {
	test('all, none, or those that are ticked; from the start those that are on', async () => {
		const { parts } = await glossaries();
		const chosen = () => parts.settings.store.getState().values.glossaries;
		expect(chosen()).toBe('all');
		expect(page.getByRole('checkbox').query()).toBeNull();
		await page.getByText('Chosen ones').click();
		await expect.poll(chosen).toEqual(['g1']);
		const tick = (name: string) =>
			page.getByRole('checkbox', { name: named('Use ', name, ' in conversations') });
		await expect.element(tick('Names')).toBeChecked();
		await page.getByText('Use', { exact: true }).nth(1).click();
		await expect.poll(chosen).toEqual(['g1', 'g2']);
		await page.getByText('Use', { exact: true }).first().click();
		await expect.poll(chosen).toEqual(['g2']);
		expect(await axeFindings()).toEqual([]);
		await page.getByText('None', { exact: true }).click();
		await expect.poll(chosen).toBe('none');
	});
});

describe('deleting', () => {
	test('can be taken back until it is sent', async () => {
		const clock = createManualClock();
		const shown = await glossaries({ clock });
		await button(named('Delete ', 'Names')).click();
		await expect.element(text(named('', 'Names', ' is being deleted.'))).toBeVisible();
		await clock.run(5999);
		await button('Undo').click();
		await expect.element(button(named('Delete ', 'Names'))).toBeVisible();
		await clock.run(60_000);
		expect(askedFor(shown, 'glossary.delete')).toEqual([]);
		await button(named('Delete ', 'Names')).click();
		await clock.run(6000);
		expect(askedFor(shown, 'glossary.delete')).toEqual([{ id: 'g1' }]);
		await expect.element(button(named('Delete ', 'Words'))).toBeVisible();
		expect(button(named('Delete ', 'Names')).query()).toBeNull();
	});

	test('a second one sends the first at once, and leaving the page what still waits', async () => {
		const shown = await glossaries({ clock: createManualClock() });
		await button(named('Delete ', 'Names')).click();
		await button(named('Delete ', 'Words')).click();
		expect(askedFor(shown, 'glossary.delete')).toEqual([{ id: 'g1' }]);
		shown.parts.navigation.back();
		await expect.poll(() => askedFor(shown, 'glossary.delete')).toEqual([{ id: 'g1' }, { id: 'g2' }]);
	});

	test.each<[string, (shown: FakeWindow) => void]>([
		['the program closes', (shown) => shown.announce('app.closing', { reason: 'quit' })],
		['the window goes', () => void window.dispatchEvent(new Event('pagehide'))],
	])('what still waits is sent when %s', async (_, close) => {
		const shown = await glossaries({ clock: createManualClock() });
		await button(named('Delete ', 'Names')).click();
		await expect.element(text(named('', 'Names', ' is being deleted.'))).toBeVisible();
		expect(askedFor(shown, 'glossary.delete')).toEqual([]);
		close(shown);
		expect(askedFor(shown, 'glossary.delete')).toEqual([{ id: 'g1' }]);
	});

	test('one that is still being deleted stays away while the next can be taken back', async () => {
		const deletion = Promise.withResolvers<void>();
		await glossaries({
			clock: createManualClock(),
			answers: { 'glossary.delete': () => deletion.promise.then(() => ok()) },
		});
		await button(named('Delete ', 'Names')).click();
		await button(named('Delete ', 'Words')).click();
		await button('Undo').click();
		await expect.element(button(named('Delete ', 'Words'))).toBeVisible();
		expect(button(named('Delete ', 'Names')).query()).toBeNull();
		deletion.resolve();
		await expect.element(button(named('Delete ', 'Words'))).toBeVisible();
		expect(button(named('Delete ', 'Names')).query()).toBeNull();
	});

	test('one that was chosen is chosen no more, once it is deleted', async () => {
		const clock = createManualClock();
		const { parts } = await glossaries({ clock, settings: { glossaries: ['g1', 'g2'] } });
		const chosen = () => parts.settings.store.getState().values.glossaries;
		await button(named('Delete ', 'Names')).click();
		expect(chosen()).toEqual(['g1', 'g2']);
		await clock.run(6000);
		await expect.poll(chosen).toEqual(['g2']);
	});

	test('what the service does not delete is there again, and chosen, with the reason', async () => {
		const clock = createManualClock();
		const { parts } = await glossaries({
			clock,
			settings: { glossaries: ['g1'] },
			answers: { 'glossary.delete': () => err({ kind: 'service-failed', status: 500, detail: '' }) },
		});
		await button(named('Delete ', 'Names')).click();
		await clock.run(6000);
		await expect.element(text('The service answered with an error (500).')).toBeVisible();
		await expect.element(button(named('Delete ', 'Names'))).toBeVisible();
		expect(parts.settings.store.getState().values.glossaries).toEqual(['g1']);
	});
});

describe('changing one', () => {
	const press = async () => {
		await button(named('Change ', 'Names')).click();
		await expect.element(page.getByRole('heading', { name: 'Change the glossary' })).toBeVisible();
	};

	test('begins with its own table, and stands in the place of the old one, also where it was chosen', async () => {
		const shown = await glossaries({
			settings: { glossaries: ['g1', 'g2'] },
			answers: {
				'glossary.table': () => ok('train,tren'),
				'glossary.change': () => ok({ glossary: { ...names, id: 'g9', entries: 2 }, left: false }),
			},
		});
		await press();
		await expect.element(page.getByLabelText('Table')).toHaveValue('train,tren');
		expect(await axeFindings()).toEqual([]);
		await page.getByLabelText('Table').fill('train,tren\ncoffee,café');
		await button('Save the change').click();
		await expect.element(text(named('', 'Names', ' is changed.'))).toBeVisible();
		expect(askedFor(shown, 'glossary.change')).toEqual([
			{
				id: 'g1',
				name: 'Names',
				kind: 'translation',
				source: 'en',
				target: 'es',
				table: 'train,tren\ncoffee,café',
			},
		]);
		await expect.element(text('2 entries')).toBeVisible();
		expect(text('12 entries').query()).toBeNull();
		await expect.poll(() => shown.parts.settings.store.getState().values.glossaries).toEqual(['g9', 'g2']);
	});

	test('waits for its own table, which one row would replace; a file may be chosen meanwhile', async () => {
		const { promise, resolve } = Promise.withResolvers<void>();
		const shown = await glossaries({
			answers: { 'glossary.table': () => promise.then(() => ok('train,tren')) },
		});
		await press();
		const table = page.getByLabelText('Table');
		await expect.element(table).toBeDisabled();
		await expect.element(text('Asking the service…')).toBeVisible();
		await expect.element(button('Save the change')).toBeDisabled();
		await page.getByLabelText('Name').click();
		await userEvent.keyboard('{Enter}');
		const input = document.querySelector<HTMLInputElement>('input[type=file]') as HTMLInputElement;
		await userEvent.upload(input, new File(['coffee,café'], 'names.csv', { type: 'text/csv' }));
		await expect.element(table).toBeEnabled();
		resolve();
		await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
		await expect.element(table).toHaveValue('coffee,café');
		expect(askedFor(shown, 'glossary.change')).toEqual([]);
	});

	test('a table that could not be fetched is asked for again, and until then nothing takes its place', async () => {
		const failed = { kind: 'service-failed', status: 500, detail: '' } as const;
		const answers = [err(failed), ok('train,tren')];
		await glossaries({ answers: { 'glossary.table': () => answers.shift() ?? ok(null) } });
		await press();
		await expect.element(text('The service answered with an error (500).')).toBeVisible();
		await expect.element(page.getByLabelText('Table')).toBeDisabled();
		expect(text(/enter the whole of it/).query()).toBeNull();
		await button('Try again').click();
		await expect.element(page.getByLabelText('Table')).toHaveValue('train,tren');
		await expect.element(button('Save the change')).toBeEnabled();
		expect(text('The service answered with an error (500).').query()).toBeNull();
	});

	test.each([
		['its end', ok({ glossary: { ...names, id: 'g9', entries: 2 }, left: false }), /Names.? is changed/],
		[
			'a failure',
			err<Problem>({ kind: 'service-failed', status: 500, detail: '' }),
			/answered with an error/,
		],
	] as const)('%s is said, and leaves the form alone that was opened meanwhile', async (_, answer, said) => {
		const { promise, resolve } = Promise.withResolvers<void>();
		await glossaries({
			answers: {
				'glossary.table': () => ok('train,tren'),
				'glossary.change': () => promise.then(() => answer),
			},
		});
		await press();
		await expect.element(page.getByLabelText('Table')).toHaveValue('train,tren');
		await button('Save the change').click();
		await button(named('Change ', 'Words')).click();
		await expect.element(page.getByLabelText('Name')).toHaveValue('Words');
		await page.getByLabelText('Table').fill('Palabra');
		resolve();
		await expect.element(text(said)).toBeVisible();
		await expect.element(page.getByLabelText('Table')).toHaveValue('Palabra');
		await expect.element(page.getByLabelText('Table')).toHaveFocus();
	});

	test('where the table is not given back that is said; an old one that stays is in the list and said', async () => {
		await glossaries({
			answers: {
				'glossary.table': () => ok(null),
				'glossary.change': () => ok({ glossary: { ...names, id: 'g9', entries: 2 }, left: true }),
			},
		});
		await press();
		await expect.element(text(/enter the whole of it/)).toBeVisible();
		await page.getByLabelText('Table').fill('a,b\nc,d');
		await button('Save the change').click();
		await expect.element(text(/the old one could not be deleted/)).toBeVisible();
		await expect.element(text('12 entries')).toBeVisible();
		await expect.element(page.getByText('2 entries', { exact: true })).toBeVisible();
	});
});

describe('making one', () => {
	test('from a table that is typed, for the languages of the conversation', async () => {
		const shown = await glossaries({
			answers: { 'glossary.add': () => ok({ ...names, id: 'g3', name: 'New' }) },
		});
		await button('Make a glossary').click();
		await page.getByLabelText('Name').fill('New');
		await page.getByLabelText('Table').fill('train,tren\ncoffee,café');
		await button('Make the glossary').click();
		await expect.element(text(named('', 'New', ' is ready.'))).toBeVisible();
		expect(askedFor(shown, 'glossary.add')).toEqual([
			{ name: 'New', kind: 'translation', source: 'en', target: 'es', table: 'train,tren\ncoffee,café' },
		]);
		await expect.element(button(named('Delete ', 'New'))).toBeVisible();
		expect(page.getByLabelText('Table').query()).toBeNull();
	});

	test('nothing is sent while something is missing, and that is said at its place', async () => {
		const shown = await glossaries();
		await button('Make a glossary').click();
		await page.getByLabelText('Name').fill('ä');
		await button('Make the glossary').click();
		await expect.element(text('Give it a name the service accepts.')).toBeVisible();
		await expect.element(page.getByLabelText('Name')).toHaveFocus();
		expect(askedFor(shown, 'glossary.add')).toEqual([]);
		expect(await axeFindings()).toEqual([]);
	});

	test.each([
		['one that the service has left empty', [{ ...names, id: 'g3', name: 'New', entries: 0 }], true],
		['nothing', [], false],
	] as const)('a failure that leaves %s behind shows what is there now', async (_, left, isSaid) => {
		let all: readonly Glossary[] = [names];
		await glossaries({
			answers: {
				'glossary.list': () => ok([...all]),
				'glossary.add': () => {
					// Another program has made one meanwhile.
					all = [names, { ...words, name: 'Others' }, ...left];
					return err({ kind: 'service-failed', status: 500, detail: '' });
				},
			},
		});
		await button('Make a glossary').click();
		await page.getByLabelText('Name').fill('New');
		await page.getByLabelText('Table').fill('train,tren');
		await button('Make the glossary').click();
		await expect.element(text('The service answered with an error (500).')).toBeVisible();
		await expect.element(text('Others')).toBeVisible();
		const empty = text(/New.? all the same, but without entries\. Delete it below\.$/);
		if (isSaid) await expect.element(empty).toBeVisible();
		else expect(empty.query()).toBeNull();
		await expect.element(page.getByLabelText('Table')).toHaveValue('train,tren');
	});

	test('what is wrong in the table is said by line, and nothing of it is lost', async () => {
		const lines = [
			{ line: 2, reason: 'two-columns' as const },
			{ line: 0, reason: 'nothing' as const },
		];
		await glossaries({
			answers: { 'glossary.add': () => err({ kind: 'table-invalid', lines, more: 3 }) },
		});
		await button('Make a glossary').click();
		await page.getByLabelText('Name').fill('New');
		await page.getByLabelText('Table').fill('a,b\nc');
		await button('Make the glossary').click();
		await expect
			.element(text('Line 2: Two columns are needed, with the same separator as in the other lines.'))
			.toBeVisible();
		await expect.element(text('It has no entries.')).toBeVisible();
		await expect.element(text('More lines like these: 3.')).toBeVisible();
		await expect.element(page.getByLabelText('Table')).toHaveValue('a,b\nc');
		await page.getByLabelText('Table').fill('a,b');
		expect(
			text('Line 2: Two columns are needed, with the same separator as in the other lines.').query(),
		).toBeNull();
	});

	test('from a file: UTF-8, a megabyte at most', async () => {
		await glossaries();
		await button('Make a glossary').click();
		const input = () => document.querySelector<HTMLInputElement>('input[type=file]') as HTMLInputElement;
		const choose = (bytes: BlobPart, name = 'names.csv') =>
			userEvent.upload(input(), new File([bytes], name, { type: 'text/csv' }));
		await choose('train,tren\n');
		await expect.element(page.getByLabelText('Table')).toHaveValue('train,tren\n');
		await choose(new Uint8Array([0x63, 0xe9]));
		await expect.element(text('This file is not UTF-8 text. Save it as CSV UTF-8.')).toBeVisible();
		await expect.element(page.getByLabelText('Table')).toHaveValue('train,tren\n');
		await choose(new Uint8Array(1_000_001));
		await expect.element(text(/^This file is larger than 1 MB/)).toBeVisible();
		await choose(`${'x'.repeat(999_998)}\n\n`);
		await expect.poll(() => text(/^This file is larger/).query()).toBeNull();
	});

	test('words to listen for have one language', async () => {
		const shown = await glossaries({ answers: { 'glossary.add': () => ok({ ...words, id: 'g3' }) } });
		await button('Make a glossary').click();
		await page.getByLabelText('Name').fill('Words');
		await page.getByRole('button', { name: /Kind/ }).click();
		await page.getByRole('option', { name: 'Words to listen for' }).click();
		await expect.element(page.getByRole('combobox', { name: 'Language' })).toBeVisible();
		await page.getByLabelText('Table').fill('Palabra');
		await button('Make the glossary').click();
		await expect
			.poll(() => askedFor(shown, 'glossary.add'))
			.toEqual([{ name: 'Words', kind: 'asr_hot', source: 'en', target: 'en', table: 'Palabra' }]);
	});

	test('while something is typed Escape stays on the page', async () => {
		const shown = await glossaries();
		await button('Make a glossary').click();
		await page.getByLabelText('Name').fill('New');
		(document.activeElement as HTMLElement).blur();
		await userEvent.keyboard('{Escape}');
		expect(shown.parts.navigation.store.getState().page).toBe('glossaries');
		await button('Cancel').click();
		await userEvent.keyboard('{Escape}');
		expect(shown.parts.navigation.store.getState().page).toBe('live');
	});
});
