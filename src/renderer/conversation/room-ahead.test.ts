import { expect, test } from 'vitest';
import type { Host } from '#renderer/host.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createScriptedTransport, type ScriptedTransport } from '#test/support/scripted-transport.ts';
import { createRoomAhead, KEPT_MS } from './room-ahead.ts';

function createStage(open: 'well' | 'never' = 'well', refused = false) {
	const clock = createManualClock();
	const rooms: ScriptedTransport[] = [];
	let heard = 0;
	const sessions = new Set<string>();
	const asked: string[] = [];
	const told = new Map<string, (payload: never) => void>();
	let wanted = true;
	let changed = () => {};
	let count = 0;
	const host = {
		async ask(name: string, input: { handle: string } | undefined) {
			asked.push(name);
			if (name === 'session.close' && input) sessions.delete(input.handle);
			if (name !== 'session.open') return { ok: true, value: undefined };
			await new Promise<void>((done) => clock.after(100, done));
			if (refused) return { ok: false, error: { kind: 'session-limit', detail: '' } };
			count += 1;
			sessions.add(`session-${count}`);
			return {
				ok: true,
				value: { handle: `session-${count}`, webrtcUrl: 'wss://room.test', publisher: 't' },
			};
		},
		listen(name: string, heard: (payload: never) => void) {
			told.set(name, heard);
			return () => void told.delete(name);
		},
	} as unknown as Host;
	const ahead = createRoomAhead({
		host,
		clock,
		log: silentLogger,
		createTransport(_grant, hearsFrom) {
			void hearsFrom.then(() => {
				heard += 1;
			});
			const room = createScriptedTransport(clock, { open });
			rooms.push(room);
			return room;
		},
		wanted: () => wanted,
		listenWanted(call) {
			changed = call;
			return () => {};
		},
	});
	return {
		clock,
		rooms,
		sessions,
		asked,
		ahead,
		tell: (name: string, payload: object = {}) => told.get(name)?.(payload as never),
		want(next: boolean) {
			wanted = next;
			changed();
		},
		/** Rooms whose voices somebody listens to. */
		heard: () => heard,
		inUse: () => [sessions.size, rooms.filter(({ state }) => state === 'open' || state === 'opening').length],
	};
}

test('joins one room, with nothing to send, and leaves it when no Start comes', async () => {
	const { ahead, clock, rooms, inUse, asked } = createStage();
	for (let times = 0; times < 3; times += 1) ahead.prepare();
	await clock.run(1000);
	ahead.prepare();
	await clock.run(1000);
	expect([rooms.length, rooms[0]?.microphones, rooms[0]?.sent, rooms[0]?.state]).toEqual([1, [], [], 'open']);
	expect(asked).toContain('session.joined');
	await clock.run(KEPT_MS);
	expect(inUse()).toEqual([0, 0]);
	ahead.prepare();
	await clock.run(1000);
	expect(inUse()).toEqual([1, 1]);
});

test('is nothing at all where it is not wanted, and over as soon as that changes', async () => {
	const { ahead, clock, want, inUse, asked } = createStage();
	want(false);
	ahead.prepare();
	await clock.run(1000);
	expect(asked).toEqual([]);
	want(true);
	ahead.prepare();
	await clock.run(1000);
	expect(inUse()).toEqual([1, 1]);
	want(false);
	await clock.run(100);
	expect(inUse()).toEqual([0, 0]);
});

test('wanted no more while its session was being opened, the session is closed', async () => {
	const { ahead, clock, want, inUse } = createStage();
	ahead.prepare();
	want(false);
	await clock.run(1000);
	expect(inUse()).toEqual([0, 0]);
});

test('hands over a room that opens at once, with the voice that came before', async () => {
	const { ahead, clock, rooms, inUse, heard: heardRooms } = createStage();
	ahead.prepare();
	await clock.run(1000);
	// Nobody listens yet, so that nothing may come.
	expect(heardRooms()).toBe(0);
	const track = { kind: 'audio', id: 'voice' } as MediaStreamTrack;
	rooms[0]?.tell({ type: 'voice', language: 'es', track });
	const room = await ahead.take();
	await clock.run(0);
	expect(heardRooms()).toBe(1);
	const heard: string[] = [];
	room?.transport.listen((event) => heard.push(event.type));
	expect(heard).toEqual(['voice']);
	expect(await room?.transport.open(new AbortController().signal)).toEqual({ ok: true });
	expect(await ahead.take()).toBeNull();
	// It is the taker's now: our limit does not count any more.
	await clock.run(2 * KEPT_MS);
	expect(inUse()).toEqual([1, 1]);
	await room?.transport.close();
	expect(rooms[0]?.state).toBe('closed');
});

test('the taker may give up while the room is still being joined', async () => {
	const { ahead, clock, rooms } = createStage('never');
	ahead.prepare();
	await clock.run(1000);
	const control = new AbortController();
	void (await ahead.take())?.transport.open(control.signal);
	control.abort();
	await clock.run(100);
	expect(rooms[0]?.state).not.toBe('opening');
});

test.each([
	['its session is taken away', 'session.lost', { handle: 'session-1' }],
	['the account changes', 'account.leaving', {}],
])('is left when %s', async (_when, name, payload) => {
	const { ahead, clock, tell, inUse } = createStage();
	ahead.prepare();
	await clock.run(1000);
	tell(name, payload);
	await clock.run(100);
	expect(inUse()).toEqual([0, 0]);
	expect(await ahead.take()).toBeNull();
});

test('a link that goes down is not tried again at once', async () => {
	const { ahead, clock, rooms, inUse } = createStage();
	ahead.prepare();
	await clock.run(1000);
	rooms[0]?.tell({ type: 'link', link: { state: 'down', problem: { kind: 'opened-elsewhere' } } });
	ahead.prepare();
	await clock.run(1000);
	expect([rooms.length, ...inUse()]).toEqual([1, 0, 0]);
	await clock.run(30_000);
	ahead.prepare();
	await clock.run(1000);
	expect(inUse()).toEqual([1, 1]);
});

test('a Start that comes while the session is being asked for waits for that one and takes no second', async () => {
	const { ahead, clock, inUse, asked } = createStage();
	ahead.prepare();
	await clock.run(50);
	const taking = ahead.take();
	await clock.run(100);
	expect((await taking)?.grant.handle).toBe('session-1');
	// The conversation itself says what it is, and when the room is joined.
	expect(asked).toEqual(['session.open']);
	expect(inUse()).toEqual([1, 1]);
});

test('one that is refused is no conversation, and not asked for again at once', async () => {
	const { ahead, clock, asked } = createStage('well', true);
	for (let second = 0; second < 20; second += 1) {
		ahead.prepare();
		await clock.run(1000);
	}
	expect(await ahead.take()).toBeNull();
	expect(asked).toEqual(['session.open', 'conversation.phase']);
});
