import { describe, expect, it } from 'vitest';
import type { Problem } from '#shared/problem.ts';
import { choices, createRig, liveRig, nothingOpen } from '#test/support/conversation-rig.ts';
import { heardText } from '#test/support/heard-text.ts';
import type { ScriptedTransport, TransportScript } from '#test/support/scripted-transport.ts';
import { interpretedAt } from './conversation.ts';

const commands = (room: ScriptedTransport) => room.sent.map((sent) => sent.message_type);
/** Like a pulled cable: nothing gets through, and the transport reports nothing. */
const cut = { silent: true, voice: false, path: false };
const whole = { silent: false, voice: true, path: true };
function tellQueue(room: ScriptedTransport) {
	for (let told = 0; told < 2; told += 1)
		room.tell({ type: 'message', message: { type: 'queue-level', levels: new Map() } });
}
/** Live in a room that reported its queue, `liveMs` after Start; from then on `change` applies. */
async function liveWith(change: Partial<TransportScript>, liveMs = 10_050) {
	const rig = await liveRig({ rooms: [{ path: true }] });
	const room = rig.room();
	await rig.clock.run(liveMs);
	tellQueue(room);
	Object.assign(room.script, change);
	return { rig, room };
}
const running = { sessions: 1, rooms: 1, microphone: true };
async function liveOnSocket() {
	const rig = await liveRig({ travel: { route: 'websocket', mayFallBack: false } });
	return rig;
}
async function pausedOnSocket() {
	const rig = await liveOnSocket();
	rig.conversation.pause();
	await rig.clock.run(4000);
	return rig;
}
describe('recovery', () => {
	it('asks for the task after the transport came back, and does not set it twice', async () => {
		const rig = await liveRig();
		rig.room().restoring();
		expect(rig.view()).toMatchObject({ phase: 'reconnecting', recovering: { attempt: 1, cause: 'signal' } });
		await rig.clock.run(5000);
		rig.room().up();
		await rig.clock.run(100);
		expect([rig.view().phase, commands(rig.room()), rig.created()]).toEqual([
			'live',
			['set_task', 'get_task'],
			1,
		]);
	});

	it('goes on in a new session when the person gives the connection up, as often as they do', async () => {
		const rig = await liveRig();
		const since = rig.view().liveSinceMs;
		rig.room().say(heardText('before'));
		for (const sessions of [2, 3]) {
			await rig.clock.run(10_000);
			rig.conversation.reconnect();
			expect(rig.view().phase).toBe('reconnecting');
			await rig.clock.run(5000);
			expect([rig.view().phase, rig.created(), rig.open()]).toEqual(['live', sessions, running]);
		}
		rig.room().say(heardText('after'));
		expect(rig.view()).toMatchObject({ liveSinceMs: since, problem: null });
		expect(rig.view().interpretedMs).toBeGreaterThan(10_000);
		const said = rig.conversation.captions.finals().map(({ kind, text }) => (kind === 'lost' ? kind : text));
		expect(said).toEqual(['before', 'lost', 'after']);
		// Speech in a pause is not meant to be heard.
		rig.conversation.pause();
		rig.conversation.reconnect();
		await rig.clock.run(5000);
		expect([rig.view().paused, rig.created()]).toEqual([true, 3]);
	});

	it('goes on when it has failed and is tried again, as often as it is, and not with another Start', async () => {
		const rig = await liveRig();
		const since = rig.view().liveSinceMs;
		const fails = () => rig.room().down({ kind: 'opened-elsewhere' });
		const goOn = () => rig.conversation.start(choices, { startedMs: since ?? 0, again: true });
		rig.room().say(heardText('before'));
		for (const rooms of [2, 3]) {
			await rig.clock.run(10_000);
			fails();
			await rig.clock.run(60_000);
			expect([rig.view().phase, rig.open()]).toEqual(['failed', nothingOpen]);
			goOn();
			expect(rig.view()).toMatchObject({ phase: 'reconnecting', liveSinceMs: since, problem: null });
			await rig.clock.run(5000);
			expect([rig.view().phase, rig.rooms.length, rig.open()]).toEqual(['live', rooms, running]);
		}
		rig.room().say(heardText('after'));
		expect(rig.view().liveSinceMs).toBe(since);
		// Only the time in which somebody listened is counted.
		expect(interpretedAt(rig.view(), rig.clock.now())).toBeGreaterThan(20_000);
		expect(interpretedAt(rig.view(), rig.clock.now())).toBeLessThan(40_000);
		const said = rig.conversation.captions.finals();
		expect(said.map(({ kind, text }) => (kind === 'lost' ? kind : text))).toEqual([
			'before',
			'lost',
			'after',
		]);
		const lostMs = (said[1]?.endMs ?? 0) - (said[1]?.startMs ?? 0);
		expect(lostMs).toBeGreaterThan(120_000);
		expect(lostMs).toBeLessThan(130_000);
		fails();
		await rig.clock.run(1000);
		await rig.goLive();
		expect(rig.conversation.captions.finals()).toEqual([]);
		expect(interpretedAt(rig.view(), rig.clock.now())).toBeLessThan(6000);
	});

	it('marks no speech as lost of what was muted or paused when it failed', async () => {
		for (const quiet of ['setMuted', 'pause'] as const) {
			const rig = await liveRig();
			rig.conversation[quiet](true);
			await rig.clock.run(5000);
			rig.room().down({ kind: 'opened-elsewhere' });
			await rig.clock.run(60_000);
			rig.conversation.start(choices, { startedMs: 0, again: true });
			await rig.clock.run(5000);
			expect(rig.view().phase).toBe('live');
			const lost = rig.conversation.captions.finals().map(({ startMs, endMs }) => endMs - startMs);
			expect(Math.max(0, ...lost)).toBeLessThan(5000);
		}
	});

	it('marks in the captions what nobody heard meanwhile, unless nobody was to hear it', async () => {
		const rig = await liveRig();
		const marks = () =>
			rig.conversation.captions.finals().map(({ kind, startMs, endMs }) => [kind, endMs - startMs]);
		rig.room().restoring();
		await rig.clock.run(5000);
		rig.room().up();
		await rig.clock.run(100);
		expect([rig.view().phase, marks()]).toEqual(['live', [['lost', expect.closeTo(5000, -3)]]]);
		rig.conversation.setMuted(true);
		rig.room().restoring();
		await rig.clock.run(5000);
		rig.room().up();
		await rig.clock.run(100);
		expect([rig.view().phase, marks().length]).toEqual(['live', 1]);
	});

	it.each(['webrtc', 'websocket'] as const)(
		'marks what nobody heard when it is stopped before the line is back (%s), without a pause in it',
		async (route) => {
			const rig = await liveRig({ travel: { route, mayFallBack: false } });
			const line = route === 'webrtc' ? rig.room() : rig.socket();
			line.restoring();
			await rig.clock.run(4000);
			if (route === 'webrtc') {
				rig.conversation.setMuted(true);
				await rig.clock.run(3000);
				rig.conversation.setMuted(false);
				await rig.clock.run(2000);
			}
			rig.conversation.stop();
			await rig.clock.run(100);
			const marks = rig.conversation.captions
				.finals()
				.map(({ kind, startMs, endMs }) => [kind, endMs - startMs]);
			const lostMs = route === 'webrtc' ? 6000 : 4000;
			expect([rig.view().phase, marks]).toEqual(['idle', [['lost', lostMs]]]);
		},
	);

	it('marks what nobody heard also when the session is ended elsewhere meanwhile', async () => {
		const rig = await liveRig();
		rig.room().restoring();
		await rig.clock.run(3000);
		rig.sessionLost('session-1', 'ended-by-user');
		await rig.clock.run(100);
		expect(rig.view().phase).toBe('idle');
		expect(rig.conversation.captions.finals().map(({ kind }) => kind)).toEqual(['lost']);
	});

	it('sets the task again, once, when it is gone after a reconnect', async () => {
		const rig = await liveRig();
		rig.room().restoring();
		rig.room().forgetTask();
		rig.room().up();
		await rig.clock.run(8000);
		expect([rig.view().phase, commands(rig.room())]).toEqual(['live', ['set_task', 'get_task', 'set_task']]);
	});

	it('keeps captions apart when a task set anew uses the ids of the one before', async () => {
		const rig = await liveRig();
		rig.room().say(heardText('a', { text: 'before' }));
		rig.room().restoring();
		rig.room().forgetTask();
		rig.room().up();
		await rig.clock.run(8000);
		rig.room().say(heardText('a', { text: 'after' }));
		const heard = rig.conversation.captions.finals().filter(({ kind }) => kind === 'source');
		expect(heard.map((segment) => segment.text)).toEqual(['before', 'after']);
	});

	it('keeps them apart also when nobody knew that the task was gone before it was set again', async () => {
		const rig = await liveRig();
		rig.room().say(heardText('a', { text: 'before' }));
		rig.room().forgetTask();
		rig.conversation.change({ ...choices, hear: ['fr'], voiceOf: 'fr' });
		await rig.clock.run(8000);
		expect(rig.view().change).toBe('applied');
		rig.room().say(heardText('a', { text: 'after' }));
		const heard = rig.conversation.captions.finals().filter(({ kind }) => kind === 'source');
		expect(heard.map((segment) => segment.text)).toEqual(['before', 'after']);
	});

	it('gives the transport twenty seconds, then takes a new session', async () => {
		const rig = await liveRig();
		rig.room().restoring();
		await rig.clock.run(19_900);
		expect(rig.created()).toBe(1);
		await rig.clock.run(2000);
		expect([rig.view().phase, rig.created(), rig.open()]).toEqual(['live', 2, running]);
	});

	it('gives it ten seconds when nothing is heard of the server any more', async () => {
		const rig = await liveRig();
		rig.room().restoring();
		await rig.clock.run(6000);
		// So far the voice had gone on without signalling.
		rig.room().script.packets = false;
		await rig.clock.run(8500);
		expect(rig.created()).toBe(1);
		await rig.clock.run(3500);
		expect([rig.view().phase, rig.created(), rig.open()]).toEqual(['live', 2, running]);
	});

	it('stays paused through a loss, by either way back, and bills nothing', async () => {
		const rig = await liveRig();
		rig.conversation.pause();
		await rig.clock.run(4000);
		rig.room().restoring();
		rig.room().up();
		await rig.clock.run(4000);
		expect(rig.view()).toMatchObject({ phase: 'live', paused: true });
		expect(commands(rig.room())).toEqual(['set_task', 'pause_task', 'pause_task']);
		rig.room().down();
		await rig.clock.run(4000);
		expect(rig.view()).toMatchObject({ phase: 'live', paused: true });
		expect([commands(rig.room()), rig.open()]).toEqual([[], { sessions: 1, rooms: 1, microphone: false }]);
		expect(rig.room().microphones.filter((fed) => fed !== undefined)).toEqual([]);
		rig.conversation.resume();
		await rig.clock.run(3000);
		expect(rig.room().microphones.at(-1)).toMatchObject({ kind: 'audio' });
		expect([rig.view().paused, rig.room().task, rig.open()]).toEqual([false, 'running', running]);
	});

	it('rests when a socket is lost in a pause, because none is open without a microphone, until it is resumed', async () => {
		const rig = await pausedOnSocket();
		rig.socket().down();
		await rig.clock.run(4000);
		expect(rig.view()).toMatchObject({ phase: 'live', paused: true, recovering: null });
		expect(rig.open()).toEqual(nothingOpen);
		await rig.clock.run(20 * 60_000);
		expect(rig.view()).toMatchObject({ phase: 'live', paused: true });
		rig.conversation.resume();
		await rig.clock.run(3000);
		expect(rig.view()).toMatchObject({ phase: 'live', paused: false });
		expect(rig.open()).toEqual({ ...running, sessions: 0 });
		expect(rig.conversation.captions.finals()).toEqual([]);
	});

	it('still plays the tail when stopped right after the link came back', async () => {
		const rig = await liveRig({ rooms: [{ generation: 'older' }] });
		rig.room().restoring();
		rig.room().script.silent = true;
		rig.room().up();
		rig.conversation.stop();
		expect(rig.view()).toMatchObject({ phase: 'ending', tail: true });
		await rig.clock.run(7000);
		expect([rig.view().phase, rig.open()]).toEqual(['idle', nothingOpen]);
	});

	it('joins with a new session when the link is down, same mute, same captions', async () => {
		const rig = await liveRig();
		rig.conversation.setMuted(true);
		rig.room().say(heardText('a', { text: 'before' }));
		rig.room().down();
		await rig.clock.run(1200);
		expect(rig.view()).toMatchObject({ phase: 'live', muted: true });
		expect([rig.isMuted(), rig.created(), rig.open()]).toEqual([true, 2, running]);
		rig.room().say(heardText('a', { text: 'after' }));
		expect(rig.conversation.captions.finals().map((segment) => segment.text)).toEqual(['before', 'after']);
	});

	it('takes the place of a session that was lost, but asks when it is taken twice within a minute', async () => {
		const rig = await liveRig();
		rig.sessionLost('session-1', 'deleted');
		await rig.clock.run(3000);
		expect([rig.view().phase, rig.created(), rig.open()]).toEqual(['live', 2, running]);
		rig.sessionLost('session-1', 'late news');
		expect(rig.view().phase).toBe('live');
		rig.room().down({ kind: 'session-lost', cause: 'removed' });
		expect(rig.view()).toMatchObject({
			phase: 'failed',
			problem: { kind: 'session-lost', cause: 'removed' },
		});
		expect(rig.open()).toEqual(nothingOpen);
	});

	it('stops, and takes no other session, when the person ended it in the list', async () => {
		const rig = await liveRig();
		rig.sessionLost('session-1', 'ended-by-user');
		// The room's own report a moment later brings nothing new.
		rig.room().down({ kind: 'session-lost', cause: 'removed' });
		await rig.clock.run(3000);
		expect(rig.view()).toMatchObject({ phase: 'idle', problem: null });
		expect([rig.created(), rig.open()]).toEqual([1, nothingOpen]);
	});

	it('stops as well when the room said so before, however far the next session has come', async () => {
		for (const [later, created] of [
			[0, 1],
			[249, 1],
			[251, 2],
			[5000, 2],
		] as const) {
			const rig = await liveRig();
			rig.room().down({ kind: 'session-lost', cause: 'room-deleted' });
			await rig.clock.run(later);
			rig.sessionLost('session-9', 'ended-by-user');
			expect([later, rig.view().phase]).not.toEqual([later, 'idle']);
			rig.sessionLost('session-1', 'ended-by-user');
			await rig.clock.run(3000);
			expect([later, rig.view().phase, rig.view().problem, rig.open()]).toEqual([
				later,
				'idle',
				null,
				nothingOpen,
			]);
			expect([later, rig.created()]).toEqual([later, created]);
		}
	});

	it('ends, and takes no session of the other account, when the account changes under it', async () => {
		for (const early of [0, 110, 5000, 9000]) {
			const rig = createRig();
			rig.conversation.start(choices);
			await rig.clock.run(early);
			if (early === 9000) {
				// In the middle of a recovery without a session there is no handle that could be named as lost.
				rig.room().down();
				await rig.clock.run(50);
			}
			const created = rig.created();
			rig.announce('account.leaving', { revision: 7 });
			expect([early, rig.view().phase, rig.open().microphone]).toEqual([early, 'idle', false]);
			await rig.clock.run(20_000);
			expect([early, rig.created(), rig.open()]).toEqual([early, created, nothingOpen]);
		}
	});

	it('takes a refusal of main because of another account as final', async () => {
		const changed = { kind: 'account-changed' } as const;
		const rig = await liveRig({ sessions: [null, changed] });
		rig.room().down();
		await rig.clock.run(20_000);
		expect(rig.view()).toMatchObject({ phase: 'failed', problem: changed });
		expect([rig.created(), rig.open()]).toEqual([2, nothingOpen]);
	});

	it('stops also when that happens while it is opening', async () => {
		const rig = createRig();
		rig.conversation.start(choices);
		await rig.clock.run(110);
		rig.sessionLost('another', 'ended-by-user');
		expect(rig.view().phase).not.toBe('idle');
		rig.sessionLost('session-1', 'ended-by-user');
		await rig.clock.run(3000);
		expect(rig.view().phase).toBe('idle');
		expect(rig.open()).toEqual(nothingOpen);
	});

	it('backs off when the loss comes again soon, and starts anew after half a minute without one', async () => {
		const rig = await liveRig();
		const drop = () => rig.room().down();
		const attempts: (number | undefined)[] = [];
		for (const liveMs of [5000, 5000, 40_000, 5000]) {
			drop();
			attempts.push(rig.view().recovering?.attempt);
			await rig.clock.run(3000 + liveMs);
			expect(rig.view().phase).toBe('live');
		}
		expect(attempts).toEqual([1, 2, 3, 1]);
	});

	it('stops when another client took the place', async () => {
		const rig = await liveRig();
		rig.room().down({ kind: 'opened-elsewhere' });
		await rig.clock.run(60_000);
		expect([rig.view().problem?.kind, rig.created(), rig.open()]).toEqual([
			'opened-elsewhere',
			1,
			nothingOpen,
		]);
	});

	it('keeps trying through an outage of ten minutes, with pauses, and is back within 5 s of its end', async () => {
		const offline: Problem = { kind: 'service-unreachable', cause: 'ENOTFOUND' };
		const rig = await liveRig({ sessionMs: 10 });
		rig.script.sessions = [null, ...Array<Problem>(10_000).fill(offline)];
		rig.room().down();
		await rig.clock.run(600_000);
		expect(rig.view()).toMatchObject({ phase: 'reconnecting' });
		expect(rig.created()).toBeLessThan(320);
		rig.script.sessions = [];
		await rig.clock.run(5000);
		expect([rig.view().phase, rig.open()]).toEqual(['live', running]);
	});

	it.each([
		[30_000, 30_000],
		[60_000, 60_000],
		// The longest wait that a service can ask for.
		[600_000, 60_000],
	])('waits as long as a service says that is asked too often: %d ms, it waits %d', async (asked, waited) => {
		const limited: Problem = { kind: 'rate-limited', retryAfterMs: asked };
		const rig = await liveRig({ sessionMs: 10, sessions: [null, limited] });
		rig.room().down();
		await rig.clock.run(10);
		expect(rig.created()).toBe(2);
		await rig.clock.run(waited - 1);
		expect(rig.created()).toBe(2);
		await rig.clock.run(1);
		expect(rig.created()).toBe(3);
	});

	it('asks four times while a place may still become free, and then says that the plan is full', async () => {
		const full: Problem = { kind: 'session-limit', detail: '' };
		const endOf = async (refusals: number) => {
			const rig = await liveRig({ sessionMs: 10, sessions: [null, ...Array<Problem>(refusals).fill(full)] });
			rig.room().down();
			await rig.clock.run(60_000);
			return [rig.view().phase, rig.view().problem?.kind, rig.created(), rig.open()];
		};
		expect(await endOf(3)).toEqual(['live', undefined, 5, running]);
		expect(await endOf(4)).toEqual(['failed', 'session-limit', 5, nothingOpen]);
	});

	it('tries a silent interpreter twice in an outage, and then says that it is one', async () => {
		const endOf = async (silent: number) => {
			const rig = await liveRig({
				rooms: [{}, ...Array<Partial<TransportScript>>(silent).fill({ silent: true }), {}],
			});
			rig.room().down();
			await rig.clock.run(120_000);
			return [rig.view().phase, rig.view().problem?.kind, rig.created(), rig.open()];
		};
		expect(await endOf(1)).toEqual(['live', undefined, 3, running]);
		expect(await endOf(2)).toEqual(['failed', 'interpreter-silent', 3, nothingOpen]);
	});

	it.each(['restoring', 'down'] as const)(
		'counts no time as interpreted while it goes on (%s)',
		async (state) => {
			const rig = await liveRig();
			await rig.clock.run(3000);
			const since = rig.view().countingSinceMs ?? Number.NaN;
			const counted = rig.view().interpretedMs + rig.clock.now() - since;
			rig.script.sessions = [null, ...Array<Problem>(100).fill({ kind: 'service-unreachable', cause: 'x' })];
			rig.room()[state]();
			await rig.clock.run(9000);
			if (state === 'restoring') rig.room().up();
			await rig.clock.run(10);
			expect(rig.view().phase).toBe(state === 'restoring' ? 'live' : 'reconnecting');
			rig.conversation.pause();
			expect(rig.view().interpretedMs - counted).toBeLessThanOrEqual(10);
		},
	);

	it('gives up after a quarter of an hour', async () => {
		const offline: Problem = { kind: 'service-unreachable', cause: 'ENOTFOUND' };
		const rig = await liveRig();
		rig.script.sessions = [null, ...Array<Problem>(10_000).fill(offline)];
		rig.room().down();
		await rig.clock.run(15 * 60_000 - 1);
		expect(rig.view().phase).toBe('reconnecting');
		await rig.clock.run(1);
		expect([rig.view().phase, rig.open()]).toEqual(['failed', nothingOpen]);
	});

	it('does not count the time in which it was live: a line that comes and goes ends no conversation', async () => {
		const rig = await liveRig({ sessionMs: 10 });
		const offline: Problem = { kind: 'service-unreachable', cause: 'ENOTFOUND' };
		for (let minute = 0; minute < 20; minute += 1) {
			rig.script.sessions = [null, ...Array<Problem>(10_000).fill(offline)];
			rig.room().down();
			await rig.clock.run(35_000);
			expect(rig.view().phase).toBe('reconnecting');
			rig.script.sessions = [];
			await rig.clock.run(25_000);
			expect(rig.view().phase).toBe('live');
		}
	});

	it('ends clean when stopped at any moment of a recovery', async () => {
		for (let atMs = 0; atMs <= 1400; atMs += 20) {
			const rig = await liveRig();
			rig.room().down();
			await rig.clock.run(atMs);
			rig.conversation.stop();
			await rig.clock.run(8000);
			expect([rig.view().phase, rig.open()], `${atMs} ms`).toEqual(['idle', nothingOpen]);
		}
	});
});

