import { expect, test, vi } from 'vitest';
import { silentLogger } from '#shared/lib/log.ts';
import { ok } from '#shared/lib/result.ts';
import type { Settings } from '#shared/settings/schema.ts';
import { captionRow } from '#test/support/fake-conversation.ts';
import { createFakeWindow, type FakeMain } from '#test/support/fake-window.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { followLive } from './follow-live.ts';
import type { Unsent } from './unsent-speech.ts';

const engine = { use: () => () => {} };
const unheard = { engine, keepBy: () => () => {} } as unknown as Unsent;
const noVoices = {
	unsent: { outgoing: unheard, incoming: unheard },
	receiver: { expect: () => () => {} },
	mixers: [],
};

const MINUTE = 60_000;

async function live(settings: Partial<Settings>, answers: FakeMain['answers'] = {}) {
	const clock = createManualClock();
	const shown = createFakeWindow({ clock, settings, answers });
	await shown.ready;
	followLive(shown.parts, silentLogger, noVoices);
	const { conversation, legs } = shown;
	/** The conversation is live, and so are its directions. */
	async function start(): Promise<void> {
		conversation.show({ phase: 'preparing' });
		for (const one of [conversation, legs.outgoing.conversation, legs.incoming.conversation])
			one.show({ phase: 'live', liveSinceMs: clock.now(), countingSinceMs: clock.now() });
		await clock.run(0);
	}
	async function stop(): Promise<void> {
		for (const one of [conversation, legs.outgoing.conversation, legs.incoming.conversation])
			one.show({ phase: 'idle' });
		await clock.run(10_000);
	}
	const calls = (name: string) => conversation.calls.filter(([called]) => called === name);
	return { ...shown, clock, start, stop, calls };
}

test.each(['solo', 'listen', 'face', 'captions', 'meeting'] as const)(
	'whose turn it is is shown in a meeting alone, in each of two conversations: %s',
	async (mode) => {
		const { parts, legs, clock, start, stop } = await live({ mode });
		for (let time = 0; time < 2; time += 1) {
			await start();
			for (const name of ['outgoing', 'incoming'] as const) {
				const { conversation } = legs[name];
				const signs: string[] = [];
				const unlisten = parts.turnSigns.subscribe((view) => signs.push(view[name]));
				conversation.putRow(captionRow(time, ['en', 'Hello.'], [['es', 'Hola.']]));
				conversation.store.setState({ voiceActive: true });
				await clock.run(1000);
				conversation.store.setState({ voiceActive: false });
				await clock.run(10_000);
				unlisten();
				const changes = signs.filter((sign, at) => sign !== signs[at - 1]);
				expect(changes).toEqual(mode === 'meeting' ? ['still', 'turn', 'none'] : []);
			}
			await stop();
		}
	},
);

test('the opening sentence is said once in each meeting where it was chosen, and nowhere else', async () => {
	const { parts, calls, conversation, start, stop } = await live({ mode: 'meeting', callOpening: true });
	for (let meeting = 1; meeting <= 2; meeting += 1) {
		await start();
		await vi.waitFor(() => expect(calls('say')).toHaveLength(meeting));
		// Neither a pause nor a reconnection is a beginning.
		conversation.store.setState({ paused: true });
		conversation.store.setState({ paused: false });
		conversation.store.setState({ phase: 'reconnecting' });
		conversation.store.setState({ phase: 'live' });
		await stop();
	}
	for (const other of [{ mode: 'solo' }, { mode: 'meeting', callOpening: false }] as const) {
		await parts.settings.write(other);
		await start();
		await stop();
	}
	await import('#shared/i18n/opening-lines.json');
	expect(calls('say')).toHaveLength(2);
});

test('pauses a silent conversation, also the second time, and shows why', async () => {
	const { parts, calls, clock, conversation, start } = await live({ pauseWhenQuietS: 600 });
	await start();
	for (let time = 1; time <= 2; time += 1) {
		await clock.run(10 * MINUTE - 1);
		expect([calls('pause').length, parts.quiet.getState().quietMs]).toEqual([time - 1, null]);
		await clock.run(1);
		expect([calls('pause').length, parts.quiet.getState().quietMs]).toEqual([time, 600_000]);
		conversation.store.setState({ paused: true });
		conversation.store.setState({ paused: false });
		expect(parts.quiet.getState().quietMs).toBeNull();
	}
	// While guests read along it runs on.
	const guests = {
		revision: 9,
		sharing: true,
		addresses: ['http://10.0.0.5:1/a/'],
		guests: 1,
		listening: [],
	};
	parts.guests.store.setState(guests);
	await clock.run(30 * MINUTE);
	expect(calls('pause')).toHaveLength(2);
	parts.guests.store.setState({ ...guests, guests: 0 });
	await clock.run(10 * MINUTE);
	expect(calls('pause')).toHaveLength(3);
});

test('the credit that each conversation uses is asked of main and shown', async () => {
	let credits = 100;
	const { parts, asked, clock, start, stop } = await live(
		{},
		{
			'account.balance': () => ok({ credits, usd: null }),
		},
	);
	const questions = () => asked.filter(([name]) => name === 'account.balance').length;
	for (let time = 1; time <= 2; time += 1) {
		await start();
		expect([questions(), parts.creditUse.getState().used]).toEqual([3 * time - 2, null]);
		credits -= 2;
		await clock.run(5 * MINUTE);
		expect(parts.creditUse.getState().used).toEqual({ credits: 2, usd: null });
		await stop();
		expect(questions()).toBe(3 * time);
	}
});
