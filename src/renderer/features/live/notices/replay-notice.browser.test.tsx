import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { captionRow } from '#test/support/fake-conversation.ts';
import { createFakeWindow } from '#test/support/fake-window.ts';
import { axeFindings, renderWindow } from '#test/support/render-window.tsx';

async function live() {
	const shown = await renderWindow(createFakeWindow());
	shown.conversation.show({ phase: 'live', liveSinceMs: 0 });
	return shown;
}

test('a key hears the last sentence again; what is heard is said, and the way back', async () => {
	const { replay } = await live();
	await userEvent.keyboard('r');
	await userEvent.keyboard('r');
	expect(replay.asked).toEqual(['last', 'last']);
	replay.store.setState({ row: 't0' });
	await expect.element(page.getByText('You hear it again. The live voice waits.')).toBeVisible();
	expect(await axeFindings()).toEqual([]);
	replay.store.setState({ row: null, catchingUp: true });
	await expect.element(page.getByText(/^Now what was said meanwhile/)).toBeVisible();
	await userEvent.click(page.getByRole('button', { name: 'Back to live' }));
	expect(replay.asked.at(-1)).toBe('stop');
	await expect.element(page.getByText(/^Now what was said meanwhile/)).not.toBeInTheDocument();
});

test('main has it done as well: menu and global key', async () => {
	const { replay, announce } = await live();
	announce('command.run', { command: 'replay' });
	expect(replay.asked).toEqual(['last']);
});

test('where there is nothing it is said, until it was read', async () => {
	const { replay } = await live();
	replay.store.setState({ nothing: true });
	await expect.element(page.getByText(/^There is nothing to hear again/)).toBeVisible();
	await userEvent.click(page.getByRole('button', { name: 'Dismiss' }));
	await expect.element(page.getByText(/^There is nothing to hear again/)).not.toBeInTheDocument();
});

test('each row whose voice is kept can be heard again, no other', async () => {
	const { conversation, replay } = await live();
	conversation.putRow(captionRow(0, ['en', 'first'], [['es', 'primero']]), 0);
	conversation.putRow(captionRow(1, ['en', 'second'], [['es', 'segundo']]), 1);
	await expect.element(page.getByText('segundo').first()).toBeVisible();
	const again = page.getByRole('button', { name: 'Hear this again' });
	expect(again.elements()).toHaveLength(0);
	replay.keep('t1');
	await expect.poll(() => again.elements().length).toBe(1);
	(again.element() as HTMLElement).focus();
	await userEvent.keyboard('{Enter}');
	expect(replay.asked).toEqual(['t1']);
});
