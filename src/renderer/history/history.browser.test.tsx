import { describe, expect, test, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { fileDate } from '#shared/captions/export-name.ts';
import { err, ok } from '#shared/lib/result.ts';
import { kept } from '#test/support/fake-pages.ts';
import { createFakeWindow, type FakeMain } from '#test/support/fake-window.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { axeFindings, renderWindow } from '#test/support/render-window.tsx';

const FROM = Date.UTC(2026, 4, 4, 12, 0, 0);
const talk = kept('a', FROM, [
	['en', 'Good morning.', 'es', 'Buenos días.'],
	['en', 'Where is the station?', 'es', '¿Dónde está la estación?'],
	['ar', 'مَرْحَبًا بكم', 'es', 'Bienvenidos, buenos amigos.'],
]);
const other = kept('b', FROM - 90_000_000, [['de', 'Guten Tag', 'en', 'Good day']], { title: 'Berlin' });

async function history(main: FakeMain = {}, id: string | null = null) {
	const shown = createFakeWindow({ conversations: [talk, other], ...main });
	shown.parts.navigation.read(id);
	return renderWindow(shown);
}

const button = (name: string | RegExp) => page.getByRole('button', { name });
const text = (words: string | RegExp) => page.getByText(words);
const marks = () => [...document.querySelectorAll('mark')].map((mark) => mark.textContent);

describe('the list', () => {
	test('shows the newest first: what it is called, else when and in which languages; how it began, how long, how much', async () => {
		await history({ clock: createManualClock(FROM + 3_600_000) });
		await expect.element(text('Berlin')).toBeVisible();
		const cards = page.getByRole('listitem').elements();
		const plain = (element: Element | null | undefined) =>
			(element?.textContent ?? '').replace(/[\u2066-\u2069]/g, '').replaceAll('\u202f', ' ');
		expect(plain(cards[0]?.querySelector('h2'))).toMatch(/^Good morning\.$/);
		// Three utterances, whatever the number of their texts.
		expect(plain(cards[0])).toMatch(
			/Speak and be heard · English and Arabic → Spanish · Today, \d+:00 [AP]M · 9 sec · 3 lines/,
		);
		expect(plain(cards[1]?.querySelector('h2'))).toBe('Berlin');
		expect(plain(cards[1])).toMatch(
			/Speak and be heard · German → English · Yesterday, \d+:00 [AP]M · 3 sec · 1 line/,
		);
		const opens = button(/^Open .*Good morning/).element();
		const described = document.getElementById(opens.getAttribute('aria-describedby') ?? '');
		expect(plain(described)).toContain('English and Arabic → Spanish');
		expect(await axeFindings()).toEqual([]);
	});

	test('anywhere on a conversation opens it, but for the buttons on it', async () => {
		const shown = await history();
		await expect.element(text('Berlin')).toBeVisible();
		await button(/^Rename .*Berlin/).click();
		await button('Cancel').click();
		expect(shown.parts.navigation.store.getState().conversation).toBeNull();
		await expect.poll(() => page.getByRole('dialog').query()).toBeNull();
		const card = page.getByRole('listitem').last();
		const { width, height } = card.element().getBoundingClientRect();
		await card.click({ position: { x: width - 30, y: height - 8 } });
		await expect.poll(() => shown.parts.navigation.store.getState().conversation).toBe('b');
		await expect.element(text('Good day')).toBeVisible();
	});

	test('says when there is nothing, and leads to the choice', async () => {
		const shown = await history({ conversations: [] });
		await expect.element(text('No conversations')).toBeVisible();
		await expect.element(text('Choose whether your conversations are kept.')).toBeVisible();
		expect(page.getByRole('searchbox').query()).toBeNull();
		await button('Open settings').click();
		expect(shown.parts.navigation.store.getState()).toMatchObject({ page: 'settings', place: 'history' });
	});

	test.each([
		['keep', 'New conversations appear here when they end.'],
		['days', 'New conversations appear here when they end.'],
		['erase', 'You chose not to keep conversations.'],
	] as const)('asks for no choice that was made: %s', async (choice, words) => {
		await history({ conversations: [], settings: { history: choice } });
		await expect.element(text(words)).toBeVisible();
		expect(text('Choose whether your conversations are kept.').query()).toBeNull();
	});

	test('brings back what was deleted with Ctrl+Z, the newest alone, and leaves it to a field while one types', async () => {
		const shown = await history();
		for (const name of [/^Delete .*Berlin/, /^Delete .*Good morning/]) await button(name).click();
		await expect.element(text('No conversations')).toBeVisible();
		await userEvent.keyboard('{Control>}z{/Control}');
		await expect
			.poll(() => shown.asked.filter(([name]) => name === 'history.undelete'))
			.toEqual([['history.undelete', { id: 'a' }]]);
		await expect.element(page.getByRole('listitem')).toBeVisible();
		await userEvent.keyboard('{Control>}z{/Control}');
		await button(/^Delete /).click();
		await expect.element(button('Undo')).toBeVisible();
		await expect.element(text('No conversations')).toBeVisible();
		expect(shown.asked.filter(([name]) => name === 'history.undelete')).toHaveLength(1);
	});

	test('a search that finds nothing is cleared with one press, and is still there when one comes back', async () => {
		const shown = await history();
		const field = page.getByRole('searchbox', { name: 'Search all conversations' });
		await field.fill('zebra');
		await expect.element(text(/No results for .*zebra/)).toBeVisible();
		shown.parts.navigation.go('settings');
		await expect.element(page.getByRole('heading', { name: 'Settings', level: 1 })).toBeVisible();
		shown.parts.navigation.back();
		await expect.element(field).toHaveValue('zebra');
		await button('Clear search').click();
		await expect.element(text('Berlin')).toBeVisible();
		await expect.element(field).toHaveValue('');
		expect(button('Clear search').query()).toBeNull();
		await expect.element(page.getByRole('heading', { name: 'History', level: 1 })).toHaveFocus();
	});

	test('says what is wrong when it cannot be read, and where a broken file was kept', async () => {
		await history({
			history: { problem: { kind: 'history-unreadable', keptAs: 'history.sqlite.broken-1' } },
			answers: { 'history.list': () => err({ kind: 'history-busy' }) },
		});
		await expect.element(text(/kept as .*history\.sqlite\.broken-1/)).toBeVisible();
		await expect.element(text(/Another program is using the history/)).toBeVisible();
		expect(text('No conversations').query()).toBeNull();
	});

	test('searching waits for the typing to rest, lights the place, and opens the conversation there', async () => {
		const clock = createManualClock();
		const shown = await history({ clock });
		await page.getByLabelText('Search all conversations').fill('estación');
		expect(shown.asked.filter(([name]) => name === 'history.search')).toEqual([]);
		await clock.run(200);
		await expect.element(text('1 conversation found')).toBeVisible();
		expect(marks()).toEqual(['estación']);
		await button(/^Open .*Good morning/).click();
		await expect.element(text('Match 1 of 1')).toBeVisible();
		expect(marks()).toEqual(['estación']);
	});

	test('an answer that comes after the one to a later search is not shown', async () => {
		const clock = createManualClock();
		const found = ({ row, captions }: typeof talk) =>
			ok({ hits: [{ row, hits: 1, first: captions[0] ?? null }], next: null });
		const late = Promise.withResolvers<ReturnType<typeof found>>();
		const shown = await history({
			clock,
			answers: {
				'history.search': (input) =>
					(input as { query: string }).query === 'good' ? late.promise : found(other),
			},
		});
		const field = page.getByRole('searchbox', { name: 'Search all conversations' });
		await field.fill('good');
		await clock.run(200);
		expect(shown.asked.filter(([name]) => name === 'history.search')).toHaveLength(1);
		await field.fill('guten');
		await clock.run(200);
		await expect.element(text('1 conversation found')).toBeVisible();
		late.resolve(found(talk));
		await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
		await expect.element(text('Berlin')).toBeVisible();
		expect(text('Good morning.').query()).toBeNull();
	});

	test('a long conversation that was found opens at its first place; another search waits for Enter', async () => {
		const said = Array.from({ length: 1500 }, (_, n) => ['en', `said ${n}.`, 'es', `dicho ${n}.`] as const);
		const shown = createFakeWindow({ conversations: [kept('long', FROM, said)] });
		shown.parts.navigation.read(null);
		shown.parts.navigation.search('1290.');
		shown.parts.navigation.read('long');
		await renderWindow(shown);
		await expect.element(text('dicho 1290.')).toBeInViewport();
		await expect.element(text('Match 1 of 1')).toBeVisible();
		await page.getByLabelText('Search in this conversation').fill('90.');
		await expect.element(text('15 matches')).toBeVisible();
		await expect.element(text('dicho 1290.')).toBeInViewport();
	});

	test('a search that is longer than main takes is asked by its beginning, in whole characters', async () => {
		const clock = createManualClock();
		const shown = await history({ clock });
		await page.getByLabelText('Search all conversations').fill(`${'a'.repeat(199)}😀 and more`);
		await clock.run(200);
		await expect
			.poll(() => shown.asked.filter(([name]) => name === 'history.search').at(-1)?.[1])
			.toMatchObject({ query: 'a'.repeat(199) });
	});

	test('a deleted conversation disappears at once and can be restored for half a minute', async () => {
		const clock = createManualClock();
		await history({ clock });
		await button(/^Delete .*Berlin/).click();
		await expect.element(text(/“.*Berlin.*” is deleted/)).toBeVisible();
		expect(page.getByRole('listitem').elements()).toHaveLength(1);
		await button('Undo').click();
		await expect.element(text(/“.*Berlin.*” is back/)).toBeVisible();
		await expect.poll(() => page.getByRole('listitem').elements().length).toBe(2);
		await button(/^Delete .*Berlin/).click();
		await expect.element(button('Undo')).toBeVisible();
		await clock.run(30_000);
		await expect.poll(() => button('Undo').query()).toBeNull();
	});

	test('after half a minute with another conversation there is nothing to undo', async () => {
		const clock = createManualClock();
		const shown = await history({ clock });
		await button(/^Delete .*Berlin/).click();
		await expect.element(button('Undo')).toBeVisible();
		shown.parts.navigation.read('a');
		await expect.poll(() => button('Undo').query()).toBeNull();
		await clock.run(30_000);
		shown.parts.navigation.read(null);
		await expect.element(text(/Berlin|Good morning/).first()).toBeVisible();
		expect(button('Undo').query()).toBeNull();
	});

	test('a deleted conversation can be restored until shortly before main erases it', async () => {
		const clock = createManualClock();
		await history({ clock });
		await button(/^Delete .*Berlin/).click();
		await expect.element(button('Undo')).toBeVisible();
		await clock.run(28_000);
		await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
		expect(button('Undo').query()).not.toBeNull();
		await button('Undo').click();
		await expect.element(text(/“.*Berlin.*” is back/)).toBeVisible();
	});

	test('what is deleted further down leaves as many in view as there were', async () => {
		const many = Array.from({ length: 120 }, (_, at) =>
			kept(`c${at}`, FROM - at * 3_600_000, [['en', 'Yes', 'es', 'Sí']], { title: `Talk ${at}` }),
		);
		await history({ conversations: many });
		await button('Show more').click();
		await expect.poll(() => page.getByRole('listitem').elements().length).toBe(100);
		await button(/^Delete .*Talk 80\b/).click();
		await expect.element(text(/“.*Talk 80.*” is deleted/)).toBeVisible();
		await expect.poll(() => text('Talk 80').query()).toBeNull();
		expect(page.getByRole('listitem').elements()).toHaveLength(100);
	});

	test('more is shown to the keyboard from the first of it on, and never leaves it on a Delete', async () => {
		const many = Array.from({ length: 120 }, (_, at) =>
			kept(`c${at}`, FROM - at * 3_600_000, [['en', 'Yes', 'es', 'Sí']], { title: `Talk ${at}` }),
		);
		await history({ conversations: many });
		await expect.element(button('Show more')).toBeVisible();
		for (const count of [100, 120]) {
			(button('Show more').element() as HTMLElement).focus();
			await userEvent.keyboard('{Enter}');
			await expect.poll(() => page.getByRole('listitem').elements().length).toBe(count);
			const first = count === 100 ? 50 : 100;
			await expect
				.poll(() => document.activeElement?.getAttribute('aria-label') ?? '')
				.toMatch(new RegExp(`^Open .*Talk ${first}\\b`));
		}
	});

	test('a title is changed with the keyboard alone', async () => {
		await history();
		await button(/^Rename .*Berlin/).click();
		await expect.element(page.getByLabelText('Title')).toHaveFocus();
		await page.getByLabelText('Title').fill('Hamburg');
		await userEvent.keyboard('{Enter}');
		await expect.element(text('Hamburg')).toBeVisible();
		await expect.poll(() => page.getByRole('dialog').query()).toBeNull();
	});

	test('what nobody has decided on, or was cut off, is kept by a press on it', async () => {
		const undecided = { ...other, row: { ...other.row, state: 'undecided' } } as const;
		const shown = await history({ conversations: [talk, undecided] });
		await expect.element(text(/Not decided/)).toBeVisible();
		expect(button(/^Keep this one/).elements()).toHaveLength(1);
		await button(/^Keep this one: .*Berlin/).click();
		await expect.element(text(/Not decided/)).not.toBeInTheDocument();
		await expect.element(page.getByText(/Berlin.* is kept/)).toBeVisible();
		expect(shown.asked.filter(([name]) => name === 'history.recover')).toEqual([
			['history.recover', { id: 'b' }],
		]);
		await expect.element(button(/^Open .*Berlin/)).toHaveFocus();
	});

	test('the conversation that runs cannot be deleted', async () => {
		await history({ conversations: [kept('r', FROM, [['en', 'Now', 'es', 'Ahora']], { state: 'running' })] });
		await expect.element(text('Running now')).toBeVisible();
		await expect.element(button(/^Delete .*Now/)).toBeDisabled();
	});

	test('what was cut off can be kept in the list as well', async () => {
		const cutOff = { ...other, row: { ...other.row, state: 'cut-off' } } as const;
		const shown = await history({ conversations: [talk, cutOff] });
		await button(/^Keep this one: .*Berlin/).click();
		await expect.element(text(/Berlin.* is kept/)).toBeVisible();
		expect(shown.asked.filter(([name]) => name === 'history.recover')).toEqual([
			['history.recover', { id: 'b' }],
		]);
	});
});

describe('reading', () => {
	test('each language stands from its own side, and what is found is lit without turning it', async () => {
		await history({}, 'a');
		await expect.element(text('Buenos días.')).toBeVisible();
		const arabic = [...document.querySelectorAll('bdi')].find((one) => one.textContent === 'مَرْحَبًا بكم');
		expect([arabic?.closest('p')?.dir, arabic?.lang]).toEqual(['rtl', 'ar']);
		await page.getByLabelText('Search in this conversation').fill('مرحبا');
		await expect.poll(marks).toEqual(['مَرْحَبًا']);
		expect(arabic?.textContent).toBe('مَرْحَبًا بكم');
		expect(await axeFindings()).toEqual([]);
	});

	test.each([
		['a sentence that broke off says so, and only that one', 'kept', ['Bienvenidos, buenos amigos. cut off']],
		['a sentence that is still being said does not', 'running', []],
	] as const)('%s', async (_, state, marked) => {
		const captions = talk.captions.map((caption) => ({ ...caption, final: caption.key !== 't2' }));
		await history({ conversations: [{ row: { ...talk.row, state }, captions }, other] }, 'a');
		await expect.element(text('Bienvenidos, buenos amigos.')).toBeVisible();
		const cut = text('cut off').elements();
		expect(cut.map((one) => one.parentElement?.textContent)).toEqual(marked);
		expect(await axeFindings()).toEqual([]);
	});

	test('goes from place to place and round again, and says which', async () => {
		await history({}, 'a');
		await page.getByLabelText('Search in this conversation').fill('BUENOS');
		await expect.element(text('2 matches')).toBeVisible();
		await button('Next match').click();
		await expect.element(text('Match 1 of 2')).toBeVisible();
		await button('Next match').click();
		await expect.element(text('Match 2 of 2')).toBeVisible();
		// Also for those who cannot see its colour.
		expect(document.querySelector('[aria-current="true"]')?.textContent).toContain('Bienvenidos');
		await button('Next match').click();
		await expect.element(text('Match 1 of 2')).toBeVisible();
		await button('Previous match').click();
		await expect.element(text('Match 2 of 2')).toBeVisible();
	});

	test('Enter in the search goes to the next place', async () => {
		await history({}, 'a');
		await page.getByRole('searchbox', { name: 'Search in this conversation' }).fill('BUENOS');
		await expect.element(text('2 matches')).toBeVisible();
		await userEvent.keyboard('{Enter}');
		await expect.element(text('Match 1 of 2')).toBeVisible();
		await userEvent.keyboard('{Enter}');
		await expect.element(text('Match 2 of 2')).toBeVisible();
	});

	test('has one way back: its own to the list only where Back leads elsewhere', async () => {
		const shown = await history();
		await text('Berlin').click();
		await expect.element(page.getByRole('region', { name: /^Transcript of/ })).toBeVisible();
		expect(button('All conversations').query()).toBeNull();
		shown.parts.navigation.go('live');
		shown.parts.navigation.read('a');
		await button('All conversations').click();
		await expect.element(page.getByRole('heading', { name: 'History', level: 1 })).toBeVisible();
	});

	test('what cannot be read to be exported is said above the list, where it is seen', async () => {
		await history({ answers: { 'history.read': () => err({ kind: 'history-busy' }) } });
		await button(/^Export .*Berlin/).click();
		const alert = page.getByRole('alert');
		await expect.element(text(/Another program is using the history/)).toBeVisible();
		const list = document.querySelector('main ul');
		expect(list && alert.element().compareDocumentPosition(list)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
		await button('Dismiss').click();
		await expect.element(alert).not.toBeInTheDocument();
	});

	test('a long conversation is in the document only where it is looked at', async () => {
		const long = kept(
			'long',
			FROM,
			Array.from({ length: 3000 }, (_, n) => ['en', `said ${n}.`, 'es', `dicho ${n}.`] as const),
		);
		await history({ conversations: [long] }, 'long');
		await page.getByLabelText('Search in this conversation').fill('2890.');
		await expect.element(text('1 match')).toBeVisible();
		expect(page.getByRole('listitem').elements().length).toBeLessThan(60);
		await button('Next match').click();
		await expect.element(text('dicho 2890.')).toBeInViewport();
	});

	test('is exported as it is kept', async () => {
		const shown = await history({}, 'a');
		await button('Export').click();
		await page.getByText('With the original').click();
		await button('Save captions').click();
		await expect.element(text(/^Saved to/)).toBeVisible();
		const [, file] = shown.asked.find(([name]) => name === 'file.save-text') ?? [];
		expect(file).toMatchObject({ suggestedName: `Conversation ${fileDate(FROM)}.txt` });
		expect((file as { text: string }).text).toContain('Good morning.\tBuenos días.\n');
	});

	test('is copied, renamed and deleted where it is read, and can be brought back', async () => {
		const copied: string[] = [];
		vi.spyOn(navigator.clipboard, 'writeText').mockImplementation(async (words) => void copied.push(words));
		const shown = await history({ clock: createManualClock(FROM + 3_600_000) }, 'a');
		await expect.element(page.getByRole('heading', { name: 'Good morning.', level: 1 })).toBeVisible();
		await expect.element(text(/Speak and be heard · .*English.* and .*Arabic.* → .*Spanish/)).toBeVisible();
		await button('Copy all').click();
		await expect.element(text('Copied')).toBeVisible();
		expect(copied[0]).toContain('Good morning.\nBuenos días.\n\n');
		await button('Rename').click();
		await userEvent.keyboard('Lisbon{Enter}');
		await expect.element(page.getByRole('heading', { name: 'Lisbon', level: 1 })).toBeVisible();
		expect(shown.asked).toContainEqual(['history.rename', { id: 'a', title: 'Lisbon' }]);
		await expect.element(page.getByRole('dialog')).not.toBeInTheDocument();
		expect(await axeFindings()).toEqual([]);
		await button('Delete').click();
		const list = page.getByRole('heading', { name: 'History', level: 1 });
		await expect.element(list).toHaveFocus();
		await expect.element(text(/“.*Lisbon.*” is deleted/)).toBeVisible();
		await button('Undo').click();
		await expect.element(button(/^Open .*Lisbon/)).toBeVisible();
	});

	test('as a page to print it has both languages, and says when it was', async () => {
		const shown = await history({}, 'a');
		await button('Export').click();
		await page.getByRole('button', { name: /Format/ }).click();
		await page.getByRole('option', { name: 'Page for printing (HTML)' }).click();
		await button('Save captions').click();
		await expect.element(text(/^Saved to/)).toBeVisible();
		const [, file] = shown.asked.find(([name]) => name === 'file.save-text') ?? [];
		const { suggestedName, text: html } = file as { suggestedName: string; text: string };
		expect(suggestedName).toBe(`Conversation ${fileDate(FROM)}.html`);
		const made = new DOMParser().parseFromString(html, 'text/html');
		const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium' }).format(FROM);
		expect(made.querySelector('p')?.textContent).toContain(day);
		expect([...made.querySelectorAll('th')].map((it) => it.textContent)).toHaveLength(3);
		expect(made.querySelector('tbody tr')?.textContent).toMatch(/Good morning\..*Buenos días\./);
	});

	test('as a document it has every language, and main makes the file', async () => {
		const several = kept('c', FROM, [
			['en', 'Good morning.', 'es', 'Buenos días.'],
			['en', 'Thank you.', 'ar', 'شكرا'],
		]);
		const shown = await history({ conversations: [several] }, 'c');
		await button('Export').click();
		await page.getByRole('button', { name: /Format/ }).click();
		await page.getByRole('option', { name: 'Word document (DOCX)' }).click();
		await expect.element(page.getByRole('radio', { name: 'All languages' })).toBeChecked();
		// While the list fades out, what lies below it has too little contrast.
		await expect.element(page.getByRole('listbox')).not.toBeInTheDocument();
		expect(await axeFindings()).toEqual([]);
		await button('Save captions').click();
		await expect.element(text(/^Saved to .*Conversation .*\.docx/)).toBeVisible();
		const [, file] = shown.asked.find(([name]) => name === 'file.save-document') ?? [];
		const { table, words } = JSON.parse((file as { text: string }).text);
		expect(table.columns).toHaveLength(3);
		expect(table.rows.map(({ languages }: { languages: string[] }) => languages)).toEqual([
			['en', 'es', ''],
			['en', '', 'ar'],
		]);
		expect(words).toMatchObject({ title: 'Conversation', locale: 'en', direction: 'ltr' });
	});

	test('one that is gone is said to be', async () => {
		await history({}, 'nowhere');
		await expect.element(page.getByRole('alert')).toBeVisible();
	});
});

describe('on the live page', () => {
	const live = (main: FakeMain) => renderWindow(createFakeWindow(main));

	test('what becomes of conversations is asked once, and the answer is a setting', async () => {
		const shown = await live({ history: { undecided: 1 } });
		await button(/^For .30 days/).click();
		await expect.poll(() => shown.asked).toContainEqual(['settings.write', { history: 'days' }]);
		await expect.poll(() => text(/Keep your/).query()).toBeNull();
		await expect.element(text(/^This conversation and later ones are kept for .30 days/)).toBeVisible();
		await button('Show the history').click();
		await expect.element(page.getByRole('heading', { name: 'History', level: 1 })).toBeVisible();
	});

	test('who keeps nothing is told so, and that the text stays for now; a Start takes the words away', async () => {
		const shown = await live({ history: { undecided: 1 } });
		await button('Don’t keep').click();
		expect(shown.asked).toContainEqual(['settings.write', { history: 'erase' }]);
		const words = text(
			/^This conversation will not be kept. Its text stays here until you press Start again/,
		);
		await expect.element(words).toBeVisible();
		shown.conversation.show({ phase: 'connecting' });
		await expect.poll(() => words.query()).toBeNull();
	});

	test('it is not asked when it was chosen before, and can be put aside', async () => {
		await live({ history: { undecided: 1 }, settings: { history: 'keep' } });
		expect(text(/Keep your/).query()).toBeNull();
		const shown = await live({ history: { undecided: 1 } });
		await button('Dismiss').click();
		await expect.poll(() => text(/Keep your/).query()).toBeNull();
		await expect.element(text(/is deleted when Dragoman closes/)).toBeVisible();
		shown.parts.navigation.go('settings');
		await expect.element(page.getByRole('heading', { name: 'Settings', level: 1 })).toBeVisible();
		shown.parts.navigation.back();
		await expect.element(button('Start')).toBeVisible();
		expect(text(/Keep your/).query()).toBeNull();
	});

	test('what was cut off is offered: recovered it is shown, otherwise erased', async () => {
		const offer = { ...talk.row, state: 'cut-off' as const };
		const main = { history: { offer }, conversations: [talk] };
		const shown = await live(main);
		await button('Recover').click();
		await expect.element(text('Buenos días.')).toBeVisible();
		expect(shown.asked).toContainEqual(['history.recover', { id: 'a' }]);
		const again = await live(main);
		await button('Delete it').click();
		expect(again.asked).toContainEqual(['history.erase', { id: 'a' }]);
		again.announce('history.changed', { revision: 2, undecided: 0, offer: null, problem: null });
		await expect.poll(() => button('Recover').query()).toBeNull();
	});

	test('a history that cannot be written is said once, and not again when that was put aside', async () => {
		const shown = await live({});
		const problem = { kind: 'storage-failed', what: 'history.sqlite' } as const;
		shown.announce('history.changed', { revision: 2, undecided: 0, offer: null, problem });
		await expect.element(text('This could not be saved to the disk.')).toBeVisible();
		await button('Dismiss').click();
		shown.announce('history.changed', { revision: 3, undecided: 1, offer: null, problem });
		await expect.element(text(/Keep your/)).toBeVisible();
		expect(text('This could not be saved to the disk.').query()).toBeNull();
	});

	test('everything is erased from the settings, after asking', async () => {
		const shown = createFakeWindow({ answers: { 'history.erase': () => ok() } });
		shown.parts.navigation.go('settings', 'history');
		await renderWindow(shown);
		await button('Delete all history').click();
		expect(shown.asked.some(([name]) => name === 'history.erase')).toBe(false);
		await page.getByRole('alertdialog').getByRole('button', { name: 'Delete all history' }).click();
		await expect.element(text('The history is empty.')).toBeVisible();
		expect(shown.asked).toContainEqual(['history.erase', { id: null }]);
	});
});
