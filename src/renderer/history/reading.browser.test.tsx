import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { kept } from '#test/support/fake-pages.ts';
import { createFakeWindow, type FakeMain } from '#test/support/fake-window.ts';
import { renderWindow } from '#test/support/render-window.tsx';

const FROM = Date.UTC(2026, 4, 4, 12, 0, 0);

async function read(main: FakeMain, id: string) {
	const shown = createFakeWindow(main);
	shown.parts.navigation.read(id);
	return renderWindow(shown);
}

const button = (name: string | RegExp) => page.getByRole('button', { name });
const text = (words: string | RegExp) => page.getByText(words);

test('each row says whose words they are, what was typed, and how much was lost; a mark that is no longer made does no harm', async () => {
	const said = kept('m', FROM, [
		['en', 'Good morning.', 'es', 'Buenos días.'],
		['es', 'Hola.', 'en', 'Hello.'],
		['en', 'By hand.', 'es', 'A mano.'],
		['en', 'From before.', 'es', 'De antes.'],
		['es', 'También de antes.', 'en', 'From before, too.'],
	]);
	const marks: Readonly<Record<string, string>> = {
		t1: 'incoming',
		t2: 'typed',
		t3: 'late',
		t4: 'incoming late',
	};
	const captions = said.captions.map((caption) => ({ ...caption, mark: marks[caption.row] ?? '' }));
	const lost = {
		key: 'l',
		row: 'lost',
		part: '0',
		kind: 'lost',
		language: '',
		text: '',
		startMs: 15_000,
		endMs: 19_200,
		final: true,
		mark: '',
	};
	await read({ conversations: [{ row: said.row, captions: [...captions, lost] }] }, 'm');
	await expect.element(text(/^Nothing was interpreted for .*4\.2 sec/)).toBeVisible();
	const marked = [...document.querySelectorAll('[data-current]')].map((row) =>
		row.querySelector('span')?.textContent?.replace(/^\d:\d\d/, ''),
	);
	expect(marked.slice(0, 5)).toEqual(['You', 'Them', 'YouTyped', 'You', 'Them']);
});

test('a long conversation is exported to its end', async () => {
	const said = Array.from({ length: 400 }, (_, n) => ['en', `said ${n}.`, 'es', `dicho ${n}.`] as const);
	const shown = await read({ conversations: [kept('long', FROM, said)] }, 'long');
	await button('Export').click();
	await button('Save captions').click();
	await expect.element(text(/^Saved to/)).toBeVisible();
	const [, file] = shown.asked.find(([name]) => name === 'file.save-text') ?? [];
	for (const n of [0, 249, 250, 399]) expect((file as { text: string }).text).toContain(`\tdicho ${n}.\n`);
});
