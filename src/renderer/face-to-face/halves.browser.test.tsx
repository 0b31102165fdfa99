import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import type { Settings } from '#shared/settings/schema.ts';
import { createFakeWindow, type FakeWindow } from '#test/support/fake-window.ts';
import { renderWindow } from '#test/support/render-window.tsx';

const mine = page.getByRole('region', { name: 'Your half' });
const theirs = page.getByRole('region', { name: 'Your partner’s half' });

async function live(settings: Partial<Settings> = {}): Promise<FakeWindow> {
	const shown = await renderWindow(createFakeWindow({ settings: { mode: 'face', ...settings } }));
	shown.conversation.show({ phase: 'live', liveSinceMs: 0 });
	shown.turns.show({ cues: { me: 'ready', partner: 'ready' } });
	await expect.element(mine).toBeVisible();
	return shown;
}

test.each([
	['ask', 'Se elimina al terminar, salvo que la otra persona la guarde.'],
	['days', 'Su texto se guarda en este equipo.'],
] as const)('the partner is told what becomes of the text where the choice is %s', async (history, words) => {
	await live({ history });
	await expect.element(theirs.getByText(words, { exact: false })).toBeVisible();
	expect(theirs.getByText(/No se guarda nada/).query()).toBeNull();
});

test('tells the partner about the recording before it begins', async () => {
	const settings = { mode: 'face', history: 'erase' } as const;
	const shown = await renderWindow(createFakeWindow({ settings, recording: { state: 'armed' } }));
	shown.conversation.show({ phase: 'preparing' });
	await expect.element(theirs.getByText(/Se está grabando su sonido\./)).toBeVisible();
	expect(theirs.getByText(/No se guarda nada/).query()).toBeNull();
});

test('between the halves it is paused, and goes on', async () => {
	const { conversation } = await live();
	await page.getByRole('button', { name: 'Pause', exact: true }).click();
	expect(conversation.calls.at(-1)).toEqual(['pause']);
	conversation.show({ phase: 'live', liveSinceMs: 0, paused: true });
	await page.getByRole('button', { name: 'Resume', exact: true }).click();
	expect(conversation.calls.at(-1)).toEqual(['resume']);
});

test('a direction that has ended is not offered again during a pause', async () => {
	const { conversation, legs } = await live();
	legs.names.setState(['outgoing', 'incoming'], true);
	legs.outgoing.conversation.show({ phase: 'live', paused: true });
	legs.incoming.conversation.show({ phase: 'failed', problem: { kind: 'connection-lost', reason: '' } });
	conversation.show({ phase: 'live', liveSinceMs: 0 });
	const again = page.getByRole('button', { name: 'Try again' });
	await expect.element(again).toBeVisible();
	conversation.show({ phase: 'live', liveSinceMs: 0, paused: true });
	await expect.element(again).not.toBeInTheDocument();
	await expect.element(page.getByRole('alert').first()).toBeVisible();
	conversation.show({ phase: 'live', liveSinceMs: 0 });
	await again.click();
	expect(legs.incoming.calls).toEqual([['again']]);
});

test('a finger that rests on the button opens no menu', async () => {
	await live();
	const menu = new MouseEvent('contextmenu', { bubbles: true, cancelable: true });
	mine.getByTestId('talk-me').element().dispatchEvent(menu);
	expect(menu.defaultPrevented).toBe(true);
});

test('the soft sound is heard once in a turn, the partner’s as well', async () => {
	const shown = createFakeWindow({ settings: { mode: 'face', faceCue: true } });
	let played = 0;
	const play = shown.parts.sound.play;
	Object.assign(shown.parts.sound, {
		play(...given: Parameters<typeof play>) {
			played++;
			return play(...given);
		},
	});
	await renderWindow(shown);
	shown.conversation.show({ phase: 'live' });
	await expect.element(theirs).toBeVisible();
	shown.turns.show({ cues: { me: 'ready', partner: 'your-turn' } });
	expect(played).toBe(1);
	shown.turns.show({ pressed: { me: 'no', partner: 'held' } });
	expect(played).toBe(1);
});
