import { expect, test } from 'vitest';
import { createStore } from 'zustand/vanilla';
import { type ConversationView, idleView } from '#renderer/conversation/conversation.ts';
import type { MixerEvent } from '#renderer/sound/mixer.ts';
import type { CaptionRow } from '#shared/captions/segment.ts';
import type { Choices } from '#shared/conversation/choices.ts';
import { captionRow } from '#test/support/fake-conversation.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createRehearsal } from './rehearsal.ts';

function setUp(prepare?: () => Promise<void>) {
	const clock = createManualClock();
	const store = createStore<ConversationView>()(() => idleView);
	const rows = createStore(() => ({ version: 0, rows: 0 }));
	let row: CaptionRow | undefined;
	let started = 0;
	let stopped = 0;
	let spoken: (worked: boolean) => void = () => {};
	const toMixer = new Set<(event: MixerEvent) => void>();
	const captions = { store: rows, row: () => row, finals: () => [], clear() {} };
	const rehearsal = createRehearsal({
		clock,
		conversation: {
			store,
			captions,
			start() {
				started += 1;
				store.setState({ phase: 'preparing' });
			},
			async stopNow() {
				stopped += 1;
				store.setState({ phase: 'idle' });
			},
		},
		mixer: {
			listen(heard) {
				toMixer.add(heard);
				return () => void toMixer.delete(heard);
			},
		},
		...(prepare && { prepare }),
		say: () => new Promise((done) => (spoken = done)),
	});
	const mixerSays = (event: MixerEvent) => {
		for (const heard of [...toMixer]) heard(event);
	};
	return {
		clock,
		rehearsal,
		store,
		mixerSays,
		voice: (active: boolean) => mixerSays({ type: 'voice-active', active }),
		listeners: () => toMixer.size,
		started: () => started,
		stopped: () => stopped,
		spoken: (worked: boolean) => spoken(worked),
		said: () => {
			row = captionRow(0, ['en', 'Good morning.'], [['es', 'Buenos días.']]);
			rows.setState({ version: 1, rows: 1 });
		},
		view: () => rehearsal.store.getState(),
	};
}

const choices = {} as Choices;
const turns = async () => {
	for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
};

test('a phrase that goes the whole way passes, with the time of each step, and its conversation is ended', async () => {
	const { clock, rehearsal, store, voice, spoken, said, view, stopped, listeners } = setUp();
	const run = rehearsal.run(choices);
	clock.advance(900);
	store.setState({ phase: 'live' });
	clock.advance(600);
	await turns();
	clock.advance(2500);
	said();
	voice(true);
	clock.advance(1500);
	spoken(true);
	await turns();
	voice(false);
	await run;
	expect(view()).toMatchObject({ state: 'passed', reached: { connected: 900, said: 4000, heard: 2500 } });
	expect([stopped(), listeners()]).toEqual([1, 0]);
});

test('one that is left before it begins starts no conversation', async () => {
	const { promise, resolve } = Promise.withResolvers<void>();
	const { rehearsal, started, view } = setUp(() => promise);
	const run = rehearsal.run(choices);
	const stop = rehearsal.stop();
	resolve();
	await Promise.all([run, stop]);
	expect([started(), view().state]).toEqual([0, 'failed']);
});

test('one that stays away is waited for no longer than the limit, and the step is known', async () => {
	const { clock, rehearsal, store, spoken, view, stopped } = setUp();
	const run = rehearsal.run(choices);
	store.setState({ phase: 'live' });
	clock.advance(600);
	await turns();
	spoken(true);
	await turns();
	clock.advance(40_000);
	await run;
	expect(view()).toMatchObject({ state: 'failed', problem: null });
	expect(Object.keys(view().reached)).toEqual(['connected', 'said']);
	expect(stopped()).toBe(1);
});

test('stopped or refused, its conversation is ended all the same, and it can be run again', async () => {
	const { rehearsal, store, view, stopped } = setUp();
	const first = rehearsal.run(choices);
	await rehearsal.stop();
	await first;
	const second = rehearsal.run(choices);
	store.setState({ phase: 'failed', problem: { kind: 'api-key-rejected', status: 401 } });
	await second;
	expect(view()).toMatchObject({ state: 'failed', problem: { kind: 'api-key-rejected' } });
	expect(stopped()).toBe(2);
});

test('where the window may not play anything it fails at once with that reason', async () => {
	const { rehearsal, store, mixerSays, view, stopped } = setUp();
	void rehearsal.run(choices);
	store.setState({ phase: 'live' });
	mixerSays({ type: 'blocked' });
	await turns();
	expect(view()).toMatchObject({ state: 'failed', problem: { kind: 'output-blocked' } });
	expect(stopped()).toBe(1);
});

test('a phrase that could not be played does not count as said, and nothing is waited for', async () => {
	const { clock, rehearsal, store, spoken, view, stopped } = setUp();
	void rehearsal.run(choices);
	store.setState({ phase: 'live' });
	clock.advance(600);
	await turns();
	spoken(false);
	await turns();
	expect(view()).toMatchObject({ state: 'failed', problem: null });
	expect([Object.keys(view().reached), stopped()]).toEqual([['connected'], 1]);
});
