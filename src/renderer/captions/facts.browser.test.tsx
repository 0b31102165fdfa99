import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { captionRow } from '#test/support/fake-conversation.ts';
import { createFakeWindow, type FakeWindow } from '#test/support/fake-window.ts';
import { axeFindings, renderWindow } from '#test/support/render-window.tsx';

async function live(settings = {}): Promise<FakeWindow> {
	const shown = await renderWindow(
		createFakeWindow({ settings: { speak: 'en', hear: ['de'], ...settings } }),
	);
	shown.conversation.show({ phase: 'live', liveSinceMs: 0 });
	return shown;
}

const facts = () =>
	[...document.querySelectorAll<HTMLElement>('[data-fact]')].map(
		(chip) => `${chip.textContent}: ${chip.dataset['fact']}`,
	);

test('a sentence shows its facts once on both sides; one that differs is amber', async () => {
	const { conversation } = await live();
	conversation.putRow(
		captionRow(0, ['en', 'On 14 March it costs 15 euros'], [['de', 'Am 14. März kostet es 50 Euro']]),
	);
	await expect
		.poll(facts)
		.toEqual(['14 March: same', '15 euros: differs', '14. März: same', '50 Euro: differs']);
	expect(await axeFindings()).toEqual([]);
});

test('nothing is in doubt while a sentence is unfinished, nor in a language that cannot be read', async () => {
	const { conversation } = await live();
	conversation.putRow(captionRow(0, ['en', 'It costs 15 euros'], [['de', 'Es kostet']], false), 0);
	conversation.putRow(captionRow(1, ['en', 'It costs 16 euros'], [['sv', 'Det kostar 60 euro']]), 1);
	conversation.putRow(captionRow(2, ['en', 'It costs 17 euros'], [['de', 'Es kostet 17 Euro']]), 2);
	await expect.poll(facts).toEqual(['17 euros: same', '17 Euro: same']);
	conversation.putRow(captionRow(0, ['en', 'It costs 15 euros'], [['de', 'Es kostet 50 Euro']]), 0);
	await expect.poll(() => facts().filter((one) => one.endsWith('differs'))).toHaveLength(2);
});

test('an amber one shows both sides in large letters, and says the sentence again', async () => {
	const { conversation } = await live();
	conversation.putRow(captionRow(0, ['en', 'It costs 15 euros'], [['de', 'Es kostet viel']]));
	await userEvent.click(page.getByRole('button', { name: /15 euros.: not found in the translation/ }));
	const dialog = page.getByRole('dialog', { name: 'Is this right?' });
	await expect.element(dialog.getByText('Es kostet viel')).toBeVisible();
	expect(document.querySelector('mark')?.textContent).toBe('15 euros');
	expect(await axeFindings()).toEqual([]);
	await userEvent.click(page.getByRole('button', { name: 'Say it again' }));
	expect(conversation.calls.at(-1)).toEqual([
		'say',
		{ text: 'It costs 15 euros', language: 'en', translate: true },
	]);
	await expect.element(dialog).not.toBeInTheDocument();
});

test('what is shown large stays while others go on speaking', async () => {
	const { conversation } = await live();
	conversation.putRow(captionRow(0, ['en', 'It costs 15 euros'], [['de', 'Es kostet viel']]));
	await userEvent.click(page.getByRole('button', { name: /15 euros.: not found in the translation/ }));
	const dialog = page.getByRole('dialog', { name: 'Is this right?' });
	await expect.element(dialog).toBeVisible();
	for (let at = 1; at <= 60; at += 1)
		conversation.putRow(captionRow(at, ['en', `Sentence ${at}`], [['de', `Satz ${at}`]]));
	await expect.element(page.getByText('Satz 60').first()).toBeInTheDocument();
	expect(dialog.query()).not.toBeNull();
});

test('what others said is shown large, and cannot be said again; neither can it where nothing is spoken', async () => {
	const { conversation, parts } = await live({ mode: 'captions' });
	conversation.putRow(captionRow(0, ['en', 'It costs 15 euros'], [['de', 'Es kostet viel']]), 0);
	await userEvent.click(page.getByRole('button', { name: /15 euros/ }));
	await expect.element(page.getByRole('dialog')).toBeVisible();
	await expect.element(page.getByRole('button', { name: 'Say it again' })).not.toBeInTheDocument();
	await userEvent.keyboard('{Escape}');
	await parts.settings.write({ mode: 'meeting' });
	conversation.putRow(
		{ ...captionRow(0, ['en', 'It costs 15 euros'], [['de', 'Es kostet viel']]), leg: 'incoming' },
		0,
	);
	await userEvent.click(page.getByRole('button', { name: /15 euros/ }));
	await expect.element(page.getByRole('button', { name: 'Say it again' })).not.toBeInTheDocument();
});

test('where only the translation is shown, what is missing stands with it', async () => {
	const { conversation } = await live({ captionLayout: 'target' });
	conversation.putRow(captionRow(0, ['en', 'Take 2 of 500 grams'], [['de', 'Nehmen Sie 2']]));
	await expect.poll(facts).toEqual(['500: missing', '2: same']);
	await expect
		.element(page.getByRole('button', { name: /500.: not found in the translation/ }))
		.toBeVisible();
});

test('can be switched off', async () => {
	const { conversation, parts } = await live();
	conversation.putRow(captionRow(0, ['en', 'It costs 15 euros'], [['de', 'Es kostet 50 Euro']]));
	await expect.poll(facts).toHaveLength(2);
	await parts.settings.write({ checkFacts: false });
	await expect.poll(facts).toEqual([]);
});

test('the minutes that are saved have both languages, with what is in doubt marked, unless it is switched off', async () => {
	const { conversation, parts, asked } = await live();
	conversation.putRow(captionRow(0, ['en', 'It costs 15 euros'], [['de', 'Es kostet 50 Euro']]));
	await userEvent.click(page.getByRole('button', { name: 'Save captions' }));
	const dialog = page.getByRole('dialog', { name: 'Save captions' });
	await userEvent.click(dialog.getByRole('button', { name: /Format/ }));
	await userEvent.click(page.getByRole('option', { name: /HTML/ }));
	const save = dialog.getByRole('button', { name: 'Save captions' });
	await userEvent.click(save);
	const saved = () =>
		asked.filter(([name]) => name === 'file.save-text').map(([, file]) => JSON.stringify(file));
	await expect.poll(() => saved().length).toBe(1);
	await parts.settings.write({ checkFacts: false });
	await userEvent.click(save);
	await expect.poll(() => saved().length).toBe(2);
	expect(saved()[0]).toContain('It costs <mark>15 euros</mark></td>');
	expect(saved()[0]).toContain('Es kostet <mark>50 Euro</mark></td>');
	expect(saved()[1]).toContain('It costs 15 euros</td>');
	expect(saved()[1]).toContain('Es kostet 50 Euro</td>');
});
