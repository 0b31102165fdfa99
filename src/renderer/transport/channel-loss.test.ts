import { expect, test } from 'vitest';
import { silentLogger } from '#shared/lib/log.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createChannelWatch } from './channel-loss.ts';

function createRoom() {
	const clock = createManualClock();
	const room = { channel: new EventTarget() as RTCDataChannel | null, isUp: true, joins: 0 };
	const watch = createChannelWatch({
		clock,
		log: silentLogger,
		channel: () => room.channel,
		mayJoin: () => room.isUp,
		joinAnew: () => {
			room.joins += 1;
		},
	});
	watch.follow();
	return { clock, room, watch, lose: () => room.channel?.dispatchEvent(new Event('close')) };
}

test('a far end that closes its channels and says nothing is joined anew', async () => {
	const { clock, room, lose } = createRoom();
	lose();
	expect(room.joins).toBe(0);
	await clock.run(500);
	expect([room.joins, clock.pending]).toEqual([1, 0]);
});

test('one that says why is taken at its word', async () => {
	const { clock, room, lose } = createRoom();
	lose();
	await clock.run(300);
	room.isUp = false;
	await clock.run(500);
	expect(room.joins).toBe(0);
});

test('the channel of a connection that was made anew meanwhile is none to miss, its own is', async () => {
	const { clock, room, watch, lose } = createRoom();
	lose();
	room.channel = new EventTarget() as RTCDataChannel;
	await clock.run(500);
	expect(room.joins).toBe(0);
	watch.follow();
	lose();
	await clock.run(500);
	expect(room.joins).toBe(1);
});

test('whoever leaves misses nothing, before and while it waits', async () => {
	const before = createRoom();
	before.watch.close();
	before.lose();
	const meanwhile = createRoom();
	meanwhile.lose();
	meanwhile.watch.close();
	await Promise.all([before.clock.run(500), meanwhile.clock.run(500)]);
	expect([before.room.joins, meanwhile.room.joins, meanwhile.clock.pending]).toEqual([0, 0, 0]);
});
