import { expect, test } from 'vitest';
import { createStore } from 'zustand/vanilla';
import { defaultSettings, type Settings } from '#shared/settings/schema.ts';
import { captionRow, createFakeConversation, lostRow } from '#test/support/fake-conversation.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { followQuiet } from './pause-when-quiet.ts';
import type { TalkView } from './push-to-talk.ts';

const MINUTE = 60_000;

function rig(given: Partial<Settings> = {}) {
	const clock = createManualClock();
	const conversation = createFakeConversation(clock);
	const settings = { store: createStore(() => ({ values: { ...defaultSettings, ...given } })) };
	const talk = {
		store: createStore<Pick<TalkView, 'mode' | 'pressed'>>(() => ({ mode: 'push-to-talk', pressed: 'no' })),
	};
	const guests = { store: createStore(() => ({ sharing: false, guests: 0 })) };
	const quiet = createStore<{ quietMs: number | null }>(() => ({ quietMs: null }));
	const end = followQuiet({ conversation, settings, talk, guests, clock, quiet });
	conversation.show({ phase: 'live' });
	const calls = () => conversation.calls.map(([name]) => name);
	const change = (values: Partial<Settings>) =>
		settings.store.setState(({ values: before }) => ({ values: { ...before, ...values } }));
	return { clock, conversation, change, talk, guests, quiet, calls, end };
}

test('a conversation in which nobody speaks pauses after half an hour, and not a moment before', () => {
	const { clock, calls, quiet } = rig();
	clock.advance(30 * MINUTE - 1);
	expect(calls()).toEqual([]);
	clock.advance(1);
	expect(calls()).toEqual(['pause']);
	expect(quiet.getState()).toEqual({ quietMs: 30 * MINUTE });
});

test('every spoken or typed word and every voice restart the wait', () => {
	const { clock, conversation, calls } = rig({ pauseWhenQuietS: 600 });
	clock.advance(9 * MINUTE);
	conversation.putRow(captionRow(0, ['en', 'Hello'], []));
	clock.advance(9 * MINUTE);
	conversation.show({ phase: 'live', voiceActive: true });
	clock.advance(9 * MINUTE);
	conversation.show({ phase: 'live', voiceActive: false });
	clock.advance(10 * MINUTE - 1);
	expect(calls()).toEqual([]);
	clock.advance(1);
	expect(calls()).toEqual(['pause']);
});

test('it waits neither while it is paused nor before it is live nor after it has ended', () => {
	const { clock, conversation, calls } = rig();
	for (const view of [
		{ phase: 'live', paused: true },
		{ phase: 'reconnecting' },
		{ phase: 'connecting' },
		{ phase: 'idle' },
	] as const) {
		conversation.show(view);
		clock.advance(40 * MINUTE);
	}
	expect(calls()).toEqual([]);
	conversation.show({ phase: 'live', liveSinceMs: clock.now() });
	clock.advance(29 * MINUTE);
	expect(calls()).toEqual([]);
});

test('never where it is switched off, or while captions are shown over other windows', () => {
	const off = rig({ pauseWhenQuietS: 0 });
	off.clock.advance(600 * MINUTE);
	expect(off.calls()).toEqual([]);
	const mine = rig({ overlay: { ...defaultSettings.overlay, shown: true } });
	mine.clock.advance(600 * MINUTE);
	expect(mine.calls()).toEqual([]);
	const shown = rig({ audienceOverlay: { ...defaultSettings.audienceOverlay, shown: true } });
	shown.clock.advance(600 * MINUTE);
	expect(shown.calls()).toEqual([]);
	// Closing the microphone shows that the user is present.
	shown.change({ audienceOverlay: { ...defaultSettings.audienceOverlay, shown: false } });
	shown.clock.advance(29 * MINUTE);
	expect(shown.calls()).toEqual([]);
	shown.clock.advance(MINUTE);
	expect(shown.calls()).toEqual(['pause']);
});

test('never while guests read along; when the last of them leaves, it counts anew', () => {
	const { clock, guests, calls } = rig();
	clock.advance(20 * MINUTE);
	guests.store.setState({ sharing: true });
	clock.advance(9 * MINUTE);
	guests.store.setState({ guests: 1 });
	clock.advance(600 * MINUTE);
	expect(calls()).toEqual([]);
	guests.store.setState({ guests: 2 });
	guests.store.setState({ guests: 0 });
	clock.advance(30 * MINUTE - 1);
	expect(calls()).toEqual([]);
	clock.advance(1);
	expect(calls()).toEqual(['pause']);
});

test('captions that are shared and read by nobody do not keep it running', () => {
	const { clock, guests, calls } = rig();
	clock.advance(20 * MINUTE);
	guests.store.setState({ sharing: true });
	clock.advance(10 * MINUTE);
	expect(calls()).toEqual(['pause']);
});

test('a changed limit counts from now, a changed something else does not', () => {
	const { clock, change, calls } = rig();
	clock.advance(20 * MINUTE);
	change({ pauseWhenQuietS: 300 });
	clock.advance(4 * MINUTE);
	change({ captionSize: 30 });
	clock.advance(MINUTE - 1);
	expect(calls()).toEqual([]);
	clock.advance(1);
	expect(calls()).toEqual(['pause']);
});

