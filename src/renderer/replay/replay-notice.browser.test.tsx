import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { CaptionRow, Segment } from '#shared/captions/segment.ts';
import { captionRow } from '#test/support/fake-conversation.ts';
import { createFakeWindow } from '#test/support/fake-window.ts';
import { axeFindings, renderWindow } from '#test/support/render-window.tsx';

/** The row as if it had been said at `ms`. */
function timed(row: CaptionRow, ms: number): CaptionRow {
	const at = <One extends Segment>(one: One): One => ({ ...one, startMs: ms - 1000, endMs: ms });
	return { ...row, source: row.source && at(row.source), translations: row.translations.map(at) };
}

async function live() {
	const shown = await renderWindow(createFakeWindow());
	shown.conversation.show({ phase: 'live', liveSinceMs: 0 });
	return shown;
}

test('a key replays the last sentence; a notice names the replay and offers the way back', async () => {
	const { replay } = await live();
	await userEvent.keyboard('r');
	await userEvent.keyboard('r');
	expect(replay.asked).toEqual(['last', 'last']);
	replay.store.setState({ row: 't0' });
	await expect.element(page.getByText('Playing it again. The live voice waits.')).toBeVisible();
	expect(await axeFindings()).toEqual([]);
	replay.store.setState({ row: null, catchingUp: true });
	await expect.element(page.getByText(/^Catching up on what was said/)).toBeVisible();
	await userEvent.click(page.getByRole('button', { name: 'Back to live' }));
	expect(replay.asked.at(-1)).toBe('stop');
	await expect.element(page.getByText(/^Catching up on what was said/)).not.toBeInTheDocument();
});

const minute = page.getByRole('dialog', { name: 'The last minute in large text' });

test('the key held shows the last minute in large letters as long as it is down, and plays nothing', async () => {
	const { conversation, replay } = await live();
	conversation.putRow(timed(captionRow(0, ['en', 'long ago'], [['es', 'hace mucho']]), 1000), 0);
	conversation.putRow(timed(captionRow(1, ['en', 'a minute ago'], [['es', 'hace un minuto']]), 30_000), 1);
	conversation.putRow(timed(captionRow(2, ['en', 'now'], [['es', 'ahora']]), 90_000), 2);
	await userEvent.keyboard('{r>}');
	await expect.element(minute.getByText('ahora')).toBeVisible();
	await expect.element(minute.getByText('hace un minuto')).toBeVisible();
	expect(minute.getByText('hace mucho').elements()).toHaveLength(0);
	expect(await axeFindings()).toEqual([]);
	// The system repeats a held key.
	await userEvent.keyboard('{r>}');
	conversation.putRow(timed(captionRow(3, ['en', 'and then'], [['es', 'y luego']]), 91_000), 3);
	await expect.element(minute.getByText('y luego')).toBeVisible();
	await userEvent.keyboard('{/r}');
	await expect.element(minute).not.toBeInTheDocument();
	expect(replay.asked).toEqual([]);
	await userEvent.keyboard('r');
	expect(replay.asked).toEqual(['last']);
});

test('it ends when the window loses the keyboard, and a key that is written stays a letter', async () => {
	const { replay } = await live();
	await userEvent.keyboard('{r>}');
	await expect.element(minute.getByText('Nothing has been said yet.')).toBeVisible();
	window.dispatchEvent(new Event('blur'));
	await expect.element(minute).not.toBeInTheDocument();
	await userEvent.keyboard('{/r}');
	expect(replay.asked).toEqual([]);
	const box = document.createElement('input');
	document.body.append(box);
	box.focus();
	await userEvent.keyboard('r');
	expect([box.value, replay.asked]).toEqual(['r', []]);
	box.remove();
});

test('in a meeting it is what the others said, in my language', async () => {
	const shown = await renderWindow(createFakeWindow({ settings: { mode: 'meeting' } }));
	shown.legs.names.setState(['outgoing', 'incoming'], true);
	shown.conversation.show({ phase: 'live', liveSinceMs: 0 });
	shown.conversation.putRow(captionRow(0, ['en', 'mine'], [['es', 'lo mío']]), 0);
	shown.conversation.putRow({ ...captionRow(1, ['ar', 'كلامهم'], [['en', 'theirs']]), leg: 'incoming' }, 1);
	await userEvent.keyboard('{r>}');
	await expect.element(minute.getByText('theirs')).toBeVisible();
	expect(minute.getByText(/mine|lo mío/).elements()).toHaveLength(0);
	await userEvent.keyboard('{/r}');
});

test('without a key: a button plays the last sentence, and More shows the last minute until it is closed', async () => {
	const { conversation, replay } = await live();
	conversation.putRow(captionRow(0, ['en', 'first'], [['ar', 'أولًا']]), 0);
	await expect.element(page.getByText('أولًا').first()).toBeVisible();
	const again = page.getByRole('button', { name: 'Replay the last sentence' });
	expect(again.elements()).toHaveLength(0);
	replay.keep('t0');
	await again.click();
	expect(replay.asked).toEqual(['last']);
	await page.getByRole('button', { name: 'More' }).click();
	await page.getByRole('menuitem', { name: 'The last minute in large text' }).click();
	const text = minute.getByText('أولًا');
	await expect.element(text).toBeVisible();
	expect([text.element().getAttribute('dir'), text.element().getAttribute('lang')]).toEqual(['rtl', 'ar']);
	expect(Number.parseFloat(getComputedStyle(text.element()).fontSize)).toBeGreaterThanOrEqual(40);
	await minute.getByRole('button', { name: 'Close' }).click();
	await expect.element(minute).not.toBeInTheDocument();
});

test('main has it done as well: menu and global key', async () => {
	const { replay, announce } = await live();
	announce('command.run', { command: 'replay' });
	expect(replay.asked).toEqual(['last']);
});

test('where there is nothing it is said, until it was read', async () => {
	const { replay } = await live();
	replay.store.setState({ nothing: true });
	await expect.element(page.getByText(/^There is nothing to replay/)).toBeVisible();
	await userEvent.click(page.getByRole('button', { name: 'Dismiss' }));
	await expect.element(page.getByText(/^There is nothing to replay/)).not.toBeInTheDocument();
});

test('each row whose voice is kept can be heard again, no other', async () => {
	const { conversation, replay } = await live();
	conversation.putRow(captionRow(0, ['en', 'first'], [['es', 'primero']]), 0);
	conversation.putRow(captionRow(1, ['en', 'second'], [['es', 'segundo']]), 1);
	await expect.element(page.getByText('segundo').first()).toBeVisible();
	const again = page.getByRole('button', { name: 'Replay this' });
	expect(again.elements()).toHaveLength(0);
	replay.keep('t1');
	await expect.poll(() => again.elements().length).toBe(1);
	(again.element() as HTMLElement).focus();
	await userEvent.keyboard('{Enter}');
	expect(replay.asked).toEqual(['t1']);
});
