import { describe, expect, it } from 'vitest';
import type { Problem } from '#shared/problem.ts';
import type { ServerMessage } from '#shared/protocol/server-message.ts';
import { choices, createRig, nothingOpen } from '#test/support/conversation-rig.ts';
import type { ScriptedTransport } from '#test/support/scripted-transport.ts';

const commands = (room: ScriptedTransport) => room.sent.map((sent) => sent.message_type);
const targetsSent = (room: ScriptedTransport) =>
	room.sent.flatMap((sent) =>
		sent.message_type === 'set_task'
			? [sent.data.pipeline.translations.map((translation) => translation.target_language).join()]
			: [],
	);
const source = (id: string, textOf = id): ServerMessage => ({
	type: 'transcript',
	kind: 'source',
	final: true,
	transcriptionId: id,
	partId: '0',
	language: 'en',
	text: textOf,
	startS: null,
	endS: null,
});
const french = { ...choices, hear: ['fr'], voiceOf: 'fr' };
const german = { ...choices, hear: ['de'], voiceOf: 'de' };
const lost: Problem = { kind: 'connection-lost', reason: 'gave-up' };
const running = { sessions: 1, rooms: 1, microphone: true };

describe('pause', () => {
	it('closes the microphone, sends silence and pause_task, and the whole task again on resume', async () => {
		const rig = createRig();
		await rig.goLive();
		rig.conversation.pause();
		expect([rig.open().microphone, rig.view().paused]).toEqual([false, true]);
		await rig.clock.run(60_000);
		expect([commands(rig.room()).at(-1), rig.room().task]).toEqual(['pause_task', 'paused']);
		expect(rig.room().microphones.at(-1)).toBe(null);
		rig.conversation.resume();
		await rig.clock.run(2000);
		expect(commands(rig.room()).at(-1)).toBe('set_task');
		expect([rig.view().phase, rig.view().paused, rig.open(), rig.room().task]).toEqual([
			'live',
			false,
			running,
			'running',
		]);
		expect(rig.room().microphones.at(-1)).toMatchObject({ kind: 'audio' });
	});

	it('asks again until the service says that it is paused, where it acknowledges nothing', async () => {
		const rig = createRig({ rooms: [{ generation: 'older' }] });
		await rig.goLive();
		rig.room().script.lose = 1;
		rig.conversation.pause();
		await rig.clock.run(10_000);
		expect(commands(rig.room()).filter((name) => name === 'pause_task')).toHaveLength(2);
		expect(rig.room().task).toBe('paused');
	});

	it('counts interpreted time without the pause', async () => {
		const rig = createRig();
		await rig.goLive();
		const since = rig.view().countedAtMs;
		await rig.clock.run(3000);
		const before = rig.clock.now() - since;
		rig.conversation.pause();
		await rig.clock.run(60_000);
		expect(rig.view().interpretedMs).toBe(before);
	});

	it('that is over for long has no tail: Stop ends it at once', async () => {
		const rig = createRig();
		await rig.goLive();
		rig.conversation.pause();
		await rig.clock.run(20_000);
		rig.conversation.stop();
		expect([rig.view().phase, rig.open()]).toEqual(['idle', nothingOpen]);
	});

	it('gives the session up when the service never says that it is paused', async () => {
		const rig = createRig();
		await rig.goLive();
		rig.room().script.silent = true;
		rig.conversation.pause();
		await rig.clock.run(12_000);
		expect(rig.view()).toMatchObject({ phase: 'live', paused: true });
		expect([rig.created(), rig.room().task, rig.open().sessions]).toEqual([2, 'none', 1]);
	});

	it('pauses with the reason when the microphone is taken away', async () => {
		const rig = createRig();
		await rig.goLive();
		rig.microphoneSays({ type: 'lost', problem: { kind: 'microphone-denied' } });
		await rig.clock.run(1000);
		expect(rig.view()).toMatchObject({
			phase: 'live',
			paused: true,
			notice: { kind: 'problem', problem: { kind: 'microphone-denied' } },
		});
		expect(rig.room().task).toBe('paused');
	});
});

