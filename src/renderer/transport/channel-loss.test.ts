import { expect, test } from 'vitest';
import { silentLogger } from '#shared/lib/log.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createChannelWatch } from './livekit-room.ts';

function createChannel() {
	return Object.assign(new EventTarget(), { readyState: 'open' as RTCDataChannelState });
}

function createRoom() {
	const clock = createManualClock();
	const room = { channel: createChannel(), isUp: true, joins: 0, roundTripMs: 0 };
	const watch = createChannelWatch({
		clock,
		log: silentLogger,
		channel: () => room.channel,
		roundTripMs: () => room.roundTripMs,
		mayJoin: () => room.isUp,
		joinAnew: () => {
			room.joins += 1;
		},
	});
	watch.follow();
	function lose() {
		room.channel.readyState = 'closed';
		room.channel.dispatchEvent(new Event('close'));
	}
	return { clock, room, watch, lose };
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
	room.channel = createChannel();
	await clock.run(500);
	expect(room.joins).toBe(0);
	watch.follow();
	lose();
	await clock.run(500);
	expect(room.joins).toBe(1);
});

test('a slow line has longer to say why', async () => {
	const { clock, room, lose } = createRoom();
	room.roundTripMs = 500;
	lose();
	await clock.run(1900);
	expect(room.joins).toBe(0);
	await clock.run(200);
	expect(room.joins).toBe(1);
});

test('one that was closed while the link was being restored is missed as soon as it is', async () => {
	const { clock, room, watch, lose } = createRoom();
	room.isUp = false;
	lose();
	await clock.run(5000);
	expect(room.joins).toBe(0);
	room.isUp = true;
	watch.follow();
	await clock.run(500);
	expect(room.joins).toBe(1);
});

test('where it happens again at once the library is left to its own way, later it is not', async () => {
	const { clock, room, watch, lose } = createRoom();
	async function joinAndLose() {
		room.channel = createChannel();
		watch.follow();
		lose();
		await clock.run(500);
	}
	await joinAndLose();
	await joinAndLose();
	expect(room.joins).toBe(1);
	await clock.run(30_000);
	await joinAndLose();
	expect(room.joins).toBe(2);
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
