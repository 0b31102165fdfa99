import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
	HEARD_ANYWHERE,
	initialTalk,
	isTalkOpen,
	passesRaw,
	pressedBy,
	stepTalk,
	type TalkEvent,
	type TalkMode,
	type TalkState,
	TRAIL_MS,
	talkDueMs,
} from './push-to-talk.ts';

const modes: readonly TalkMode[] = ['open', 'push-to-talk', 'push-to-mute', 'push-to-translate'];
const live = (mode: TalkMode) => stepTalk(initialTalk(mode), { type: 'running', running: true }, 0);

/** Events one millisecond apart, from 0. */
function after(mode: TalkMode, ...events: readonly TalkEvent[]): TalkState {
	return events.reduce((state, event, index) => stepTalk(state, event, index), live(mode));
}

const down: TalkEvent = { type: 'down', by: 'KeyT' };
const up: TalkEvent = { type: 'up', by: 'KeyT' };

test('push to talk: closed until held, open a moment longer than held', () => {
	expect(isTalkOpen(live('push-to-talk'))).toBe(false);
	expect(isTalkOpen(after('push-to-talk', down))).toBe(true);
	const trailing = after('push-to-talk', down, up);
	expect(isTalkOpen(trailing)).toBe(true);
	expect(talkDueMs(trailing)).toBe(1 + TRAIL_MS);
	expect(isTalkOpen(stepTalk(trailing, { type: 'tick' }, TRAIL_MS))).toBe(true);
	expect(isTalkOpen(stepTalk(trailing, { type: 'tick' }, 1 + TRAIL_MS))).toBe(false);
});

test('push to mute: open until held, and open again at once', () => {
	expect(isTalkOpen(live('push-to-mute'))).toBe(true);
	expect(isTalkOpen(after('push-to-mute', down))).toBe(false);
	expect(isTalkOpen(after('push-to-mute', down, up))).toBe(true);
});

test('what main tells of is held on when the window loses the keyboard, and ends with a sleep', () => {
	const anywhere = (type: 'down' | 'up'): TalkEvent => ({ type, by: HEARD_ANYWHERE });
	const both = after('push-to-talk', down, anywhere('down'), { type: 'let-go' });
	expect(both.holds).toEqual([HEARD_ANYWHERE]);
	expect([isTalkOpen(both), both.trailingUntilMs]).toEqual([true, null]);
	expect(stepTalk(both, { type: 'let-go' }, 9)).toBe(both);
	expect(stepTalk(both, anywhere('up'), 9).trailingUntilMs).toBe(9 + TRAIL_MS);
	expect(isTalkOpen(stepTalk(both, { type: 'suspend' }, 9))).toBe(false);
});

test('push to translate: the own voice goes to the others exactly while the translation does not', () => {
	expect(passesRaw(live('push-to-translate'))).toBe(true);
	expect(passesRaw(after('push-to-translate', down))).toBe(false);
	expect(passesRaw(after('push-to-translate', down, up))).toBe(false);
	expect(passesRaw(after('push-to-translate', down, up, { type: 'let-go' }))).toBe(false);
	for (const mode of modes.slice(0, 3)) expect(passesRaw(after(mode, down))).toBe(false);
});

test('two sources hold together: it closes when the second lets go', () => {
	const pointer = 'pointer';
	const one = after('push-to-talk', down, { type: 'down', by: pointer }, up);
	expect([isTalkOpen(one), talkDueMs(one)]).toEqual([true, null]);
	expect(talkDueMs(stepTalk(one, { type: 'up', by: pointer }, 10))).toBe(10 + TRAIL_MS);
});

test('a toggle stays through the loss of the keyboard, a hold does not', () => {
	expect(pressedBy(after('push-to-talk', { type: 'toggle' }, { type: 'let-go' }))).toBe('toggled');
	expect(pressedBy(after('push-to-talk', down, { type: 'let-go' }))).toBe('no');
	expect(isTalkOpen(after('push-to-mute', { type: 'toggle' }, { type: 'suspend' }))).toBe(false);
});

test('nothing is pressed before a conversation runs, nor where the microphone is always open', () => {
	expect(stepTalk(initialTalk('push-to-talk'), down, 0).holds).toEqual([]);
	expect(after('open', down, { type: 'toggle' })).toEqual(live('open'));
});

