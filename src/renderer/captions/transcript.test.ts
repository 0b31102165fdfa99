import { expect, test } from 'vitest';
import { createStore } from 'zustand/vanilla';
import type { CaptionsView } from '#renderer/conversation/conversation.ts';
import { captionRow, createFakeConversation } from '#test/support/fake-conversation.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createMergedCaptions } from './merged-captions.ts';
import { createTranscript } from './transcript.ts';

/** One direction, fed by the test, and both merged as the window shows them. */
function rig() {
	let said: readonly string[] = [];
	const cleared: string[] = [];
	const store = createStore(() => ({ version: 0, rows: 0 }));
	const say = (...next: readonly string[]) => {
		said = next;
		store.setState(({ version }) => ({ version: version + 1, rows: said.length }));
	};
	const leg: CaptionsView = {
		store,
		row: (index) => (said[index] === undefined ? undefined : captionRow(index, ['en', said[index]], [])),
		finals: () => said.flatMap((text, index) => captionRow(index, ['en', text], []).source ?? []),
		clear() {
			cleared.push('outgoing');
			say();
		},
	};
	const silent = { ...leg, store: createStore(() => ({ version: 0, rows: 0 })), finals: () => [] };
	const merged = createMergedCaptions({ outgoing: leg, incoming: silent });
	merged.show(['outgoing']);
	const conversation = createFakeConversation();
	const clock = createManualClock();
	const transcript = createTranscript(merged, conversation, clock);
	const shown = () =>
		Array.from(
			{ length: transcript.store.getState().rows },
			(_, index) => transcript.row(index)?.source?.text,
		);
	const away = () => transcript.store.getState().away === true;
	return { say, cleared, merged, transcript, shown, away, conversation, clock };
}

test('what is put away is not shown, not saved and not forgotten, and comes back as it was', () => {
	const { say, cleared, transcript, shown, away } = rig();
	say('Good morning.', 'Any questions?');
	transcript.putAway();
	expect([shown(), away(), transcript.row(0), transcript.finals()]).toEqual([[], true, undefined, []]);
	expect(cleared).toEqual([]);
	transcript.bringBack();
	expect([shown(), away()]).toEqual([['Good morning.', 'Any questions?'], false]);
	expect(transcript.finals()).toHaveLength(2);
});

test('where nothing was said there is nothing to put away', () => {
	const { transcript, away } = rig();
	transcript.putAway();
	expect(away()).toBe(false);
});

test('a Start that fails leaves the way back, one that succeeds takes the place', () => {
	const { say, merged, transcript, shown, away } = rig();
	say('Good morning.');
	transcript.putAway();
	// Start: earlier captions are held, and the direction begins anew.
	merged.hold();
	merged.show(['outgoing']);
	say();
	expect([shown(), away()]).toEqual([[], true]);
	// The start failed.
	transcript.bringBack();
	expect(shown()).toEqual(['Good morning.']);

	transcript.putAway();
	merged.hold();
	merged.release();
	expect([shown(), away()]).toEqual([[], false]);
	say('Hello.');
	expect(shown()).toEqual(['Hello.']);
	transcript.bringBack();
	expect(shown()).toEqual(['Hello.']);
});

test('the first word of the next conversation is shown, also where it comes before all is live', () => {
	const { say, merged, transcript, shown, away } = rig();
	say('Good morning.', 'Any questions?');
	transcript.putAway();
	merged.hold();
	say();
	say('Hello.');
	expect([shown(), away()]).toEqual([['Hello.'], false]);
});

test('what is cleared meanwhile does not come back', () => {
	const { say, transcript, away } = rig();
	say('Good morning.');
	transcript.putAway();
	transcript.clear();
	expect(away()).toBe(false);
});

test('a correction of what is put away does not bring it back', () => {
	const { say, transcript, shown } = rig();
	say('Good morning, Anna.');
	transcript.putAway();
	say('Good morning, Ana.');
	expect(shown()).toEqual([]);
	transcript.bringBack();
	expect(shown()).toEqual(['Good morning, Ana.']);
});

test('when the conversation began is known after it has ended, until another is live', () => {
	const { conversation, clock, transcript } = rig();
	expect(transcript.beganAt()).toBeNull();
	const firstAt = clock.wall() + 500;
	clock.advance(2000);
	conversation.show({ phase: 'live', liveSinceMs: 500 });
	conversation.show({ phase: 'idle' });
	expect(transcript.beganAt()).toBe(firstAt);
	clock.advance(60_000);
	conversation.show({ phase: 'connecting' });
	expect(transcript.beganAt()).toBe(firstAt);
	conversation.show({ phase: 'live', liveSinceMs: clock.now() });
	expect(transcript.beganAt()).toBe(clock.wall());
});
