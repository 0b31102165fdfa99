import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Problem } from '#shared/problem.ts';
import { createRig, nothingOpen } from '#test/support/conversation-rig.ts';
import { heardText } from '#test/support/heard-text.ts';
import type { TransportScript } from '#test/support/scripted-transport.ts';

const auto = { route: 'webrtc', mayFallBack: true } as const;
const full: Problem = { kind: 'session-limit', detail: '' };
const offline: Problem = { kind: 'service-unreachable', cause: 'ENETUNREACH' };
const overSocket = { sessions: 0, rooms: 1, microphone: true };
const inRoom = { sessions: 1, rooms: 1, microphone: true };
/** When the library tries, after the first: `transport/room-resume.ts`. */
const TRIES_MS = [0, 300, 1500, 2100, 5400, 9200];

type Rig = ReturnType<typeof createRig>;

const marks = (rig: Rig) =>
	rig.conversation.captions
		.finals()
		.flatMap(({ kind, startMs, endMs }) => (kind === 'lost' ? [endMs - startMs] : []));

/** Live in a room that reports its queue every second, as both generations do. */
async function liveIn(
	sockets: Partial<TransportScript>[] = [{}],
	more: Parameters<typeof createRig>[0] = {},
) {
	const rig = createRig({ travel: auto, rooms: [{ path: true }], sockets, ...more });
	const tellQueue = () => {
		for (const room of rig.rooms)
			if (room.state === 'open') room.say({ type: 'queue-level', levels: new Map() });
		rig.clock.after(1000, tellQueue);
	};
	tellQueue();
	await rig.goLive();
	return rig;
}

/** Kills the server for `forMs`: it sends nothing, and each try is refused at once. */
async function kill(rig: Rig, forMs = Infinity): Promise<void> {
	const room = rig.room();
	Object.assign(room.script, { silent: true, voice: false, path: false });
	room.restoring();
	for (const afterMs of TRIES_MS)
		rig.clock.after(afterMs, () => {
			if (room.state !== 'open') return;
			if (afterMs < forMs) return room.tell({ type: 'refused' });
			Object.assign(room.script, { silent: false, voice: true, path: true });
			room.up();
		});
}

function silence(rig: Rig): void {
	Object.assign(rig.room().script, { silent: true, voice: false, path: false });
}