const anyEvent: fc.Arbitrary<TalkEvent> = fc.oneof(
	fc.record({
		type: fc.constantFrom('down' as const, 'up' as const),
		by: fc.constantFrom('KeyT', 'pointer', 'button'),
	}),
	fc.constantFrom<TalkEvent>({ type: 'toggle' }, { type: 'let-go' }, { type: 'suspend' }, { type: 'tick' }),
	fc.record({ type: fc.constant('running' as const), running: fc.boolean() }),
	fc.record({ type: fc.constant('mode' as const), mode: fc.constantFrom(...modes) }),
);
const history = fc.array(fc.tuple(anyEvent, fc.nat(400)), { maxLength: 40 });

/** Runs events with the times between them, ticking when due, as the runner does. */
function run(mode: TalkMode, events: readonly (readonly [TalkEvent, number])[]): [TalkState, number] {
	let state = initialTalk(mode);
	let now = 0;
	for (const [event, gapMs] of events) {
		const due = talkDueMs(state);
		if (due !== null && due <= now + gapMs) state = stepTalk(state, { type: 'tick' }, due);
		now += gapMs;
		state = stepTalk(state, event, now);
	}
	return [state, now];
}

function closed(state: TalkState, now: number): boolean {
	const due = talkDueMs(state);
	if (due !== null && due > now + TRAIL_MS) return false;
	return !isTalkOpen(due === null ? state : stepTalk(state, { type: 'tick' }, due));
}

const opening = fc.constantFrom<TalkMode>('push-to-talk', 'push-to-translate');

test('never stuck open: after stop or sleep closed at once', () => {
	const end = fc.constantFrom<TalkEvent>({ type: 'suspend' }, { type: 'running', running: false });
	fc.assert(
		fc.property(opening, history, end, (mode, events, last) => {
			const [before, now] = run(mode, [...events, [{ type: 'mode', mode }, 1]]);
			expect(isTalkOpen(stepTalk(before, last, now))).toBe(false);
		}),
	);
});

test('never stuck open: without the keyboard a hold is over within the trail, whatever came before', () => {
	fc.assert(
		fc.property(opening, history, (mode, events) => {
			const [before, now] = run(mode, [...events, [{ type: 'mode', mode }, 1]]);
			const state = stepTalk(before, { type: 'let-go' }, now);
			expect(state.toggled || closed(state, now)).toBe(true);
		}),
	);
});

test('never stuck open: when everything pressed was let go it closes within the trail', () => {
	fc.assert(
		fc.property(opening, history, (mode, events) => {
			const [before, now] = run(mode, events);
			if (before.mode === 'open' || before.mode === 'push-to-mute') return;
			let state = before.toggled ? stepTalk(before, { type: 'toggle' }, now) : before;
			for (const by of state.holds) state = stepTalk(state, { type: 'up', by }, now);
			expect(closed(state, now)).toBe(true);
		}),
	);
});

test('speech is never translated and passed on as it is at the same time', () => {
	fc.assert(
		fc.property(fc.constantFrom(...modes), history, (mode, events) => {
			const [state] = run(mode, events);
			expect(passesRaw(state) && isTalkOpen(state)).toBe(false);
		}),
	);
});

test('what is told again changes nothing, and another mode lets everything go', () => {
	const held = after('push-to-talk', down);
	expect(stepTalk(held, { type: 'running', running: true }, 9)).toBe(held);
	expect(stepTalk(held, { type: 'mode', mode: 'push-to-talk' }, 9)).toBe(held);
	expect(stepTalk(held, { type: 'mode', mode: 'push-to-mute' }, 9)).toEqual(live('push-to-mute'));
	expect(pressedBy(held)).toBe('held');
	expect(pressedBy(live('push-to-talk'))).toBe('no');
});

test('where nothing is held to speak, the microphone is open, and nothing is passed on', () => {
	for (const state of [initialTalk('open'), live('open'), after('open', down)])
		expect([isTalkOpen(state), pressedBy(state), passesRaw(state)]).toEqual([true, 'no', false]);
});

test('what mutes does not trail, and stays toggled over a sleep, but not held', () => {
	const open = after('push-to-mute', down, up);
	expect([open.trailingUntilMs, talkDueMs(open)]).toEqual([null, null]);
	expect(after('push-to-mute', { type: 'toggle' }, down, { type: 'suspend' })).toEqual({
		...live('push-to-mute'),
		toggled: true,
	});
});