describe('the watchdog', () => {
	it('finds a dead path although the transport says nothing, and takes a new session', async () => {
		const rig = await liveRig();
		const dead = rig.room();
		dead.script.silent = true;
		dead.script.packets = false;
		await rig.clock.run(7000);
		expect(rig.rooms).toHaveLength(2);
		await rig.clock.run(2000);
		expect([rig.view().phase, dead.closes, rig.open()]).toEqual(['live', 1, running]);
	});

	it.each([
		['current', 'tells its queue'],
		['current', 'tells nothing'],
		['older', 'tells nothing'],
	] as const)(
		'takes half a minute without a packet from an interpreter (%s) that %s for silence',
		async (generation, tells) => {
			const rig = await liveRig({ rooms: [{ generation }] });
			const room = rig.room();
			room.script.voice = false;
			const seen = new Set<string>();
			for (let second = 0; second < 30; second += 1) {
				if (tells === 'tells its queue')
					room.tell({ type: 'message', message: { type: 'queue-level', levels: new Map() } });
				await rig.clock.run(1000);
				const { phase, notice, problem } = rig.view();
				seen.add(JSON.stringify({ phase, notice, problem }));
			}
			expect([...seen]).toEqual([JSON.stringify({ phase: 'live', notice: null, problem: null })]);
			expect([rig.rooms.length, rig.created(), room.closes]).toEqual([1, 1, 0]);
		},
	);

	it('finds within five seconds that nothing comes any more from a service that tells its queue', async () => {
		const rig = await liveRig();
		const dead = rig.room();
		tellQueue(dead);
		// Right after packets were counted: the second until they are counted again is lost.
		await rig.clock.run(1050);
		dead.script.silent = true;
		dead.script.packets = false;
		await rig.clock.run(5000);
		expect([rig.rooms.length, dead.closes]).toEqual([2, 1]);
	});

	it.each([5500, 7000, 9000])('is back in the same room when the line was cut for %d ms', async (cutMs) => {
		const { rig, room } = await liveWith(cut);
		await rig.clock.run(cutMs);
		expect([rig.view().phase, rig.created()]).toEqual(['reconnecting', 1]);
		Object.assign(room.script, whole);
		await rig.clock.run(1500);
		expect([rig.view().phase, rig.created(), room.closes]).toEqual(['live', 1, 0]);
	});

	it.each([0, 300, 600, 900, 1200, 1500, 1800, 2100, 2400])(
		'is back in it also when the interpreter had nothing to say, cut %d ms later',
		async (afterMs) => {
			const rig = await liveRig({ rooms: [{ path: true }] });
			const room = rig.room();
			room.script.voice = false;
			await rig.clock.run(10_050);
			tellQueue(room);
			for (let passedMs = 0; passedMs < afterMs; passedMs += 300) {
				await rig.clock.run(300);
				tellQueue(room);
			}
			Object.assign(room.script, cut);
			await rig.clock.run(5000);
			expect([rig.view().phase, rig.created()]).toEqual(['reconnecting', 1]);
			await rig.clock.run(2000);
			Object.assign(room.script, { ...whole, voice: false });
			await rig.clock.run(3600);
			expect([rig.view().phase, rig.created(), room.closes]).toEqual(['live', 1, 0]);
		},
	);

	it('goes on trying when a line came back for a second only, again and again, and blames no interpreter', async () => {
		const rig = await liveRig({ rooms: Array.from({ length: 9 }, () => ({ path: true })) });
		for (let times = 0; times < 5; times += 1) {
			await rig.clock.run(8050);
			expect(rig.view().phase).toBe('live');
			const room = rig.room();
			tellQueue(room);
			Object.assign(room.script, cut);
			await rig.clock.run(6000);
			Object.assign(room.script, { path: true });
			await rig.clock.run(2500);
			Object.assign(room.script, { path: false });
			await rig.clock.run(14_000);
			expect([rig.view().phase, rig.view().problem]).toEqual(['live', null]);
		}
	});

	it('waits for a way the transport makes anew when there is a network again', async () => {
		const { rig, room } = await liveWith(cut);
		await rig.clock.run(8500);
		room.restoring();
		rig.networkBack();
		await rig.clock.run(3000);
		Object.assign(room.script, whole);
		room.up();
		await rig.clock.run(100);
		expect([rig.view().phase, rig.created()]).toEqual(['live', 1]);
	});

	it('takes no other way of the same connection for the line that is back', async () => {
		const { rig, room } = await liveWith(cut, 20_050);
		await rig.clock.run(6000);
		const asked = commands(room).length;
		room.countAnew();
		await rig.clock.run(2000);
		expect([rig.view().phase, commands(room).length]).toEqual(['reconnecting', asked]);
		Object.assign(room.script, whole);
		await rig.clock.run(1500);
		expect([rig.view().phase, rig.created()]).toEqual(['live', 1]);
	});

	it('says why it is gone: nothing answers, or the computer slept', async () => {
		const { rig } = await liveWith(cut);
		await rig.clock.run(6000);
		expect(rig.view().recovering?.cause).toBe('no answer');
		const slept = createRig();
		await slept.goLive();
		slept.sleepFor(60_000);
		expect(slept.view().recovering?.cause).toBe('asleep');
	});

	it('waits for the answer from when the limits let the question go', async () => {
		const rig = await liveRig({ travel: { route: 'websocket', mayFallBack: false } });
		await rig.clock.run(5000);
		Object.assign(rig.socket().script, { silent: true, packets: false });
		await rig.clock.run(1000);
		// Right before it: two commands of this kind leave two seconds apart.
		rig.conversation.change({ ...choices, hear: ['fr'], voiceOf: 'fr' });
		rig.networkBack();
		await rig.clock.run(3900);
		expect([commands(rig.socket()).slice(-2), rig.sockets.length]).toEqual([['set_task', 'get_task'], 1]);
		await rig.clock.run(400);
		expect(rig.sockets).toHaveLength(2);
	});

	it('leaves the room when the line is cut for longer', async () => {
		const { rig } = await liveWith(cut);
		await rig.clock.run(9000);
		expect(rig.created()).toBe(1);
		await rig.clock.run(3500);
		expect([rig.view().phase, rig.created(), rig.open()]).toEqual(['live', 2, running]);
	});

	it('does not wait for a line that is whole when the interpreter alone is silent', async () => {
		const { rig } = await liveWith({ silent: true, voice: false });
		await rig.clock.run(6500);
		expect([rig.created(), rig.rooms[0]?.closes]).toEqual([2, 1]);
	});

	it('leaves it to the transport once that has noticed the cut line itself', async () => {
		const { rig, room } = await liveWith(cut);
		await rig.clock.run(6000);
		room.restoring('media');
		const asked = commands(room).length;
		Object.assign(room.script, whole);
		await rig.clock.run(5000);
		expect([rig.view().phase, commands(room).length]).toEqual(['reconnecting', asked]);
		room.up();
		await rig.clock.run(100);
		expect([rig.view().phase, rig.created()]).toEqual(['live', 1]);
	});

	it('asks at once by a socket when there is a network again, and takes another when nothing answers', async () => {
		const rig = await liveRig({ travel: { route: 'websocket', mayFallBack: false } });
		const asked = commands(rig.socket()).length;
		rig.networkBack();
		await rig.clock.run(2500);
		expect([commands(rig.socket()).slice(asked), rig.sockets.length]).toEqual([['get_task'], 1]);
		// So that the limit of commands holds nothing back.
		await rig.clock.run(2500);
		rig.socket().script.silent = true;
		rig.socket().script.packets = false;
		// Until those that came before are counted.
		await rig.clock.run(1000);
		rig.networkBack();
		await rig.clock.run(2400);
		expect(rig.sockets).toHaveLength(2);
	});

	it('asks a quiet service and is content with its answer', async () => {
		const rig = await liveRig();
		rig.rooms[0]?.tell({ type: 'message', message: { type: 'queue-level', levels: new Map() } });
		await rig.clock.run(120_000);
		expect([rig.view().phase, rig.created()]).toEqual(['live', 1]);
	});

	it('notices that our own packets stopped while the service still talks', async () => {
		const rig = await liveRig();
		const stuck = rig.room();
		stuck.script.packets = false;
		for (let s = 0; s < 8; s += 1) {
			stuck.say({ type: 'queue-level', levels: new Map() });
			await rig.clock.run(1000);
		}
		expect(stuck.closes).toBe(1);
	});

	it('sets the task again when something paused it behind our back', async () => {
		const rig = await liveRig();
		await rig.room().send({ message_type: 'pause_task', data: {} });
		await rig.clock.run(3000);
		expect([rig.room().task, commands(rig.room())]).toEqual([
			'running',
			['set_task', 'pause_task', 'set_task'],
		]);
	});
});

