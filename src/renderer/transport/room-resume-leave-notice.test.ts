import type { Room } from 'livekit-client';
import { expect, test } from 'vitest';
import { silentLogger } from '#shared/lib/log.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { heedLeave } from './room-resume.ts';

/** The parts of the library (2.18.7) that are used. */
function createRoom(readyState: RTCDataChannelState = 'open', isUp = true) {
	const clock = createManualClock();
	const disconnects: unknown[][] = [];
	const channel = Object.assign(new EventTarget(), { readyState });
	let told = 0;
	let reconciles = true;
	const engine = {
		fullReconnectOnNext: false,
		handleDisconnect: (...why: unknown[]) => void disconnects.push(why),
	};
	const clearConnectionReconcile = () => {
		reconciles = false;
	};
	const room = { engine, clearConnectionReconcile };
	const notice = heedLeave({
		room: room as unknown as Room,
		clock,
		log: silentLogger,
		channel: () => channel,
		isUp: () => isUp,
		leaving: () => void told++,
	});
	return {
		clock,
		engine,
		channel,
		disconnects,
		notice,
		told: () => told,
		reconciles: () => reconciles,
		/** `RECONNECT`, as the library receives it. */
		askToLeave() {
			engine.fullReconnectOnNext = true;
			engine.handleDisconnect('leave-reconnect');
		},
	};
}

test('a server that wants to be left is told, and stays until the time is up', async () => {
	const { askToLeave, clock, engine, disconnects, told, reconciles } = createRoom();
	askToLeave();
	engine.handleDisconnect('signal', 1);
	askToLeave();
	expect([told(), disconnects, reconciles()]).toEqual([1, [], false]);
	await clock.run(19_999);
	expect(disconnects).toEqual([]);
	await clock.run(1);
	expect(disconnects).toEqual([['leave-reconnect']]);
	// From here on the library handles it, including the next leave while the link is being made.
	engine.handleDisconnect('reconnect');
	expect(disconnects).toHaveLength(2);
	expect(clock.pending).toBe(0);
});

test('one that goes with its word is joined anew at once', async () => {
	const { askToLeave, channel, clock, disconnects } = createRoom();
	askToLeave();
	channel.dispatchEvent(new Event('close'));
	expect([disconnects, clock.pending]).toEqual([[['leave-reconnect']], 0]);
	channel.dispatchEvent(new Event('close'));
	expect(disconnects).toHaveLength(1);
});

test('a connection that fails meanwhile ends the stay', () => {
	const { askToLeave, engine, disconnects, clock } = createRoom();
	askToLeave();
	engine.handleDisconnect('publisher failed');
	expect([disconnects, clock.pending]).toEqual([[['leave-reconnect']], 0]);
});

test.each([
	['whose channel is closed', 'closed', true, true],
	['while its link is being made anew', 'open', false, true],
	['that only wants its socket anew', 'open', true, false],
] as const)('a server %s is not stayed with', (_which, readyState, isUp, isFull) => {
	const { engine, disconnects, told } = createRoom(readyState, isUp);
	engine.fullReconnectOnNext = isFull;
	engine.handleDisconnect('leave-reconnect');
	expect([told(), disconnects]).toEqual([0, [['leave-reconnect']]]);
});

test('whatever else happens to the socket is the library’s', () => {
	const { engine, disconnects, told } = createRoom();
	engine.handleDisconnect('signal', 1);
	expect([told(), disconnects]).toEqual([0, [['signal', 1]]]);
});

test('left meanwhile, nothing is joined any more', async () => {
	const { askToLeave, notice, clock, channel, disconnects } = createRoom();
	askToLeave();
	notice.close();
	channel.dispatchEvent(new Event('close'));
	await clock.run(30_000);
	expect([disconnects, clock.pending]).toEqual([[], 0]);
});
