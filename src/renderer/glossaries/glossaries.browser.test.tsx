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
/** Shows the table as text. */
async function asText() {
	const table = page.getByRole('textbox', { name: 'Table' });
	await button('Edit as text').click();
	await expect.element(table).toBeVisible();
	return table;
}
const cell = (column: string, row: number) =>
	page.getByRole('textbox', { name: `${column}, row ${row}`, exact: true });
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
});

describe('one switch', () => {
	const turn = (name: string) => page.getByRole('switch', { name: named('Use ', name) });
	const other: Glossary = { ...names, id: 'g3', name: 'Others', enabled: null };

	test('says what conversations use: all, some, none', async () => {
		const { parts, asked } = await glossaries({}, [names, other]);
		const used = () => parts.settings.store.getState().values.glossaries;
		await expect.element(turn('Names')).toBeChecked();
		await expect.element(turn('Others')).toBeChecked();
		await turn('Names').click({ force: true });
		await expect.poll(used).toEqual(['g3']);
		await expect.element(turn('Names')).not.toBeChecked();
		await turn('Others').click({ force: true });
		await expect.poll(used).toBe('none');
		await turn('Names').click({ force: true });
		await expect.poll(used).toEqual(['g1']);
		await turn('Others').click({ force: true });
		await expect.poll(used).toBe('all');
		expect(asked.filter(([name]) => name === 'glossary.enable')).toEqual([]);
		expect(await axeFindings()).toEqual([]);
	});

	test('turns on for the account what is off there; stays off when that fails', async () => {
		const answers: Problem[] = [{ kind: 'forbidden', detail: '' }];
		const shown = await glossaries({
			answers: {
				'glossary.enable': () => {
					const failure = answers.shift();
					return failure ? err(failure) : ok({ ...words, enabled: true });
				},
			},
		});
		await expect.element(turn('Words')).not.toBeChecked();
		await turn('Words').click({ force: true });
		await expect.element(text('The service does not allow this for your account.')).toBeVisible();
		await expect.element(turn('Words')).not.toBeChecked();
		await turn('Words').click({ force: true });
		await expect.element(turn('Words')).toBeChecked();
		expect(askedFor(shown, 'glossary.enable')).toEqual([
			{ id: 'g2', enabled: true },
			{ id: 'g2', enabled: true },
		]);
	});

	test('a new glossary is on, also where not all are', async () => {
		const { parts } = await glossaries({
			settings: { glossaries: 'none' },
			answers: { 'glossary.add': () => ok({ ...names, id: 'g9', name: 'New' }) },
		});
		await button('Make a glossary').click();
		await page.getByLabelText('Name').fill('New');
		await cell('English', 1).fill('train');
		await button('Make the glossary').click();
		await expect.element(turn('New')).toBeChecked();
		expect(parts.settings.store.getState().values.glossaries).toEqual(['g9']);
	});
});

