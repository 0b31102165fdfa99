import { expect, test } from 'vitest';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createTalk } from './push-to-talk.ts';

test('a microphone that a press has opened is shut when the machine goes to sleep', () => {
	let suspend = () => {};
	const opened: boolean[] = [];
	const talk = createTalk({
		clock: createManualClock(),
		mode: () => 'push-to-talk',
		isRunning: () => true,
		listen: () => () => {},
		listenSuspend(suspended) {
			suspend = suspended;
			return () => {};
		},
		setOpen: (open) => void opened.push(open),
		setRaw() {},
	});
	talk.toggle();
	expect([opened.at(-1), talk.store.getState().pressed]).toEqual([true, 'toggled']);
	suspend();
	expect([opened.at(-1), talk.store.getState().pressed]).toEqual([false, 'no']);
});

/** Push to talk, in a conversation that runs. */
function pushToTalk() {
	const clock = createManualClock();
	const opened: boolean[] = [];
	const talk = createTalk({
		clock,
		mode: () => 'push-to-talk',
		isRunning: () => true,
		listen: () => () => {},
		listenSuspend: () => () => {},
		setOpen: (open) => void opened.push(open),
		setRaw() {},
	});
	return { clock, talk, isOpen: () => opened.at(-1), isTold: () => talk.store.getState().unheard };
}

test('a key that was let go shuts the microphone by itself, after the last syllable', () => {
	const { clock, talk, isOpen } = pushToTalk();
	talk.down('KeyJ');
	talk.up('KeyJ');
	clock.advance(249);
	expect([isOpen(), talk.store.getState().open]).toEqual([true, true]);
	clock.advance(1);
	expect([isOpen(), talk.store.getState().open]).toEqual([false, false]);
});

test('shows that speech is not heard until it is heard, or five seconds after it ended', () => {
	const { clock, talk, isTold } = pushToTalk();
	talk.unheard();
	clock.advance(4000);
	talk.unheard();
	clock.advance(4999);
	expect(isTold()).toBe(true);
	clock.advance(1);
	expect(isTold()).toBe(false);
	talk.unheard();
	talk.down('KeyJ');
	expect(isTold()).toBe(false);
	talk.up('KeyJ');
	clock.advance(1000);
	expect([isTold(), clock.pending]).toEqual([false, 0]);
});
