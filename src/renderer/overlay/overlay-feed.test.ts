import { expect, test } from 'vitest';
import { createStore } from 'zustand/vanilla';
import type { TurnSigns } from '#renderer/calls/turn-sign.ts';
import { createGuestsMirror } from '#renderer/guests/guests-mirror.ts';
import type { SettingsView } from '#renderer/settings/settings-mirror.ts';
import { ok } from '#shared/lib/result.ts';
import { OverlayFrame } from '#shared/overlay/frames.ts';
import { defaultSettings, type Settings } from '#shared/settings/schema.ts';
import { captionRow, createFakeConversation } from '#test/support/fake-conversation.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { FEED_EVERY_MS, feedOverlay } from './overlay-feed.ts';

function start(shown: boolean) {
	const clock = createManualClock();
	const { captions, putRow } = createFakeConversation();
	const spoken = createStore<{ readonly lit: readonly string[] }>()(() => ({ lit: [] }));
	const turnSigns: TurnSigns = createStore(() => ({ outgoing: 'none', incoming: 'none' }));
	const guests = createGuestsMirror({ ask: async () => ok() as never, listen: () => () => {} });
	const valuesWith = (on: boolean, audience = false): Settings => ({
		...defaultSettings,
		overlay: { ...defaultSettings.overlay, shown: on },
		audienceOverlay: { ...defaultSettings.audienceOverlay, shown: audience },
	});
	const store = createStore<SettingsView>()(() => ({
		loaded: true,
		values: valuesWith(shown),
		origins: {},
		sources: {},
		problem: null,
	}));
	const sent: OverlayFrame[] = [];
	const waiting: (() => void)[] = [];
	let isSlow = false;
	const stop = feedOverlay({
		host: {
			async ask(_name, input) {
				sent.push(input as OverlayFrame);
				if (isSlow) await new Promise<void>((done) => waiting.push(done));
				return ok() as never;
			},
		},
		clock,
		settings: { store },
		guests,
		captions,
		spoken,
		turnSigns,
	});
	return {
		clock,
		spoken,
		turnSigns,
		sent,
		stop,
		hold: (held: boolean) => captions.store.setState({ held }),
		share: (sharing: boolean) => guests.store.setState({ sharing }),
		say: (id: number) => putRow(captionRow(id, ['en', `said ${id}`], [['es', `dicho ${id}`]])),
		clear: () => captions.clear(),
		show: (on: boolean, audience?: boolean) => store.setState({ values: valuesWith(on, audience) }),
		slow(on: boolean) {
			isSlow = on;
			for (const done of waiting.splice(0)) done();
		},
	};
}

test('nothing is sent while it is not shown; shown, it has at once what there is', async () => {
	const { clock, sent, say, show } = start(false);
	say(0);
	await clock.run(1000);
	expect(sent).toEqual([]);
	show(true);
	await clock.run(FEED_EVERY_MS);
	expect(sent.at(-1)?.rows).toHaveLength(1);
	show(false);
	say(1);
	await clock.run(1000);
	expect(sent).toHaveLength(1);
});

test('one shown beside the other has at once what there is; either alone is fed', async () => {
	const { clock, sent, say, show } = start(true);
	say(0);
	await clock.run(1000);
	expect(sent).toHaveLength(1);
	show(true, true);
	await clock.run(1000);
	expect(sent).toHaveLength(2);
	show(false, true);
	say(1);
	await clock.run(1000);
	expect(sent).toHaveLength(3);
	show(false, false);
	say(2);
	await clock.run(1000);
	expect(sent).toHaveLength(3);
});

test('guests alone are fed, too, at once with what there is, and no longer than that', async () => {
	const { clock, sent, say, share } = start(false);
	say(0);
	share(true);
	await clock.run(FEED_EVERY_MS);
	expect(sent.at(-1)?.rows).toHaveLength(1);
	share(false);
	say(1);
	await clock.run(1000);
	expect(sent).toHaveLength(1);
});