describe('a socket beside a room that is in doubt', () => {
	it.each(['current', 'older'] as const)(
		'takes over within 4 s of the first refusal where the server is gone for good (%s)',
		async (generation) => {
			const rig = await liveIn([{ generation }], { rooms: [{ generation, path: true }] });
			await kill(rig);
			await rig.clock.run(100);
			expect([rig.view().phase, rig.sockets.length, rig.open()]).toEqual([
				'reconnecting',
				1,
				{ sessions: 1, rooms: 2, microphone: true },
			]);
			await rig.clock.run(3900);
			expect(rig.view()).toMatchObject({
				phase: 'live',
				travel: { route: 'websocket', fellBack: { kind: 'room-unreachable', reason: 'refused' } },
			});
			expect([rig.open(), rig.created(), rig.wishes]).toEqual([overSocket, 1, [{ keepSpeech: true }]]);
			// It kept what was said since the first refusal.
			expect(marks(rig)).toEqual([]);
		},
	);

	it.each([0, 250, 1000, 1450, 2050])(
		'leaves a server that is back after %d ms to the room',
		async (forMs) => {
			const rig = await liveIn();
			await kill(rig, forMs);
			await rig.clock.run(8000);
			expect([rig.view().phase, rig.view().travel?.route, rig.created()]).toEqual(['live', 'webrtc', 1]);
			expect([rig.open(), rig.rooms.length]).toEqual([inRoom, 1]);
		},
	);

	it('takes over within 7 s where the whole host falls silent, at whatever moment between two counts', async () => {
		for (let offsetMs = 0; offsetMs < 1000; offsetMs += 90) {
			const rig = await liveIn();
			await rig.clock.run(offsetMs);
			silence(rig);
			await rig.clock.run(7000);
			expect(rig.view(), `${offsetMs}`).toMatchObject({
				phase: 'live',
				travel: { route: 'websocket', fellBack: { kind: 'connection-lost' } },
			});
			expect(rig.open()).toEqual(overSocket);
		}
	});

	it('goes without a trace when the room is heard again, and is not opened again at once', async () => {
		const rig = await liveIn();
		rig.room().say(heardText('a', { text: 'one', final: false }));
		for (let times = 0; times < 4; times += 1) {
			silence(rig);
			await rig.clock.run(3500);
			Object.assign(rig.room().script, { silent: false, voice: true, path: true });
			await rig.clock.run(1500);
		}
		rig.room().say(heardText('a', { text: 'one two' }));
		expect([rig.view().phase, rig.created(), rig.open()]).toEqual(['live', 1, inRoom]);
		expect(rig.sockets).toHaveLength(2);
		// The sentence under way is still the same one.
		expect(rig.conversation.captions.store.getState().rows).toBe(1);
		expect(rig.conversation.captions.finals().map(({ text }) => text)).toEqual(['one two']);
	});

	it('is opened again ten seconds after one was not needed, and not sooner', async () => {
		const rig = await liveIn();
		const until = async (isSo: () => boolean) => {
			while (!isSo()) await rig.clock.run(1);
			return rig.clock.now();
		};
		silence(rig);
		await until(() => rig.open().rooms === 2);
		Object.assign(rig.room().script, { silent: false, voice: true, path: true });
		const closedMs = await until(() => rig.open().rooms === 1);
		await rig.clock.run(4000);
		silence(rig);
		expect((await until(() => rig.sockets.length === 2)) - closedMs).toBe(10_000);
	});

	it('that went down is none: nothing is sent over it, and the room is left as if there had been no socket', async () => {
		const rig = await liveIn();
		await kill(rig);
		await rig.clock.run(500);
		const problem: Problem = { kind: 'connection-lost', reason: 'closed 1006' };
		rig.socket().down(problem);
		await rig.clock.run(6000);
		expect([rig.view().phase, rig.sockets.length, rig.open()]).toEqual(['reconnecting', 1, inRoom]);
		await rig.clock.run(8000);
		expect([rig.view().phase, rig.view().travel?.route, rig.socket().sent]).toEqual(['live', 'webrtc', []]);
	});

	it('is closed with whatever else is open on Stop, and with the microphone in a pause', async () => {
		const rig = await liveIn();
		await kill(rig);
		await rig.clock.run(500);
		rig.conversation.pause();
		expect(rig.open()).toEqual({ sessions: 1, rooms: 1, microphone: false });
		const other = await liveIn();
		await kill(other);
		await other.clock.run(500);
		other.conversation.stop();
		await other.clock.run(50);
		expect([other.view().phase, other.open()]).toEqual(['idle', nothingOpen]);
	});

	it('waits for the room’s session to be given back where the plan allows no second one', async () => {
		const rig = await liveIn([{ open: full }, {}], { deletionMs: 300 });
		await kill(rig);
		await rig.clock.run(4000);
		expect([rig.view().phase, rig.view().travel?.route, rig.open()]).toEqual([
			'live',
			'websocket',
			overSocket,
		]);
		expect(rig.sockets.map(({ besides }) => besides)).toEqual([2, 0]);
	});

	it('changes nothing where there is no network: the room is waited for as before', async () => {
		const rig = await liveIn([{ open: offline }]);
		silence(rig);
		await rig.clock.run(8000);
		expect([rig.view().phase, rig.view().travel?.route]).toEqual(['reconnecting', 'webrtc']);
		Object.assign(rig.room().script, { silent: false, voice: true, path: true });
		await rig.clock.run(3000);
		expect([rig.view().phase, rig.created(), rig.open()]).toEqual(['live', 1, inRoom]);
	});

	it.each(['current', 'older'] as const)(
		'does not take over while the sound of the room goes on, although nobody answers for it (%s)',
		async (generation) => {
			for (let offsetMs = 0; offsetMs < 1000; offsetMs += 90) {
				const rig = await liveIn([{}], { rooms: [{ generation, path: true }] });
				await rig.clock.run(offsetMs);
				await kill(rig);
				Object.assign(rig.room().script, { voice: true, path: true });
				await rig.clock.run(9000);
				expect([rig.view().phase, rig.view().travel?.route, rig.open()]).toEqual([
					'reconnecting',
					'webrtc',
					inRoom,
				]);
				expect(rig.sockets).toHaveLength(1);
			}
		},
	);

	it('does not go on when the room’s session turns out to have been ended by the person', async () => {
		const rig = await liveIn();
		await kill(rig);
		await rig.clock.run(4000);
		expect(rig.view().travel?.route).toBe('websocket');
		rig.sessionLost('session-1', 'ended-by-user');
		await rig.clock.run(100);
		expect([rig.view().phase, rig.open()]).toEqual(['idle', nothingOpen]);
	});

	it('keeps to the limits that it is told of before it takes over', async () => {
		const rig = await liveIn();
		await kill(rig);
		await rig.clock.run(1500);
		rig.socket().say({ type: 'error', code: 'RATE_LIMIT_EXCEEDED', text: '', field: '' });
		await rig.clock.run(1900);
		expect([rig.open().sessions, rig.socket().sent]).toEqual([0, []]);
		await rig.clock.run(1500);
		expect([rig.view().phase, rig.socket().sent.length]).toEqual(['live', 1]);
	});

	it('stands beside a room alone, not beside the socket that took over', async () => {
		const rig = await liveIn();
		await kill(rig);
		await rig.clock.run(5000);
		Object.assign(rig.socket().script, { silent: true, voice: false });
		rig.socket().restoring('closed 1006');
		await rig.clock.run(4000);
		expect([rig.sockets.length, rig.open()]).toEqual([1, overSocket]);
	});

	it.each([
		{ route: 'webrtc', mayFallBack: false },
		{ route: 'websocket', mayFallBack: false },
	] as const)('is for those who may go by either alone: %o', async (travel) => {
		const rig = await liveIn([{}], { travel });
		const before = rig.sockets.length;
		if (travel.route === 'webrtc') await kill(rig);
		else rig.socket().restoring('x');
		await rig.clock.run(8000);
		expect(rig.sockets).toHaveLength(before);
	});

	it('whatever the room and the socket do, and when: one link and its session are open in the end', async () => {
		const moment = fc.integer({ min: 0, max: 9000 });
		await fc.assert(
			fc.asyncProperty(
				moment,
				moment,
				fc.boolean(),
				fc.constantFrom<TransportScript['open']>('well', 'never', full, offline),
				fc.constantFrom(20, 400, 2500),
				async (awayMs, openMs, isKilled, open, deletionMs) => {
					const rig = await liveIn([{ open, openMs }, {}], { deletionMs });
					if (isKilled) await kill(rig, awayMs);
					else {
						silence(rig);
						rig.clock.after(awayMs, () =>
							Object.assign(rig.rooms[0]?.script ?? {}, { silent: false, voice: true, path: true }),
						);
					}
					await rig.clock.run(45_000);
					expect(rig.view().phase).toBe('live');
					expect(rig.open()).toEqual(rig.view().travel?.route === 'webrtc' ? inRoom : overSocket);
					// Nothing is heard twice, and no more is marked as lost than the time that passed.
					expect(marks(rig).reduce((sum, ms) => sum + ms, 0)).toBeLessThan(30_000);
				},
			),
			{ numRuns: 60 },
		);
		// More than the usual limit, for a busy machine.
	}, 30_000);
});
