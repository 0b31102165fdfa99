import { describe, expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { choicesFor } from '#renderer/history/conversation-view.tsx';
import type { HistoryCaption } from '#shared/host/history.ts';
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

describe('continuing a kept conversation', () => {
	const said = kept('m', FROM, [['fr', 'Bonjour.', 'de', 'Guten Tag.']]);

	test('leads to Start with its languages, says what is continued, and can be undone there', async () => {
		const shown = await read({ conversations: [said], settings: { history: 'keep' } }, 'm');
		await button('Continue').click();
		await expect.element(text(/^Your next conversation is added to .*Bonjour/)).toBeVisible();
		expect(shown.parts.settings.store.getState().values).toMatchObject({ speak: 'fr', hear: ['de'] });
		expect(shown.parts.history.continued.getState()?.id).toBe('m');
		expect(shown.conversation.calls).toEqual([]);
		await button('Start a new one').click();
		await expect.element(text(/^Your next conversation/)).not.toBeInTheDocument();
		expect(shown.parts.history.continued.getState()).toBeNull();
	});

	test('is not offered where nothing is kept, and waits while another runs', async () => {
		await read({ conversations: [said], settings: { history: 'erase' } }, 'm');
		await expect.element(button('Export')).toBeEnabled();
		expect(button('Continue').query()).toBeNull();
		const shown = await read({ conversations: [said], settings: { history: 'keep' } }, 'm');
		await expect.element(button('Continue')).toBeEnabled();
		shown.conversation.show({ phase: 'live' });
		await expect.element(button('Continue')).toBeDisabled();
	});

	test('shows where a later part begins', async () => {
		const mark: HistoryCaption = {
			...{ key: 'p', row: 'p', part: '', kind: 'continued', language: '', text: '' },
			...{ startMs: 900, endMs: 900, final: true, mark: `${FROM + 86_400_000}` },
		};
		const captions = said.captions.map((caption) => ({ ...caption, startMs: 0 }));
		await read({ conversations: [{ row: said.row, captions: [...captions, mark] }] }, 'm');
		await expect.element(text(/^Continued .*5/)).toBeVisible();
	});

	test.each([
		[
			'one side',
			{ mode: 'solo', sources: ['fr'], targets: ['de'] },
			{ mode: 'solo', speak: 'fr', hear: ['de'], voiceOf: 'de' },
		],
		['the same, in another region', { mode: 'solo', sources: ['en'], targets: ['es'] }, { mode: 'solo' }],
		[
			'two sides, one of them mine',
			{ mode: 'meeting', sources: ['de', 'en'], targets: ['en', 'de'] },
			{ mode: 'meeting' },
		],
		[
			'two sides, neither mine',
			{ mode: 'face', sources: ['fr', 'de'], targets: ['de', 'fr'] },
			{ mode: 'face', speak: 'fr', hear: ['de'], voiceOf: 'de' },
		],
		['captions only', { mode: 'captions', sources: ['fr'], targets: [] }, { mode: 'captions', speak: 'fr' }],
		['a mode of a later version', { mode: 'choir', sources: ['fr'], targets: ['de'] }, {}],
	])('takes the languages of %s', (_, row, wanted) => {
		expect(choicesFor(row, { speak: 'en-us', hear: ['es-mx'] })).toEqual(wanted);
	});
});