test('what is said of it goes with the pause; a press of the talk key resumes, but only a pause of this kind', () => {
	const { clock, conversation, talk, quiet, calls } = rig();
	const press = () => {
		talk.store.setState({ pressed: 'held' });
		talk.store.setState({ pressed: 'no' });
	};
	press();
	clock.advance(30 * MINUTE);
	conversation.show({ phase: 'live', paused: true });
	expect(quiet.getState().quietMs).toBe(30 * MINUTE);
	// No press: another choice of when the microphone is open.
	talk.store.setState({ mode: 'push-to-mute', pressed: 'held' });
	talk.store.setState({ mode: 'push-to-talk', pressed: 'no' });
	expect(calls()).toEqual(['pause']);
	press();
	expect(calls()).toEqual(['pause', 'resume']);
	conversation.show({ phase: 'live' });
	expect(quiet.getState().quietMs).toBeNull();
	conversation.show({ phase: 'live', paused: true });
	press();
	expect(calls()).toEqual(['pause', 'resume']);
});

test('a reconnection is not speech, a new conversation begins to wait anew', () => {
	const { clock, conversation, calls } = rig();
	conversation.show({ phase: 'live', liveSinceMs: 0 });
	clock.advance(20 * MINUTE);
	conversation.show({ phase: 'reconnecting', liveSinceMs: 0 });
	conversation.putRow(lostRow(0, 2000));
	clock.advance(9 * MINUTE);
	conversation.show({ phase: 'live', liveSinceMs: 0 });
	clock.advance(MINUTE - 1);
	expect(calls()).toEqual([]);
	clock.advance(1);
	expect(calls()).toEqual(['pause']);
	conversation.show({ phase: 'idle' });
	conversation.show({ phase: 'live', liveSinceMs: clock.now() });
	clock.advance(30 * MINUTE - 1);
	expect(calls()).toEqual(['pause']);
	clock.advance(1);
	expect(calls()).toEqual(['pause', 'pause']);
});

test('it does not pause while a voice speaks, however long', () => {
	const { clock, conversation, calls } = rig({ pauseWhenQuietS: 60 });
	conversation.show({ phase: 'live', voiceActive: true });
	clock.advance(10 * MINUTE);
	expect(calls()).toEqual([]);
	conversation.show({ phase: 'live' });
	clock.advance(MINUTE - 1);
	expect(calls()).toEqual([]);
	clock.advance(1);
	expect(calls()).toEqual(['pause']);
});

test('never while the call hears me untranslated, which no caption tells', () => {
	const { clock, change, calls } = rig({ mode: 'meeting', talk: 'push-to-translate' });
	clock.advance(600 * MINUTE);
	expect(calls()).toEqual([]);
	change({ talk: 'push-to-talk' });
	clock.advance(30 * MINUTE);
	expect(calls()).toEqual(['pause']);
	const alone = rig({ mode: 'solo', talk: 'push-to-translate' });
	alone.clock.advance(30 * MINUTE);
	expect(alone.calls()).toEqual(['pause']);
});

test.each([
	['its mute is taken off', 'open', true, 'no', 'no'],
	['push to mute lets it speak again', 'push-to-mute', false, 'toggled', 'no'],
	['the switch of push to talk is put on', 'push-to-talk', false, 'no', 'toggled'],
] as const)('whoever opens the microphone resumes it: %s', (_, mode, muted, before, after) => {
	const { clock, conversation, talk, calls } = rig();
	conversation.show({ phase: 'live', muted });
	talk.store.setState({ mode, pressed: before });
	clock.advance(30 * MINUTE);
	conversation.show({ phase: 'live', paused: true, muted });
	expect(calls()).toEqual(['pause']);
	talk.store.setState({ pressed: after });
	if (muted) conversation.show({ phase: 'live', paused: true });
	expect(calls()).toEqual(['pause', 'resume']);
});

test('whoever opens it just before the time is up is not cut off; letting go at Stop resumes nothing', () => {
	const { clock, conversation, talk, quiet, calls } = rig();
	clock.advance(29 * MINUTE);
	talk.store.setState({ pressed: 'held' });
	clock.advance(29 * MINUTE);
	expect(calls()).toEqual([]);
	clock.advance(MINUTE);
	expect(calls()).toEqual(['pause']);
	conversation.show({ phase: 'live', paused: true });
	talk.store.setState({ mode: 'push-to-mute', pressed: 'toggled' });
	conversation.store.setState({ phase: 'ending' });
	quiet.setState({ quietMs: MINUTE });
	talk.store.setState({ pressed: 'no' });
	expect(calls()).toEqual(['pause']);
});

test('one that was live before anybody watched is watched as well', () => {
	const clock = createManualClock();
	const conversation = createFakeConversation(clock);
	conversation.show({ phase: 'live' });
	const settings = { store: createStore(() => ({ values: defaultSettings })) };
	const talk = { store: createStore(() => ({ mode: 'open' as const, pressed: 'no' as const })) };
	const guests = { store: createStore(() => ({ guests: 0 })) };
	followQuiet({ conversation, settings, talk, guests, clock, quiet: createStore(() => ({ quietMs: null })) });
	clock.advance(30 * MINUTE);
	expect(conversation.calls).toEqual([['pause']]);
});

test('once ended it leaves no timer and hears nothing', () => {
	const { clock, conversation, end, calls } = rig();
	end();
	expect(clock.pending).toBe(0);
	conversation.show({ phase: 'idle' });
	conversation.show({ phase: 'live' });
	clock.advance(60 * MINUTE);
	expect(calls()).toEqual([]);
});
