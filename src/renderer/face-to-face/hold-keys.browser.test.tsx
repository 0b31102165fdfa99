import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { createFakeWindow, type FakeWindow } from '#test/support/fake-window.ts';
import { renderWindow } from '#test/support/render-window.tsx';

const mine = page.getByRole('region', { name: 'Your half' });
const theirs = page.getByRole('region', { name: 'Your partner’s half' });

async function live(): Promise<FakeWindow> {
	const shown = await renderWindow(createFakeWindow({ settings: { mode: 'face' } }));
	shown.conversation.show({ phase: 'live', liveSinceMs: 0 });
	shown.turns.show({ cues: { me: 'ready', partner: 'ready' } });
	await expect.element(mine).toBeVisible();
	return shown;
}

/** A frame in which something would be drawn, and one after it. */
const twoFrames = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));

test.each(['metaKey', 'altKey'] as const)(
	'a key of a half pressed with another is not its own: %s',
	async (other) => {
		const { turns } = await live();
		window.dispatchEvent(new KeyboardEvent('keydown', { code: 'KeyF', key: 'f', [other]: true }));
		expect(turns.calls).toEqual([]);
	},
);

test('a direction that ends, or comes back, while the other is spoken into by its key cuts nobody off', async () => {
	const { conversation, legs, turns } = await live();
	legs.names.setState(['outgoing', 'incoming'], true);
	for (const one of [legs.outgoing.conversation, legs.incoming.conversation, conversation])
		one.show({ phase: 'live' });
	const button = theirs.getByTestId('talk-partner');
	await userEvent.keyboard('{f>}');
	legs.incoming.conversation.show({ phase: 'failed', problem: { kind: 'connection-lost', reason: '' } });
	await expect.element(button).toHaveAttribute('aria-disabled', 'true');
	await twoFrames();
	legs.incoming.conversation.show({ phase: 'live' });
	await expect.element(button).toHaveAttribute('aria-disabled', 'false');
	await twoFrames();
	expect(turns.calls).toEqual([['down', 'me']]);
	await userEvent.keyboard('{/f}');
	expect(turns.calls).toEqual([
		['down', 'me'],
		['up', 'me'],
	]);
	// The keys follow what has become of their direction.
	await userEvent.keyboard('{j>}{/j}');
	expect(turns.calls.slice(2)).toEqual([
		['down', 'partner'],
		['up', 'partner'],
	]);
});

test('on a Mac a key that comes up while Cmd is down ends with Cmd, because nothing tells of the letter', async () => {
	const { turns } = await live();
	window.dispatchEvent(new KeyboardEvent('keydown', { key: 'f', code: 'KeyF' }));
	window.dispatchEvent(new KeyboardEvent('keydown', { key: 'Meta', code: 'MetaLeft', metaKey: true }));
	window.dispatchEvent(new KeyboardEvent('keyup', { key: 'Meta', code: 'MetaLeft' }));
	expect(turns.calls).toEqual([
		['down', 'me'],
		['up', 'me'],
	]);
});

test('behind a dialog no key opens a microphone', async () => {
	const { parts, turns } = await live();
	parts.navigation.showShortcuts(true);
	const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
	await expect.element(dialog).toBeVisible();
	await userEvent.keyboard('fj');
	expect(turns.calls).toEqual([]);
	parts.navigation.showShortcuts(false);
	await expect.element(dialog).not.toBeInTheDocument();
	await userEvent.keyboard('f');
	expect(turns.calls).toEqual([
		['down', 'me'],
		['up', 'me'],
	]);
});
