import { describe, expect, it } from 'vitest';
import type { Problem } from '#shared/problem.ts';
import { choices, createRig, liveRig, nothingOpen } from '#test/support/conversation-rig.ts';
import { heardText } from '#test/support/heard-text.ts';
import type { ScriptedTransport } from '#test/support/scripted-transport.ts';

const auto = { route: 'webrtc', mayFallBack: true } as const;
const unreachable: Problem = { kind: 'room-unreachable', reason: 'ice' };
const overSocket = { sessions: 0, rooms: 1, microphone: true };

const inputOf = (link: ScriptedTransport) =>
	link.sent.flatMap((sent) => (sent.message_type === 'set_task' ? [sent.data.input_stream.source.type] : []));
/** How long each mark of lost speech says it is, ms. */
const marks = (rig: ReturnType<typeof createRig>) =>
	rig.conversation.captions
		.finals()
		.flatMap(({ kind, startMs, endMs }) => (kind === 'lost' ? [endMs - startMs] : []));

describe('from WebRTC to a socket', () => {
	it('goes on by a socket when the room cannot be reached, and says so', async () => {
		const rig = createRig({ travel: auto, rooms: [{ open: unreachable }] });
		rig.conversation.start(choices);
		await rig.clock.run(300);
		expect(rig.view()).toMatchObject({
			phase: 'switching',
			travel: { route: 'websocket', fellBack: unreachable },
		});
		await rig.clock.run(2000);
		expect(rig.view()).toMatchObject({ phase: 'live', travel: { route: 'websocket' }, problem: null });
		expect([rig.open(), rig.created(), inputOf(rig.socket())]).toEqual([overSocket, 1, ['ws']]);
		expect(rig.wishes).toEqual([{ keepSpeech: false }]);
	});

	it('decides ten seconds after connecting began, however often a session was taken', async () => {
		const rig = createRig({
			travel: auto,
			sessionMs: 100,
			rooms: [{ open: { kind: 'room-refused', reason: 'token' }, openMs: 4000 }, { open: 'never' }],
		});
		rig.conversation.start(choices);
		await rig.clock.run(10_050);
		expect(rig.sockets).toEqual([]);
		await rig.clock.run(100);
		expect([rig.created(), rig.sockets.length]).toEqual([2, 1]);
		await rig.clock.run(3000);
		expect([rig.view().phase, rig.open()]).toEqual(['live', overSocket]);
	});

	it('decides so also for a room that is joined but lets no sound out', async () => {
		const rig = createRig({ travel: auto, rooms: [{ packets: false }] });
		rig.conversation.start(choices);
		await rig.clock.run(9900);
		expect(rig.sockets).toEqual([]);
		await rig.clock.run(3000);
		expect([rig.view().phase, rig.open()]).toEqual(['live', overSocket]);
	});

	it('opens the socket only when the session is deleted', async () => {
		const rig = createRig({ travel: auto, rooms: [{ open: unreachable }], deletionMs: 800 });
		rig.conversation.start(choices);
		await rig.clock.run(900);
		expect(rig.sockets).toEqual([]);
		await rig.clock.run(200);
		expect(rig.sockets).toMatchObject([{ besides: 0 }]);
	});

	it('waits three seconds for a deletion, not longer', async () => {
		const rig = createRig({ travel: auto, rooms: [{ open: unreachable }], deletionMs: 60_000 });
		rig.conversation.start(choices);
		await rig.clock.run(150 + 3000 + 100);
		expect(rig.sockets).toHaveLength(1);
	});

	it('opens no socket when stopped while the deletion is awaited', async () => {
		const rig = createRig({ travel: auto, rooms: [{ open: unreachable }], deletionMs: 800 });
		rig.conversation.start(choices);
		await rig.clock.run(500);
		rig.conversation.stop();
		await rig.clock.run(5000);
		expect([rig.view().phase, rig.sockets, rig.open()]).toEqual(['idle', [], nothingOpen]);
	});

	it('survives a room that dies for good: same captions, same mute, live again within 5 s of the decision', async () => {
		const rig = await liveRig({ travel: auto, rooms: [{}, { open: unreachable, openMs: 200 }] });
		rig.room().say(heardText('before'));
		rig.conversation.setMuted(true);
		rig.room().down();
		await rig.clock.run(350);
		expect(rig.view()).toMatchObject({ phase: 'switching', muted: true });
		await rig.clock.run(5000);
		rig.socket().say(heardText('after'));
		expect(rig.view()).toMatchObject({ phase: 'live', muted: true, travel: { fellBack: unreachable } });
		expect(rig.conversation.captions.finals().map(({ text }) => text)).toEqual(['before', 'after']);
		expect(rig.wishes).toMatchObject([{ keepSpeech: true }]);
		expect(rig.open()).toEqual(overSocket);
	});

	it('marks what was said between a dead room and the socket once: no longer when the socket keeps it', async () => {
		const rig = await liveRig({
			travel: auto,
			rooms: [{}, { open: unreachable, openMs: 4000 }],
			deletionMs: 2000,
		});
		const diedMs = rig.clock.now();
		rig.room().down();
		await rig.clock.run(10_000);
		const [socket] = rig.sockets;
		const awayMs = (socket?.atMs ?? 0) - diedMs;
		// The test also waits for the deletion; speech in that time reaches no session.
		expect(awayMs).toBeGreaterThan(5500);
		expect([rig.view().phase, marks(rig)]).toEqual(['live', [awayMs]]);
	});

	it('marks also what a socket had kept when it fails, but not again what the socket told itself', async () => {
		const rig = await liveRig({
			travel: { route: 'websocket', mayFallBack: false },
			sockets: [{}, { silent: true }, {}],
		});
		rig.socket().restoring('closed 1006');
		const awayFromMs = rig.clock.now();
		await rig.clock.run(6000);
		rig.socket().tell({ type: 'speech-lost', ms: 1000 });
		rig.socket().down();
		await rig.clock.run(8000);
		rig.socket().down();
		await rig.clock.run(10_000);
		const back = rig.sockets.at(-1);
		expect([rig.view().phase, rig.sockets.length]).toEqual(['live', 3]);
		expect(marks(rig)).toEqual([(back?.atMs ?? 0) - awayFromMs]);
	});

	it('marks what a socket dropped of an outage once it is back: the oldest', async () => {
		const rig = createRig({ travel: { route: 'websocket', mayFallBack: false } });
		const startedMs = rig.clock.now();
		await rig.goLive();
		rig.socket().tell({ type: 'link', link: { state: 'restoring', cause: 'closed 1006' } });
		const lostMs = rig.clock.now() - startedMs;
		await rig.clock.run(8000);
		rig.socket().tell({ type: 'speech-lost', ms: 1000 });
		rig.socket().tell({ type: 'speech-lost', ms: 2000 });
		expect([marks(rig), rig.view().notice]).toEqual([[], { kind: 'speech-lost', ms: 3000 }]);
		rig.socket().tell({ type: 'link', link: { state: 'up' } });
		await rig.clock.run(5000);
		const [mark] = rig.conversation.captions.finals();
		expect([rig.view().phase, mark?.startMs, mark?.endMs]).toEqual(['live', lostMs, lostMs + 3000]);
	});

	it('marks nothing when a socket comes back by itself: it kept what was said', async () => {
		const rig = await liveRig({ travel: { route: 'websocket', mayFallBack: false } });
		rig.socket().restoring('closed 1006');
		await rig.clock.run(4000);
		rig.socket().up();
		await rig.clock.run(5000);
		expect([rig.view().phase, marks(rig)]).toEqual(['live', []]);
	});

	it('does not switch while there is no network at all', async () => {
		const offline: Problem = { kind: 'service-unreachable', cause: 'offline' };
		const rig = await liveRig({ travel: auto, sessions: [null, offline, offline, offline] });
		rig.room().down();
		await rig.clock.run(20_000);
		expect([rig.view().phase, rig.sockets, rig.view().travel?.route]).toEqual(['live', [], 'webrtc']);
	});

	it('goes back to WebRTC when asked, and to the socket again if that still fails', async () => {
		const rig = createRig({ travel: auto, rooms: [{ open: unreachable }, { open: unreachable }, {}] });
		rig.conversation.start(choices);
		await rig.clock.run(3000);
		rig.conversation.backToWebrtc();
		await rig.clock.run(5000);
		expect([rig.view().phase, rig.sockets.length, rig.view().travel?.route]).toEqual([
			'live',
			2,
			'websocket',
		]);
		rig.conversation.backToWebrtc();
		await rig.clock.run(5000);
		expect(rig.view()).toMatchObject({ phase: 'live', travel: { route: 'webrtc', fellBack: null } });
		expect([rig.open(), inputOf(rig.room())]).toEqual([
			{ sessions: 1, rooms: 1, microphone: true },
			['webrtc'],
		]);
	});

	it('shows what was wrong with the room when the socket cannot be reached either', async () => {
		const rig = createRig({
			travel: auto,
			rooms: [{ open: unreachable }],
			sockets: [{ open: { kind: 'service-unreachable', cause: 'x' } }],
		});
		rig.conversation.start(choices);
		await rig.clock.run(3000);
		expect([rig.view().phase, rig.view().problem, rig.open()]).toEqual(['failed', unreachable, nothingOpen]);
	});

	it('stays with WebRTC when that is pinned or there is no socket', async () => {
		const rig = createRig({ rooms: [{ open: unreachable }] });
		rig.conversation.start(choices);
		await rig.clock.run(3000);
		expect([rig.view().phase, rig.view().problem, rig.sockets]).toEqual(['failed', unreachable, []]);
	});

	it('says why when there is no address for a socket', async () => {
		const travel = { route: 'webrtc', mayFallBack: false, socketOff: true } as const;
		const rig = createRig({ travel, rooms: [{ open: unreachable }] });
		rig.conversation.start(choices);
		await rig.clock.run(3000);
		expect(rig.view()).toMatchObject({
			phase: 'failed',
			problem: unreachable,
			notice: { kind: 'problem', problem: { kind: 'socket-off', socket: 's2s' } },
		});
	});

	it.each(['webrtc', 'websocket'] as const)('makes a session ahead only for a room: %s', async (route) => {
		const rig = createRig({ travel: { route, mayFallBack: false } });
		rig.conversation.prepare();
		await rig.clock.run(0);
		expect(rig.calls().filter((name) => name === 'session.prepare')).toHaveLength(route === 'webrtc' ? 1 : 0);
	});

	it('takes no session at all when the socket is pinned, and restores it by itself', async () => {
		const rig = await liveRig({ travel: { route: 'websocket', mayFallBack: false } });
		expect([rig.created(), rig.view().travel]).toEqual([0, { route: 'websocket', fellBack: null }]);
		rig.socket().forgetTask();
		rig.socket().restoring('closed 1006');
		await rig.clock.run(1000);
		rig.socket().up();
		await rig.clock.run(5000);
		expect([rig.view().phase, inputOf(rig.socket())]).toEqual(['live', ['ws', 'ws']]);
		rig.socket().down();
		await rig.clock.run(5000);
		expect([rig.view().phase, rig.sockets.length, rig.created(), rig.open()]).toEqual([
			'live',
			2,
			0,
			overSocket,
		]);
	});

	it('tells how much of what was said is lost, all of it together', async () => {
		const rig = await liveRig({ travel: { route: 'websocket', mayFallBack: false } });
		rig.socket().tell({ type: 'speech-lost', ms: 400 });
		rig.socket().tell({ type: 'speech-lost', ms: 600 });
		expect(rig.view().notice).toEqual({ kind: 'speech-lost', ms: 1000 });
	});
});