describe('a change while live', () => {
	it.each(['current', 'older'] as const)(
		'is applied when the service confirms it (%s)',
		async (generation) => {
			const rig = createRig({ rooms: [{ generation }] });
			await rig.goLive();
			rig.conversation.change(french);
			expect(rig.view().change).toBe('waiting');
			await rig.clock.run(6000);
			expect([rig.view().change, targetsSent(rig.room()).at(-1)]).toEqual(['applied', 'fr']);
			expect(rig.mixerCalls).toContain('select fr');
		},
	);

	it('sends the last of many within the limit, not each', async () => {
		const rig = createRig();
		await rig.goLive();
		for (const next of [french, german, french, german]) rig.conversation.change(next);
		await rig.clock.run(10_000);
		expect(targetsSent(rig.room())).toEqual(['es', 'fr', 'de']);
		expect(rig.view().change).toBe('applied');
	});

	it('is rolled back with the reason when refused, and the old task is what a resume sends', async () => {
		const rig = createRig();
		await rig.goLive();
		rig.room().script.refuse = {
			code: 'VALIDATION_ERROR',
			text: 'no such voice',
			field: 'pipeline.translations.0',
		};
		rig.conversation.change(french);
		await rig.clock.run(3000);
		expect(rig.view()).toMatchObject({
			phase: 'live',
			change: 'refused',
			notice: { kind: 'problem', problem: { kind: 'task-refused', detail: 'no such voice' } },
		});
		rig.room().script.refuse = null;
		rig.conversation.pause();
		await rig.clock.run(4000);
		rig.conversation.resume();
		await rig.clock.run(4000);
		expect(targetsSent(rig.room())).toEqual(['es', 'fr', 'es']);
	});

	it('that only chooses another voice is applied at once, without a word to the service', async () => {
		const both = { ...choices, hear: ['es', 'fr'], voiceOf: 'es' };
		const rig = createRig();
		rig.conversation.start(both);
		await rig.clock.run(5000);
		const seen: string[] = [];
		rig.conversation.store.subscribe(({ change }) => seen.push(change));
		rig.conversation.change({ ...both, voiceOf: 'fr' });
		rig.conversation.change(both);
		expect([seen, rig.mixerCalls.slice(-2)]).toEqual([
			['waiting', 'applied', 'waiting', 'applied'],
			['select fr', 'select es'],
		]);
		expect(targetsSent(rig.room())).toEqual(['es,fr']);
	});

	it('that cannot be interpreted is refused with the reason, and nothing is sent', async () => {
		const rig = createRig();
		await rig.goLive();
		rig.conversation.change({ ...choices, hear: ['en-gb'] });
		await rig.clock.run(3000);
		expect(rig.view()).toMatchObject({
			phase: 'live',
			change: 'refused',
			notice: { kind: 'problem', problem: { kind: 'languages-same' } },
		});
		expect(targetsSent(rig.room())).toEqual(['es']);
	});

	it('waits for live when it comes during a recovery', async () => {
		const rig = createRig();
		await rig.goLive();
		rig.room().tell({ type: 'link', link: { state: 'down', problem: lost } });
		rig.conversation.change(french);
		await rig.clock.run(8000);
		expect(rig.rooms).toHaveLength(2);
		expect([targetsSent(rig.room()), rig.view().change]).toEqual([['es', 'fr'], 'applied']);
	});
});

