import { describe, expect, it } from 'vitest';
import { choices, createRig, liveRig, nothingOpen } from '#test/support/conversation-rig.ts';
import { heardText } from '#test/support/heard-text.ts';

const commands = (room: { sent: readonly { message_type: string }[] }) =>
	room.sent.map((sent) => sent.message_type);

describe('start', () => {
	it('opens microphone and session side by side, then room and task, and is live once packets leave', async () => {
		const rig = createRig({ microphoneMs: 20, sessionMs: 20, rooms: [{ openMs: 10, readyMs: 500 }] });
		const seen: string[] = [];
		rig.conversation.store.subscribe(({ phase, awaiting }) => seen.push(`${phase} ${awaiting}`));
		rig.conversation.start(choices);
		await rig.clock.run(30);
		expect(rig.view().phase).toBe('starting');
		await rig.clock.run(1000);
		expect(rig.view()).toMatchObject({ phase: 'live', awaiting: null, paused: false, problem: null });
		expect([...new Set(seen)]).toEqual([
			'preparing microphone',
			'preparing session',
			'connecting room',
			'starting interpreter',
			'live null',
		]);
		expect(commands(rig.room())).toEqual(['set_task']);
		expect(rig.calls()).toContain('session.joined');
	});

	it('asks for the session in the press itself, before anything is rendered', () => {
		const rig = createRig();
		rig.conversation.start(choices);
		expect(rig.calls()).toContain('session.open');
	});

	it('shows that a room is being joined only when the joining is under way, at once all the same', async () => {
		const order: string[] = [];
		// As the library before it opens its socket.
		async function opening() {
			for (let hop = 0; hop < 20; hop += 1) await null;
			order.push('socket');
		}
		const rig = createRig({ microphoneMs: 20, sessionMs: 20, rooms: [{ open: 'never', opening }] });
		rig.conversation.store.subscribe(({ phase }) => order.push(phase));
		rig.conversation.start(choices);
		await rig.clock.run(21);
		expect([...new Set(order)]).toEqual(['preparing', 'socket', 'connecting']);
	});

	it('publishes the microphone before the room is joined', async () => {
		const rig = createRig({ rooms: [{ open: 'never' }] });
		rig.conversation.start(choices);
		await rig.clock.run(1000);
		expect(rig.room().microphones).toEqual([expect.objectContaining({ kind: 'audio' })]);
	});

	it('joins the room while the microphone is still asked for; the task waits for it', async () => {
		const rig = createRig({
			microphoneMs: 12_000,
			sessionMs: 100,
			travel: { route: 'webrtc', mayFallBack: true },
		});
		rig.conversation.start(choices);
		await rig.clock.run(11_990);
		expect(rig.view()).toMatchObject({
			phase: 'preparing',
			awaiting: 'microphone',
			travel: { fellBack: null },
		});
		expect([rig.room().state, rig.room().microphones, commands(rig.room())]).toEqual(['open', [], []]);
		await rig.clock.run(2000);
		expect(rig.view().phase).toBe('live');
		expect(rig.room().microphones).toEqual([expect.objectContaining({ kind: 'audio' })]);
		expect(commands(rig.room())).toEqual(['set_task']);
	});

	it('leaves the room again when the microphone is refused', async () => {
		const problem = { kind: 'microphone-denied' } as const;
		const rig = createRig({ microphoneMs: 3000, microphone: problem });
		rig.conversation.start(choices);
		await rig.clock.run(2000);
		expect(rig.open()).toMatchObject({ sessions: 1, rooms: 1 });
		await rig.clock.run(2000);
		expect([rig.view().problem, rig.open()]).toEqual([problem, nothingOpen]);
	});

	it('is confirmed by get_task where the service acknowledges nothing', async () => {
		const rig = createRig({ rooms: [{ generation: 'older' }] });
		rig.conversation.start(choices);
		await rig.clock.run(2000);
		expect(rig.view()).toMatchObject({ phase: 'starting', awaiting: 'interpreter' });
		await rig.clock.run(500);
		expect(rig.view().phase).toBe('live');
		expect(commands(rig.room())).toEqual(['set_task', 'get_task']);
	});

	it('sends the task again after two NOT_FOUND when the first was lost', async () => {
		const rig = createRig({ rooms: [{ lose: 1 }] });
		rig.conversation.start(choices);
		await rig.clock.run(8000);
		expect(rig.view().phase).toBe('live');
		expect(commands(rig.room()).filter((name) => name === 'set_task')).toHaveLength(2);
		expect(commands(rig.room()).slice(0, 4)).toEqual(['set_task', 'get_task', 'get_task', 'set_task']);
	});

	it('is not live while no packet leaves, and says what it waits for', async () => {
		const rig = createRig({ rooms: [{ packets: false }] });
		rig.conversation.start(choices);
		await rig.clock.run(5000);
		expect(rig.view()).toMatchObject({ phase: 'starting', awaiting: 'first-packet' });
		rig.room().script.packets = true;
		await rig.clock.run(500);
		expect(rig.view().phase).toBe('live');
	});

	it('fails with the reason and nothing open when the task is refused', async () => {
		const rig = createRig({
			rooms: [{ refuse: { code: 'VALIDATION_ERROR', text: 'bad', field: 'pipeline.x' } }],
		});
		rig.conversation.start(choices);
		await rig.clock.run(5000);
		expect(rig.view()).toMatchObject({
			phase: 'failed',
			problem: { kind: 'task-refused', field: 'pipeline.x', detail: 'bad' },
		});
		expect([rig.open(), rig.clock.pending]).toEqual([nothingOpen, 1]);
	});

	it('takes one new session when the first is refused at the door, and only one', async () => {
		const refused = { open: { kind: 'room-refused', reason: 'expired' } } as const;
		const once = createRig({ rooms: [refused, {}] });
		once.conversation.start(choices);
		await once.clock.run(3000);
		expect([once.view().phase, once.created(), once.open().sessions]).toEqual(['live', 2, 1]);

		const always = createRig({ rooms: [refused] });
		always.conversation.start(choices);
		await always.clock.run(3000);
		expect([always.view().problem, always.created(), always.open()]).toEqual([refused.open, 2, nothingOpen]);
	});

	it('says after 10 s that the interpreter is silent, takes a new session after 20 s, then fails', async () => {
		const rig = createRig({ rooms: [{ silent: true }] });
		rig.conversation.start(choices);
		await rig.clock.run(10_500);
		expect(rig.view()).toMatchObject({
			phase: 'starting',
			notice: { kind: 'problem', problem: { kind: 'interpreter-silent' } },
		});
		await rig.clock.run(10_000);
		expect(rig.created()).toBe(2);
		await rig.clock.run(21_000);
		expect(rig.view().problem?.kind).toBe('interpreter-silent');
		expect(rig.open()).toEqual(nothingOpen);
	});

	it('no longer says that the interpreter is silent once it has answered', async () => {
		const rig = createRig({ rooms: [{ silent: true }] });
		rig.conversation.start(choices);
		await rig.clock.run(10_500);
		expect(rig.view().notice).toMatchObject({ problem: { kind: 'interpreter-silent' } });
		rig.room().script.silent = false;
		await rig.clock.run(3000);
		expect([rig.view().phase, rig.view().notice]).toEqual(['live', null]);
	});

	it('says why choices cannot be interpreted, without opening anything', () => {
		const rig = createRig();
		rig.conversation.start({ ...choices, speak: 'es', hear: ['es-mx'] });
		expect(rig.view()).toMatchObject({
			phase: 'failed',
			problem: { kind: 'languages-same', language: 'es-mx' },
		});
		expect([rig.created(), rig.open()]).toEqual([0, nothingOpen]);
	});

	it('deletes the session when the microphone is denied, also when the session comes later', async () => {
		const rig = createRig({ microphone: { kind: 'microphone-denied' }, sessionMs: 900 });
		rig.conversation.start(choices);
		await rig.clock.run(100);
		expect(rig.view().problem?.kind).toBe('microphone-denied');
		await rig.clock.run(1000);
		expect([rig.created(), rig.open()]).toEqual([1, nothingOpen]);
	});

	it('makes one conversation of twenty clicks', async () => {
		const rig = createRig();
		for (let click = 0; click < 20; click += 1) {
			rig.conversation.start(choices);
			await rig.clock.run(50);
		}
		await rig.clock.run(3000);
		expect([rig.view().phase, rig.created(), rig.open()]).toEqual([
			'live',
			1,
			{ sessions: 1, rooms: 1, microphone: true },
		]);
	});

	it('leaves at most one session after a hundred starts and stops', async () => {
		const rig = createRig();
		for (let round = 0; round < 100; round += 1) {
			rig.conversation.start(choices);
			await rig.clock.run(round * 7);
			rig.conversation.stop();
			rig.conversation.stop();
			await rig.clock.run(round);
		}
		await rig.clock.run(5000);
		expect([rig.view().phase, rig.open()]).toEqual(['idle', nothingOpen]);
	});
});

