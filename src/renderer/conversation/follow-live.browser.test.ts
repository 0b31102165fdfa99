import { expect, test } from 'vitest';
import { silentLogger } from '#shared/lib/log.ts';
import { createFakeWindow } from '#test/support/fake-window.ts';
import { followLive } from './follow-live.ts';
import type { Unsent } from './unsent-speech.ts';

const engine = { use: () => () => {} };
const unheard = { engine, keepBy: () => () => {} } as unknown as Unsent;
const noVoices = {
	unsent: { outgoing: unheard, incoming: unheard },
	receiver: { expect: () => () => {} },
	mixers: [],
};

/** Whether the browser would ask before it closes the window. */
function asks(): boolean {
	const closing = new Event('beforeunload', { cancelable: true });
	window.dispatchEvent(closing);
	return closing.defaultPrevented;
}

test('a browser window asks before it is closed while a conversation runs, each time, unless that is to stop it', async () => {
	const shown = createFakeWindow({ info: { shell: 'stand-in' } });
	followLive(shown.parts, silentLogger, noVoices);
	const { settings } = shown.parts;
	expect(asks()).toBe(false);
	shown.conversation.show({ phase: 'live', liveSinceMs: 0 });
	expect([asks(), asks()]).toEqual([true, true]);
	// A browser has no tray to keep it in.
	await settings.write({ closeLive: 'keep' });
	expect(asks()).toBe(true);
	await settings.write({ closeLive: 'stop' });
	expect(asks()).toBe(false);
	await settings.write({ closeLive: 'ask' });
	shown.conversation.show({ phase: 'idle' });
	expect(asks()).toBe(false);
});

test('in Electron main asks, and the page does not hold the window', () => {
	const shown = createFakeWindow({ info: { shell: 'electron' } });
	followLive(shown.parts, silentLogger, noVoices);
	shown.conversation.show({ phase: 'live', liveSinceMs: 0 });
	expect(asks()).toBe(false);
	shown.conversation.show({ phase: 'idle' });
});