describe('recovery', () => {
	it('asks for the task after the transport came back, and does not set it twice', async () => {
		const rig = createRig();
		await rig.goLive();
		rig.room().tell({ type: 'link', link: { state: 'restoring', cause: 'signal' } });
		expect(rig.view()).toMatchObject({ phase: 'reconnecting', recovering: { attempt: 1, cause: 'signal' } });
		await rig.clock.run(5000);
		rig.room().tell({ type: 'link', link: { state: 'up' } });
		await rig.clock.run(100);
		expect([rig.view().phase, commands(rig.room()), rig.created()]).toEqual([
			'live',
			['set_task', 'get_task'],
			1,
		]);
	});

	it('sets the task again, once, when it is gone after a reconnect', async () => {
		const rig = createRig();
		await rig.goLive();
		rig.room().tell({ type: 'link', link: { state: 'restoring', cause: 'signal' } });
		rig.room().forgetTask();
		rig.room().tell({ type: 'link', link: { state: 'up' } });
		await rig.clock.run(8000);
		expect([rig.view().phase, commands(rig.room())]).toEqual(['live', ['set_task', 'get_task', 'set_task']]);
	});

	it('keeps captions apart when a task set anew uses the ids of the one before', async () => {
		const rig = createRig();
		await rig.goLive();
		rig.room().say(source('a', 'before'));
		rig.room().tell({ type: 'link', link: { state: 'restoring', cause: 'signal' } });
		rig.room().forgetTask();
		rig.room().tell({ type: 'link', link: { state: 'up' } });
		await rig.clock.run(8000);
		rig.room().say(source('a', 'after'));
		expect(rig.conversation.captions.finals().map((segment) => segment.text)).toEqual(['before', 'after']);
	});

	it('gives the transport twenty seconds, then takes a new session', async () => {
		const rig = createRig();
		await rig.goLive();
		rig.room().tell({ type: 'link', link: { state: 'restoring', cause: 'signal' } });
		await rig.clock.run(19_900);
		expect(rig.created()).toBe(1);
		await rig.clock.run(2000);
		expect([rig.view().phase, rig.created(), rig.open()]).toEqual(['live', 2, running]);
	});

	it('stays paused through a loss, by either way back, and bills nothing', async () => {
		const rig = createRig();
		await rig.goLive();
		rig.conversation.pause();
		await rig.clock.run(4000);
		rig.room().tell({ type: 'link', link: { state: 'restoring', cause: 'signal' } });
		rig.room().tell({ type: 'link', link: { state: 'up' } });
		await rig.clock.run(4000);
		expect(rig.view()).toMatchObject({ phase: 'live', paused: true });
		expect(commands(rig.room())).toEqual(['set_task', 'pause_task', 'pause_task']);
		rig.room().tell({ type: 'link', link: { state: 'down', problem: lost } });
		await rig.clock.run(4000);
		expect(rig.view()).toMatchObject({ phase: 'live', paused: true });
		expect([commands(rig.room()), rig.open()]).toEqual([[], { sessions: 1, rooms: 1, microphone: false }]);
		rig.conversation.resume();
		await rig.clock.run(3000);
		expect([rig.view().paused, rig.room().task, rig.open()]).toEqual([false, 'running', running]);
	});

	it('still plays the tail when stopped right after the link came back', async () => {
		const rig = createRig({ rooms: [{ generation: 'older' }] });
		await rig.goLive();
		rig.room().tell({ type: 'link', link: { state: 'restoring', cause: 'signal' } });
		rig.room().script.silent = true;
		rig.room().tell({ type: 'link', link: { state: 'up' } });
		rig.conversation.stop();
		expect(rig.view()).toMatchObject({ phase: 'ending', tail: true });
		await rig.clock.run(7000);
		expect([rig.view().phase, rig.open()]).toEqual(['idle', nothingOpen]);
	});

	it('joins with a new session when the link is down, same mute, same captions', async () => {
		const rig = createRig();
		await rig.goLive();
		rig.conversation.setMuted(true);
		rig.room().say(source('a', 'before'));
		rig.room().tell({ type: 'link', link: { state: 'down', problem: lost } });
		await rig.clock.run(1200);
		expect(rig.view()).toMatchObject({ phase: 'live', muted: true });
		expect([rig.isMuted(), rig.created(), rig.open()]).toEqual([true, 2, running]);
		rig.room().say(source('a', 'after'));
		expect(rig.conversation.captions.finals().map((segment) => segment.text)).toEqual(['before', 'after']);
	});

	it('takes the place of a session that was lost, but asks when it is taken twice within a minute', async () => {
		const rig = createRig();
		await rig.goLive();
		rig.announce('session.lost', {
			handle: 'session-1',
			problem: { kind: 'session-lost', cause: 'deleted' },
		});
		await rig.clock.run(3000);
		expect([rig.view().phase, rig.created(), rig.open()]).toEqual(['live', 2, running]);
		rig.announce('session.lost', {
			handle: 'session-1',
			problem: { kind: 'session-lost', cause: 'late news' },
		});
		expect(rig.view().phase).toBe('live');
		rig
			.room()
			.tell({ type: 'link', link: { state: 'down', problem: { kind: 'session-lost', cause: 'removed' } } });
		expect(rig.view()).toMatchObject({
			phase: 'failed',
			problem: { kind: 'session-lost', cause: 'removed' },
		});
		expect(rig.open()).toEqual(nothingOpen);
	});

	it('backs off when the loss comes again soon, and starts anew after half a minute without one', async () => {
		const rig = createRig();
		await rig.goLive();
		const drop = () => rig.room().tell({ type: 'link', link: { state: 'down', problem: lost } });
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
		const rig = createRig();
		await rig.goLive();
		rig.room().tell({ type: 'link', link: { state: 'down', problem: { kind: 'opened-elsewhere' } } });
		await rig.clock.run(60_000);
		expect([rig.view().problem?.kind, rig.created(), rig.open()]).toEqual([
			'opened-elsewhere',
			1,
			nothingOpen,
		]);
	});

	it('keeps trying through an outage of ten minutes, with pauses, and is back within 5 s of its end', async () => {
		const offline: Problem = { kind: 'service-unreachable', cause: 'ENOTFOUND' };
		const rig = createRig({ sessionMs: 10 });
		await rig.goLive();
		rig.script.sessions = [null, ...Array<Problem>(10_000).fill(offline)];
		rig.room().tell({ type: 'link', link: { state: 'down', problem: lost } });
		await rig.clock.run(600_000);
		expect(rig.view()).toMatchObject({ phase: 'reconnecting' });
		expect(rig.created()).toBeLessThan(320);
		rig.script.sessions = [];
		await rig.clock.run(5000);
		expect([rig.view().phase, rig.open()]).toEqual(['live', running]);
	});

	it('gives up after a quarter of an hour', async () => {
		const offline: Problem = { kind: 'service-unreachable', cause: 'ENOTFOUND' };
		const rig = createRig();
		await rig.goLive();
		rig.script.sessions = [null, ...Array<Problem>(10_000).fill(offline)];
		rig.room().tell({ type: 'link', link: { state: 'down', problem: lost } });
		await rig.clock.run(16 * 60_000);
		expect([rig.view().phase, rig.open()]).toEqual(['failed', nothingOpen]);
	});

	it('ends clean when stopped at any moment of a recovery', async () => {
		for (let atMs = 0; atMs <= 1400; atMs += 20) {
			const rig = createRig();
			await rig.goLive();
			rig.room().tell({ type: 'link', link: { state: 'down', problem: lost } });
			await rig.clock.run(atMs);
			rig.conversation.stop();
			await rig.clock.run(8000);
			expect([rig.view().phase, rig.open()], `${atMs} ms`).toEqual(['idle', nothingOpen]);
		}
	});
});

