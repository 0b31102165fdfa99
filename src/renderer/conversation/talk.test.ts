import { expect, test } from 'vitest';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createTalk } from './talk.ts';

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