describe('sleep', () => {
	it('pauses, and goes on by itself after a short one', async () => {
		const rig = await liveRig();
		rig.announce('power.changed', { event: 'suspend' });
		expect([rig.view().paused, rig.open().microphone]).toEqual([true, false]);
		await rig.clock.run(5000);
		rig.announce('power.changed', { event: 'resume' });
		await rig.clock.run(3000);
		expect([rig.view().phase, rig.view().paused, rig.created(), rig.open()]).toEqual([
			'live',
			false,
			1,
			running,
		]);
	});

	it('takes a new session after more than half a minute', async () => {
		const rig = await liveRig();
		rig.announce('power.changed', { event: 'suspend' });
		rig.clock.advance(60_000);
		rig.announce('power.changed', { event: 'resume' });
		await rig.clock.run(3000);
		expect([rig.view().phase, rig.view().paused, rig.open()]).toEqual(['live', false, running]);
		expect(rig.created()).toBeGreaterThan(1);
	});

	it.each([
		[29_999, { paused: false, created: 1, asked: false }],
		[30_000, { paused: false, created: 2, asked: false }],
		[599_999, { paused: false, created: 2, asked: false }],
		[600_000, { paused: true, created: 1, asked: true }],
	])('of %d ms: %j', async (sleptMs, expected) => {
		for (const isAway of [false, true]) {
			const rig = await liveRig();
			if (isAway) rig.room().restoring();
			rig.sleepFor(sleptMs);
			await rig.clock.run(3000);
			const { phase, paused, notice } = rig.view();
			expect([isAway, phase, paused, notice?.kind === 'was-asleep', rig.created()]).toEqual([
				isAway,
				'live',
				expected.paused,
				expected.asked,
				// A link that was already down is not asked whether it survived the sleep.
				isAway && !expected.asked ? 2 : expected.created,
			]);
			expect(rig.open()).toEqual(expected.asked ? nothingOpen : running);
		}
	});

	it('of a minute, paused on a socket: it rests until it is resumed', async () => {
		const rig = await pausedOnSocket();
		rig.sleepFor(60_000);
		await rig.clock.run(20 * 60_000);
		expect(rig.view()).toMatchObject({ phase: 'live', paused: true });
		expect(rig.open()).toEqual(nothingOpen);
		rig.conversation.resume();
		await rig.clock.run(3000);
		expect(rig.view()).toMatchObject({ phase: 'live', paused: false });
		expect(rig.conversation.captions.finals()).toEqual([]);
	});

	it('after which the microphone of a socket is away: it rests, and is live once that is back and it is resumed', async () => {
		const rig = await liveOnSocket();
		rig.script.microphone = { kind: 'microphone-missing' };
		rig.sleepFor(60_000);
		await rig.clock.run(20 * 60_000);
		expect(rig.view()).toMatchObject({
			phase: 'live',
			paused: true,
			notice: { kind: 'problem', problem: { kind: 'microphone-missing' } },
		});
		expect(rig.open()).toEqual(nothingOpen);
		rig.script.microphone = null;
		rig.conversation.resume();
		await rig.clock.run(3000);
		expect(rig.view()).toMatchObject({ phase: 'live', paused: false });
		expect(rig.conversation.captions.finals()).toEqual([]);
	});

	it('in which a socket is lost is no pause of the person: it goes on by itself', async () => {
		const rig = await liveOnSocket();
		rig.announce('power.changed', { event: 'suspend' });
		rig.socket().down();
		rig.clock.sleep(60_000);
		rig.announce('power.changed', { event: 'resume' });
		// Asleep again before the microphone is there.
		rig.sleepFor(60_000);
		await rig.clock.run(3000);
		expect(rig.view()).toMatchObject({ phase: 'live', paused: false });
	});

	it('closes everything after ten minutes and waits for the person', async () => {
		const rig = await liveRig();
		rig.announce('power.changed', { event: 'suspend' });
		await rig.clock.run(11 * 60_000);
		rig.announce('power.changed', { event: 'resume' });
		await rig.clock.run(60_000);
		expect(rig.view()).toMatchObject({ phase: 'live', paused: true, notice: { kind: 'was-asleep' } });
		expect(rig.open()).toEqual(nothingOpen);
		rig.conversation.resume();
		await rig.clock.run(3000);
		expect([rig.view().phase, rig.view().paused, rig.open()]).toEqual(['live', false, running]);
	});
});