describe('the watchdog', () => {
	it('finds a dead path although the transport says nothing, and takes a new session', async () => {
		const rig = createRig();
		await rig.goLive();
		const dead = rig.room();
		dead.script.silent = true;
		dead.script.packets = false;
		await rig.clock.run(7000);
		expect(rig.rooms).toHaveLength(2);
		await rig.clock.run(2000);
		expect([rig.view().phase, dead.closes, rig.open()]).toEqual(['live', 1, running]);
	});

	it('asks a quiet service and is content with its answer', async () => {
		const rig = createRig();
		await rig.goLive();
		rig.rooms[0]?.tell({ type: 'message', message: { type: 'queue-level', levels: new Map() } });
		await rig.clock.run(120_000);
		expect([rig.view().phase, rig.created()]).toEqual(['live', 1]);
	});

	it('notices that our own packets stopped while the service still talks', async () => {
		const rig = createRig();
		await rig.goLive();
		const stuck = rig.room();
		stuck.script.packets = false;
		for (let s = 0; s < 8; s += 1) {
			stuck.say({ type: 'queue-level', levels: new Map() });
			await rig.clock.run(1000);
		}
		expect(stuck.closes).toBe(1);
	});

	it('sets the task again when something paused it behind our back', async () => {
		const rig = createRig();
		await rig.goLive();
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
		const rig = createRig();
		await rig.goLive();
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
		const rig = createRig();
		await rig.goLive();
		rig.announce('power.changed', { event: 'suspend' });
		rig.clock.advance(60_000);
		rig.announce('power.changed', { event: 'resume' });
		await rig.clock.run(3000);
		expect([rig.view().phase, rig.view().paused, rig.open()]).toEqual(['live', false, running]);
		expect(rig.created()).toBeGreaterThan(1);
	});

	it('closes everything after ten minutes and waits for the person', async () => {
		const rig = createRig();
		await rig.goLive();
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

describe('the voice', () => {
	const track = (id: string) => ({ kind: 'audio', id }) as MediaStreamTrack;

	it('is matched with the target by prefix and region, and goes with the room', async () => {
		const rig = createRig();
		await rig.goLive();
		rig.room().tell({ type: 'voice', language: 'es_0', track: track('one') });
		rig.room().tell({ type: 'voice', language: 'es_0', track: track('two') });
		rig.conversation.stop();
		await rig.clock.run(8000);
		expect(rig.mixerCalls).toEqual([
			'resume',
			'select es',
			'voice es one',
			'voice es two',
			'voice es none',
			'clear',
		]);
	});

	it.each([
		['current', 'interrupt_task'],
		['older', 'flush_task'],
	] as const)('is cut and comes back when catching up (%s)', async (generation, command) => {
		const rig = createRig({ rooms: [{ generation }] });
		await rig.goLive();
		rig.conversation.catchUp();
		await rig.clock.run(1000);
		expect(rig.room().sent.at(-1)).toEqual({
			message_type: command,
			data: { languages: ['global'], pause_task: false },
		});
		expect(rig.mixerCalls.slice(-2)).toEqual(['cut', 'resume']);
	});
});

describe('what is told', () => {
	it('says the phase to main once per change', async () => {
		const rig = createRig();
		await rig.goLive();
		rig.conversation.setMuted(true);
		rig.conversation.stopNow();
		await rig.clock.run(10);
		const told = rig.asked.filter(({ name }) => name === 'conversation.phase').map(({ input }) => input);
		expect(told).toEqual([
			{ phase: 'starting', muted: false },
			{ phase: 'live', muted: false },
			{ phase: 'live', muted: true },
			{ phase: 'idle', muted: true },
		]);
	});

	it('shows the delay once a phrase was translated', async () => {
		const rig = createRig();
		await rig.goLive();
		expect(rig.view().delayMs).toBe(null);
		rig.room().say({ ...source('a'), final: false } as ServerMessage);
		await rig.clock.run(2000);
		rig.room().say({ ...source('a'), kind: 'translation', language: 'es' } as ServerMessage);
		await rig.clock.run(1000);
		expect(rig.view().delayMs).toBeGreaterThanOrEqual(1900);
		expect(rig.view().delayMs).toBeLessThan(2400);
	});

	it('takes back what is no longer true', async () => {
		const rig = createRig();
		await rig.goLive();
		rig.microphoneSays({ type: 'silent', device: 'USB' });
		expect(rig.view().notice).toEqual({ kind: 'silent-microphone', device: 'USB' });
		rig.room().say(source('a'));
		expect(rig.view().notice).toBe(null);
		rig.conversation.setMuted(true);
		rig.microphoneSays({ type: 'speaking-while-muted' });
		rig.conversation.setMuted(false);
		expect(rig.view().notice).toBe(null);
	});
});