describe('the grid', () => {
	const spanish = 'Español · Spanish';
	async function make(main: FakeMain = {}) {
		const shown = await glossaries({
			answers: { 'glossary.add': () => ok({ ...names, id: 'g3' }), ...main.answers },
		});
		await button('Make a glossary').click();
		await page.getByLabelText('Name').fill('New');
		return shown;
	}
	const sent = (shown: FakeWindow) =>
		askedFor(shown, 'glossary.add').map((one) => (one as { table: string }).table);

	test('is filled by keyboard: Tab, Enter and arrow keys; the last row makes another', async () => {
		const shown = await make();
		await cell('English', 1).click();
		await userEvent.keyboard('train{Tab}tren{Enter}');
		await expect.element(cell(spanish, 2)).toHaveFocus();
		await userEvent.keyboard('café{ArrowUp}');
		await expect.element(cell(spanish, 1)).toHaveFocus();
		await userEvent.keyboard('{ArrowDown}{Home}{ArrowLeft}');
		await expect.element(cell('English', 2)).toHaveFocus();
		await userEvent.keyboard('coffee{ArrowRight}');
		await expect.element(cell(spanish, 2)).toHaveFocus();
		await expect.element(cell('English', 3)).toHaveValue('');
		expect(await axeFindings()).toEqual([]);
		await button('Make the glossary').click();
		await expect.poll(() => sent(shown)).toEqual(['train\ttren\ncoffee\tcafé']);
	});

	test('takes several rows that a spreadsheet has copied', async () => {
		const shown = await make();
		const clipboardData = new DataTransfer();
		clipboardData.setData('text/plain', 'train\ttren\r\ncoffee, black\tcafé solo\r\n');
		cell('English', 1)
			.element()
			.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
		await expect.element(cell(spanish, 2)).toHaveValue('café solo');
		await expect.element(cell('English', 3)).toHaveFocus();
		await button('Make the glossary').click();
		await expect.poll(() => sent(shown)).toEqual(['train\ttren\n"coffee, black"\tcafé solo']);
	});

	test('a row is deleted by keyboard, and put back', async () => {
		await make();
		await cell('English', 1).fill('train');
		await cell('English', 2).fill('coffee');
		await cell(spanish, 1).click();
		await userEvent.keyboard('{ArrowRight}');
		await expect.element(button('Delete row 1')).toHaveFocus();
		await userEvent.keyboard('{Enter}');
		await expect.element(cell('English', 1)).toHaveValue('coffee');
		await expect.element(cell('English', 1)).toHaveFocus();
		await button('Undo').click();
		await expect.element(cell('English', 1)).toHaveValue('train');
		await expect.element(cell('English', 2)).toHaveValue('coffee');
	});

	test('a row in error is marked and has the cursor', async () => {
		await make({
			answers: {
				'glossary.add': () =>
					err({ kind: 'table-invalid', lines: [{ line: 2, reason: 'empty' as const }], more: 0 }),
			},
		});
		await cell('English', 1).fill('train');
		await cell(spanish, 1).fill('tren');
		await cell('English', 2).fill('coffee');
		await button('Make the glossary').click();
		await expect.element(text('Line 2: A cell is empty.')).toBeVisible();
		await expect.element(cell('English', 2)).toHaveFocus();
		await expect.element(cell('English', 2)).toHaveAttribute('aria-invalid', 'true');
		expect(cell('English', 1).element().hasAttribute('aria-invalid')).toBe(false);
		await cell(spanish, 2).fill('café');
		await expect.poll(() => text('Line 2: A cell is empty.').query()).toBeNull();
	});

	test('and the text show the same', async () => {
		await make();
		await cell('English', 1).fill('train');
		await cell(spanish, 1).fill('tren');
		const table = await asText();
		await expect.element(table).toHaveValue('train\ttren');
		await table.fill('coffee;café');
		await button('Edit as a table').click();
		await expect.element(cell(spanish, 1)).toHaveValue('café');
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
		await clock.run(10_000);
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

	test('a glossary being deleted stays hidden while the next can be restored', async () => {
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
		await clock.run(10_000);
		await expect.poll(chosen).toEqual(['g2']);
	});

	test('a glossary that the service does not delete reappears, selected, with the reason', async () => {
		const clock = createManualClock();
		const { parts } = await glossaries({
			clock,
			settings: { glossaries: ['g1'] },
			answers: { 'glossary.delete': () => err({ kind: 'service-failed', status: 500, detail: '' }) },
		});
		await button(named('Delete ', 'Names')).click();
		await clock.run(10_000);
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
		await expect.element(cell('English', 1)).toHaveValue('train');
		await expect.element(cell('Español · Spanish', 1)).toHaveValue('tren');
		expect(await axeFindings()).toEqual([]);
		await cell('English', 2).fill('coffee');
		await cell('Español · Spanish', 2).fill('café');
		await button('Save the change').click();
		await expect.element(text(named('', 'Names', ' is changed.'))).toBeVisible();
		expect(askedFor(shown, 'glossary.change')).toEqual([
			{
				id: 'g1',
				name: 'Names',
				kind: 'translation',
				source: 'en',
				target: 'es',
				table: 'train\ttren\ncoffee\tcafé',
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
		const table = cell('English', 1);
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
		await expect.element(table).toHaveValue('coffee');
		expect(askedFor(shown, 'glossary.change')).toEqual([]);
	});

	test('a table that could not be fetched is asked for again, and until then nothing takes its place', async () => {
		const failed = { kind: 'service-failed', status: 500, detail: '' } as const;
		const answers = [err(failed), ok('train,tren')];
		await glossaries({ answers: { 'glossary.table': () => answers.shift() ?? ok(null) } });
		await press();
		await expect.element(text('The service answered with an error (500).')).toBeVisible();
		await expect.element(cell('English', 1)).toBeDisabled();
		expect(text(/enter all of it/).query()).toBeNull();
		await button('Try again').click();
		await expect.element(cell('English', 1)).toHaveValue('train');
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
		await expect.element(cell('English', 1)).toHaveValue('train');
		await button('Save the change').click();
		await button(named('Change ', 'Words')).click();
		await expect.element(page.getByLabelText('Name')).toHaveValue('Words');
		await cell('Word', 1).fill('Palabra');
		resolve();
		await expect.element(text(said)).toBeVisible();
		await expect.element(cell('Word', 1)).toHaveValue('Palabra');
		await expect.element(cell('Word', 1)).toHaveFocus();
	});

	test('where the table is not given back that is said; an old one that stays is in the list and said', async () => {
		await glossaries({
			answers: {
				'glossary.table': () => ok(null),
				'glossary.change': () => ok({ glossary: { ...names, id: 'g9', entries: 2 }, left: true }),
			},
		});
		await press();
		await expect.element(text(/enter all of it/)).toBeVisible();
		await (await asText()).fill('a,b\nc,d');
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
		await (await asText()).fill('train,tren\ncoffee,café');
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
		await (await asText()).fill('train,tren');
		await button('Make the glossary').click();
		await expect.element(text('The service answered with an error (500).')).toBeVisible();
		await expect.element(text('Others')).toBeVisible();
		const empty = text(/New.? all the same, but without entries\. Delete it below\.$/);
		if (isSaid) await expect.element(empty).toBeVisible();
		else expect(empty.query()).toBeNull();
		await expect.element(page.getByRole('textbox', { name: 'Table' })).toHaveValue('train,tren');
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
		const table = await asText();
		await table.fill('a,b\nc');
		await button('Make the glossary').click();
		await expect
			.element(text('Line 2: Two columns are needed, with the same separator as in the other lines.'))
			.toBeVisible();
		await expect.element(text('It has no entries.')).toBeVisible();
		await expect.element(text('More lines like these: 3.')).toBeVisible();
		await expect.element(table).toHaveValue('a,b\nc');
		await table.fill('a,b');
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
		await expect.element(cell('English', 1)).toHaveValue('train');
		await choose(new Uint8Array([0x63, 0xe9]));
		await expect.element(text('This file is not UTF-8 text. Save it as CSV UTF-8.')).toBeVisible();
		await expect.element(cell('English', 1)).toHaveValue('train');
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
		await cell('Word', 1).fill('Palabra');
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