test('captions of the previous conversation are marked, because guests must not have them', async () => {
	const { clock, sent, say, hold } = start(true);
	say(0);
	hold(true);
	await clock.run(FEED_EVERY_MS);
	expect(sent.at(-1)).toMatchObject({ held: true, rows: [{}] });
	expect(OverlayFrame.safeParse(sent.at(-1))).toMatchObject({ success: true, data: { held: true } });
	hold(false);
	await clock.run(FEED_EVERY_MS);
	expect(sent).toHaveLength(2);
	expect(sent.at(-1)).not.toHaveProperty('held');
});

test('captions that were cleared or replaced are counted, though others come before the next message', async () => {
	const { clock, sent, say, clear, hold, share } = start(false);
	share(true);
	say(0);
	await clock.run(FEED_EVERY_MS);
	expect(sent.at(-1)).toMatchObject({ begun: 0, rows: [{ key: 't0' }] });
	clear();
	say(1);
	await clock.run(FEED_EVERY_MS);
	expect(sent.at(-1)).toMatchObject({ begun: 1, rows: [{ key: 't1' }] });
	hold(true);
	say(2);
	hold(false);
	await clock.run(FEED_EVERY_MS);
	expect(sent.at(-1)).toMatchObject({ begun: 2, rows: [{ key: 't1' }, { key: 't2' }] });
	expect(OverlayFrame.safeParse(sent.at(-1))).toMatchObject({ success: true, data: { begun: 2 } });
	// Nothing is gone that was never there, and what follows is not counted.
	say(3);
	await clock.run(FEED_EVERY_MS);
	expect(sent).toHaveLength(4);
	expect(sent.at(-1)?.begun).toBe(2);
});

test('however many captions come at once, one message goes', async () => {
	const { clock, sent, say } = start(true);
	for (let id = 0; id < 500; id++) say(id);
	await clock.run(FEED_EVERY_MS);
	expect(sent).toHaveLength(1);
	expect(sent[0]?.rows.at(-1)?.key).toBe('t499');
	await clock.run(1000);
	expect(sent).toHaveLength(1);
});

test('a slow main process is sent the newest state next, never a queue', async () => {
	const { clock, sent, say, slow } = start(true);
	slow(true);
	say(0);
	await clock.run(FEED_EVERY_MS);
	for (let id = 1; id < 50; id++) {
		say(id);
		await clock.run(FEED_EVERY_MS);
	}
	expect(sent).toHaveLength(1);
	slow(false);
	await clock.run(FEED_EVERY_MS);
	expect(sent).toHaveLength(2);
	expect(sent[1]?.rows.at(-1)?.key).toBe('t49');
});

test('which sentence is heard goes along, and at its end nothing is left running', async () => {
	const { clock, sent, say, spoken, stop } = start(true);
	say(0);
	spoken.setState({ lit: ['t0'] });
	await clock.run(FEED_EVERY_MS);
	expect(sent.at(-1)?.rows[0]?.lit).toBe(true);
	say(1);
	stop();
	expect(clock.pending).toBe(0);
});

test('whose voice still speaks goes along, mine first, and then whose turn it is', async () => {
	const { clock, sent, turnSigns } = start(true);
	const turns: unknown[] = [];
	for (const [outgoing, incoming] of [
		...[['none', 'still'] as const, ['still', 'still'] as const, ['turn', 'still'] as const],
		...[['turn', 'turn'] as const, ['turn', 'none'] as const, ['none', 'none'] as const],
	]) {
		turnSigns.setState({ outgoing, incoming });
		await clock.run(FEED_EVERY_MS);
		turns.push(sent.at(-1)?.turn);
	}
	expect(turns).toEqual([...['theirs-speaks', 'mine-speaks', 'theirs-speaks', 'mine', 'theirs', undefined]]);
	expect(OverlayFrame.safeParse(sent.at(-2)).success).toBe(true);
});