describe('stop', () => {
	it('ends clean whenever it comes during the start chain, the microphone at once', async () => {
		for (let atMs = 0; atMs <= 1600; atMs += 10) {
			const rig = createRig({ rooms: [{ generation: atMs % 20 === 0 ? 'current' : 'older' }] });
			rig.conversation.start(choices);
			await rig.clock.run(atMs);
			rig.conversation.stop();
			expect(rig.open().microphone, `microphone at ${atMs} ms`).toBe(false);
			await rig.clock.run(8000);
			expect([rig.view().phase, rig.open()], `stopped at ${atMs} ms`).toEqual(['idle', nothingOpen]);
			for (const room of rig.rooms) expect(room.closes).toBe(1);
		}
	});

	it('plays the tail to the end of stream, sending silence, then closes everything', async () => {
		const rig = await liveRig({ rooms: [{ tailMs: 4000 }] });
		rig.conversation.stop();
		expect(rig.open().microphone).toBe(false);
		await rig.clock.run(3900);
		expect(rig.view()).toMatchObject({ phase: 'ending', tail: true });
		expect([commands(rig.room()).at(-1), rig.room().microphones.at(-1)]).toEqual(['end_task', null]);
		await rig.clock.run(1000);
		expect([rig.view().phase, rig.open()]).toEqual(['idle', nothingOpen]);
	});

	it('waits 6 s for progress and 30 s in all', async () => {
		const quiet = createRig({ rooms: [{ tailMs: null }] });
		await quiet.goLive();
		quiet.conversation.stop();
		await quiet.clock.run(5900);
		expect(quiet.view().phase).toBe('ending');
		await quiet.clock.run(200);
		expect(quiet.view().phase).toBe('idle');

		const busy = createRig({ rooms: [{ tailMs: null }] });
		await busy.goLive();
		busy.conversation.stop();
		for (let s = 0; s < 29; s += 1) {
			busy.room().say(heardText(`t${s}`));
			await busy.clock.run(1000);
		}
		expect(busy.view().phase).toBe('ending');
		await busy.clock.run(1100);
		expect([busy.view().phase, busy.open()]).toEqual(['idle', nothingOpen]);
	});

	it('keeps captions of the tail, and what was open stays as it was', async () => {
		const rig = await liveRig({ rooms: [{ tailMs: 3000 }] });
		rig.room().say(heardText('a', { final: false, text: 'hel' }));
		rig.conversation.stop();
		await rig.clock.run(1000);
		rig.room().say(heardText('a', { text: 'hello' }));
		rig.room().say(heardText('a', { kind: 'translation', language: 'es', text: 'hola' }));
		await rig.clock.run(9000);
		expect(rig.conversation.captions.finals().map((segment) => segment.text)).toEqual(['hello', 'hola']);
	});

	it('cuts the tail when pressed again, and Stop now resolves once main has the session', async () => {
		const rig = await liveRig({ rooms: [{ tailMs: null }] });
		rig.conversation.stop();
		rig.conversation.stop();
		expect([rig.view().phase, rig.open().microphone]).toEqual(['idle', false]);
		await rig.clock.run(0);
		expect(rig.open()).toEqual(nothingOpen);

		const again = createRig();
		await again.goLive();
		const done = again.conversation.stopNow();
		await again.clock.run(0);
		await done;
		expect(again.open()).toEqual(nothingOpen);
	});

	it('tells the older generation how long to wait for the tail', async () => {
		const rig = await liveRig({ rooms: [{ generation: 'older' }] });
		rig.conversation.stop();
		await rig.clock.run(0);
		expect(rig.room().sent.at(-1)).toEqual({ message_type: 'end_task', data: { eos_timeout: 4 } });
	});

	it('ends at once and answers when the app is closing', async () => {
		const rig = await liveRig();
		rig.announce('app.closing', { reason: 'quit' });
		await rig.clock.run(10);
		expect(rig.open()).toEqual(nothingOpen);
		expect(rig.calls().slice(-1)).toEqual(['app.close-ready']);
	});

	it('leaves no timer behind once closed', async () => {
		const rig = await liveRig();
		const done = rig.conversation.close();
		await rig.clock.run(0);
		await done;
		await rig.clock.run(500);
		expect(rig.clock.pending).toBe(0);
	});
});
