import { expect, test } from 'vitest';
import type { Host } from '#renderer/host.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createScriptedTransport, type ScriptedTransport } from '#test/support/scripted-transport.ts';
import { createPreparedRoom, KEPT_MS } from './prepared-room.ts';

function createStage(open: 'well' | 'never' = 'well', refused = false) {
	const clock = createManualClock();
	const rooms: ScriptedTransport[] = [];
	let heard = 0;
	const sessions = new Set<string>();
	const asked: string[] = [];
	const told = new Map<string, (payload: never) => void>();
	let wanted = true;
	let underWay = false;
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
	const prepared = createPreparedRoom({
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
		isUnderWay: () => underWay,
	});
	return {
		clock,
		rooms,
		sessions,
		asked,
		prepared,
		tell: (name: string, payload: object = {}) => told.get(name)?.(payload as never),
		want(next: boolean) {
			wanted = next;
			changed();
		},
		converse(next: boolean) {
			underWay = next;
		},
		/** Rooms whose voices somebody listens to. */
		heard: () => heard,
		inUse: () => [sessions.size, rooms.filter(({ state }) => state === 'open' || state === 'opening').length],
	};
}

test('joins one room, with nothing to send, and leaves it when no Start comes', async () => {
	const { prepared, clock, rooms, inUse, asked } = createStage();
	for (let times = 0; times < 3; times += 1) prepared.prepare();
	await clock.run(1000);
	prepared.prepare();
	await clock.run(1000);
	expect([rooms.length, rooms[0]?.microphones, rooms[0]?.sent, rooms[0]?.state]).toEqual([1, [], [], 'open']);
	expect(asked).toContain('session.joined');
	await clock.run(KEPT_MS);
	expect(inUse()).toEqual([0, 0]);
	prepared.prepare();
	await clock.run(1000);
	expect(inUse()).toEqual([1, 1]);
});

test('is nothing at all where it is not wanted, and over as soon as that changes', async () => {
	const { prepared, clock, want, inUse, asked } = createStage();
	want(false);
	prepared.prepare();
	await clock.run(1000);
	expect(asked).toEqual([]);
	want(true);
	prepared.prepare();
	await clock.run(1000);
	expect(inUse()).toEqual([1, 1]);
	want(false);
	await clock.run(100);
	expect(inUse()).toEqual([0, 0]);
});

test('no room is joined while a conversation runs, and nothing says that none runs', async () => {
	const { prepared, clock, converse, asked } = createStage();
	converse(true);
	prepared.prepare();
	await clock.run(1000);
	expect(asked).toEqual([]);
	converse(false);
	prepared.prepare();
	// One that began without this room, while its session was being opened.
	converse(true);
	await clock.run(1000);
	expect(asked).toContain('session.open');
	expect(asked).not.toContain('conversation.phase');
});

test('wanted no more while its session was being opened, the session is closed', async () => {
	const { prepared, clock, want, inUse } = createStage();
	prepared.prepare();
	want(false);
	await clock.run(1000);
	expect(inUse()).toEqual([0, 0]);
});

test('hands over a room that opens at once, with the voice that came before', async () => {
	const { prepared, clock, rooms, inUse, heard: heardRooms } = createStage();
	prepared.prepare();
	await clock.run(1000);
	// Nobody listens yet, so no voice may come.
	expect(heardRooms()).toBe(0);
	const track = { kind: 'audio', id: 'voice' } as MediaStreamTrack;
	rooms[0]?.tell({ type: 'voice', language: 'es', track });
	const room = await prepared.take();
	await clock.run(0);
	expect(heardRooms()).toBe(1);
	const heard: string[] = [];
	room?.transport.listen((event) => heard.push(event.type));
	expect(heard).toEqual(['voice']);
	expect(await room?.transport.open(new AbortController().signal)).toEqual({ ok: true });
	expect(await prepared.take()).toBeNull();
	// It belongs to the taker now: our limit no longer applies.
	await clock.run(2 * KEPT_MS);
	expect(inUse()).toEqual([1, 1]);
	await room?.transport.close();
	expect(rooms[0]?.state).toBe('closed');
});

test('that there is no room is said at once, so that nothing delays the request for a session', () => {
	const { prepared } = createStage();
	expect(prepared.take()).toBeNull();
});

test('the taker may give up while the room is still being joined', async () => {
	const { prepared, clock, rooms } = createStage('never');
	prepared.prepare();
	await clock.run(1000);
	const control = new AbortController();
	void (await prepared.take())?.transport.open(control.signal);
	control.abort();
	await clock.run(100);
	expect(rooms[0]?.state).not.toBe('opening');
});

test.each([
	['its session is taken away', 'session.lost', { handle: 'session-1' }],
	['the account changes', 'account.leaving', {}],
])('is left when %s', async (_when, name, payload) => {
	const { prepared, clock, tell, inUse } = createStage();
	prepared.prepare();
	await clock.run(1000);
	tell(name, payload);
	await clock.run(100);
	expect(inUse()).toEqual([0, 0]);
	expect(await prepared.take()).toBeNull();
});

test('is left also while its session is being asked for, and that is waited for', async () => {
	const { prepared, clock, inUse, asked } = createStage();
	prepared.prepare();
	await clock.run(50);
	const leaving = prepared.leave();
	await clock.run(1000);
	await leaving;
	expect(asked.at(-1)).toBe('session.close');
	expect(inUse()).toEqual([0, 0]);
});

test('a Start that comes while it is being left, but is only being asked for, takes it all the same', async () => {
	const { prepared, clock, asked } = createStage();
	prepared.prepare();
	await clock.run(50);
	const leaving = prepared.leave();
	const taking = prepared.take();
	await clock.run(1000);
	await leaving;
	expect((await taking)?.grant.handle).toBe('session-1');
	expect(asked).not.toContain('session.close');
});

test('a link that goes down is not tried again at once', async () => {
	const { prepared, clock, rooms, inUse } = createStage();
	prepared.prepare();
	await clock.run(1000);
	rooms[0]?.tell({ type: 'link', link: { state: 'down', problem: { kind: 'opened-elsewhere' } } });
	prepared.prepare();
	await clock.run(1000);
	expect([rooms.length, ...inUse()]).toEqual([1, 0, 0]);
	await clock.run(30_000);
	prepared.prepare();
	await clock.run(1000);
	expect(inUse()).toEqual([1, 1]);
});

test('a Start that comes while the session is being asked for waits for that one and takes no second', async () => {
	const { prepared, clock, inUse, asked } = createStage();
	prepared.prepare();
	await clock.run(50);
	const taking = prepared.take();
	await clock.run(100);
	expect((await taking)?.grant.handle).toBe('session-1');
	// The conversation itself says what it is, and when the room is joined.
	expect(asked).toEqual(['session.open']);
	expect(inUse()).toEqual([1, 1]);
});

test('one that nobody waits for is no conversation, also where a Start has waited for the one before', async () => {
	const { prepared, clock, asked } = createStage();
	prepared.prepare();
	const taking = prepared.take();
	await clock.run(1000);
	await (await taking)?.transport.close();
	expect(asked).not.toContain('conversation.phase');
	prepared.prepare();
	await clock.run(1000);
	expect(asked).toContain('conversation.phase');
});

test('one that is refused is no conversation, and not asked for again at once', async () => {
	const { prepared, clock, asked } = createStage('well', true);
	for (let second = 0; second < 20; second += 1) {
		prepared.prepare();
		await clock.run(1000);
	}
	expect(await prepared.take()).toBeNull();
	expect(asked).toEqual(['session.open', 'conversation.phase']);
});
