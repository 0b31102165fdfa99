import { describe, expect, it } from 'vitest';
import type { Problem } from '#shared/problem.ts';
import { decodeServerMessage } from '#shared/protocol/decode-server-message.ts';
import type { ServerMessage } from '#shared/protocol/server-message.ts';
import { choices, createRig, liveRig, nothingOpen } from '#test/support/conversation-rig.ts';
import { heardText } from '#test/support/heard-text.ts';
import { createInterpreterStage, SPEECH } from '#test/support/interpreter-stage.ts';
import type { ScriptedTransport } from '#test/support/scripted-transport.ts';

const commands = (room: ScriptedTransport) => room.sent.map((sent) => sent.message_type);
const targetsSent = (room: ScriptedTransport) =>
	room.sent.flatMap((sent) =>
		sent.message_type === 'set_task'
			? [sent.data.pipeline.translations.map((translation) => translation.target_language).join()]
			: [],
	);
const french = { ...choices, hear: ['fr'], voiceOf: 'fr' };
const german = { ...choices, hear: ['de'], voiceOf: 'de' };
const running = { sessions: 1, rooms: 1, microphone: true };

describe('pause', () => {
	it('closes the microphone, sends pause_task and then nothing, and the whole task again on resume', async () => {
		const rig = await liveRig();
		rig.conversation.pause();
		expect([rig.open().microphone, rig.view().paused]).toEqual([false, true]);
		await rig.clock.run(60_000);
		expect([commands(rig.room()).at(-1), rig.room().task]).toEqual(['pause_task', 'paused']);
		// Silence, until the interpreter had confirmed it.
		expect(rig.room().microphones.slice(-2)).toEqual([null, undefined]);
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

	it.each(['pause', 'stop'] as const)(
		'leaves no caption running for ever: it is cut off by %s',
		async (how) => {
			const rig = await liveRig();
			rig.room().say(heardText('a', { text: 'Could you', final: false }));
			rig.conversation[how]();
			await rig.clock.run(10_000);
			expect(rig.conversation.captions.row(0)?.source).toMatchObject({ final: false, cutOff: true });
		},
	);

	it('asks again until the service says that it is paused, where it acknowledges nothing', async () => {
		const rig = await liveRig({ rooms: [{ generation: 'older' }] });
		rig.room().script.lose = 1;
		rig.conversation.pause();
		await rig.clock.run(2000);
		expect([rig.room().task, rig.room().microphones.at(-1)]).toEqual(['running', null]);
		await rig.clock.run(8000);
		expect(commands(rig.room()).filter((name) => name === 'pause_task')).toHaveLength(2);
		expect([rig.room().task, rig.room().microphones.at(-1)]).toEqual(['paused', undefined]);
	});

	it('asks for it three times and no more from a service that says that the task runs', async () => {
		const rig = await liveRig();
		const room = rig.room();
		room.script.silent = true;
		const before = room.sent.length;
		rig.conversation.pause();
		let looks = 0;
		while (rig.created() === 1) {
			await rig.clock.run(50);
			const asked = commands(room).filter((name) => name === 'get_task').length;
			if (asked === looks) continue;
			looks = asked;
			room.tell({ type: 'message', message: { type: 'current-task', status: 'running', targets: ['es'] } });
		}
		expect(
			commands(room)
				.slice(before)
				.filter((name) => name === 'pause_task'),
		).toHaveLength(3);
		expect(looks).toBeGreaterThan(2);
		await rig.clock.run(2000);
		expect([rig.view().phase, rig.view().paused, rig.created()]).toEqual(['live', true, 2]);
	});

	it('is not over because the service says something else, and is when it knows of no task', async () => {
		const rig = await liveRig({ rooms: [{ generation: 'older' }] });
		const room = rig.room();
		room.script.silent = true;
		rig.conversation.pause();
		await rig.clock.run(1000);
		const says = (message: ServerMessage) => room.tell({ type: 'message', message });
		says({ type: 'error', code: 'VALIDATION_ERROR', text: 'No', field: 'x' });
		says({ type: 'queue-level', levels: new Map() });
		says({ type: 'task-status', command: 'set_task', event: 'x', status: 'running', transcriptionId: null });
		expect([room.microphones.at(-1), commands(room).at(-1)]).toEqual([null, 'pause_task']);
		says({ type: 'error', code: 'NOT_FOUND', text: 'No active task found', field: '' });
		expect(room.microphones.at(-1)).toBe(undefined);
		// It is over, and no longer watched.
		const [sent, given] = [room.sent.length, room.microphones.length];
		says({ type: 'current-task', status: 'paused', targets: ['es'] });
		await rig.clock.run(11_000);
		expect([room.microphones.length, rig.created()]).toEqual([given, 1]);
		expect(commands(room).slice(sent)).not.toContain('pause_task');
	});

	it('is asked for again when the task runs all the same', async () => {
		const rig = await liveRig();
		rig.conversation.pause();
		await rig.clock.run(5000);
		const room = rig.room();
		const pauses = () => commands(room).filter((name) => name === 'pause_task').length;
		expect(pauses()).toBe(1);
		room.say({ type: 'current-task', status: 'running', targets: ['es'] });
		await rig.clock.run(50);
		expect([pauses(), rig.view().paused, rig.created()]).toEqual([2, true, 1]);
		// And watched again, until it is confirmed.
		room.script.silent = true;
		room.tell({ type: 'message', message: { type: 'current-task', status: 'running', targets: ['es'] } });
		const before = commands(room).length;
		await rig.clock.run(12_000);
		expect([commands(room).slice(before).includes('get_task'), rig.created()]).toEqual([true, 2]);
	});

	it('by the person outlasts a short sleep', async () => {
		const rig = await liveRig();
		rig.conversation.pause();
		await rig.clock.run(5000);
		rig.sleepFor(20_000);
		await rig.clock.run(3000);
		expect([rig.view().phase, rig.view().paused, rig.open().microphone]).toEqual(['live', true, false]);
	});

	it('is looked after 2.1 s after it was asked for, and not sooner', async () => {
		const rig = await liveRig({ rooms: [{ generation: 'older' }] });
		const looks = () => commands(rig.room()).filter((name) => name === 'get_task').length;
		const before = looks();
		rig.conversation.pause();
		await rig.clock.run(2099);
		expect(looks()).toBe(before);
		await rig.clock.run(1);
		expect(looks()).toBe(before + 1);
	});

	it('of which the end is refused ends the conversation with the reason', async () => {
		const rig = await liveRig();
		rig.conversation.pause();
		await rig.clock.run(5000);
		rig.room().script.refuse = { code: 'VALIDATION_ERROR', text: 'Not today', field: 'pipeline' };
		rig.conversation.resume();
		await rig.clock.run(5000);
		expect(rig.view()).toMatchObject({
			phase: 'failed',
			problem: { kind: 'task-refused', detail: 'Not today' },
		});
		expect(rig.open()).toEqual(nothingOpen);
	});

	it('that is pressed twice is one', async () => {
		const rig = await liveRig();
		rig.conversation.pause();
		await rig.clock.run(5000);
		const sent = rig.room().sent.length;
		rig.conversation.pause();
		await rig.clock.run(50);
		expect(rig.room().sent).toHaveLength(sent);
	});

	it('counts interpreted time without the pause', async () => {
		const rig = await liveRig();
		const since = rig.view().countingSinceMs ?? Number.NaN;
		await rig.clock.run(3000);
		const before = rig.clock.now() - since;
		rig.conversation.pause();
		await rig.clock.run(60_000);
		expect(rig.view().interpretedMs).toBe(before);
		rig.conversation.resume();
		await rig.clock.run(4000);
		rig.conversation.pause();
		expect(rig.view().interpretedMs).toBe(before + 4000);
	});

	it('that is over for long has no tail: Stop ends it at once', async () => {
		const rig = await liveRig();
		rig.conversation.pause();
		await rig.clock.run(20_000);
		rig.conversation.stop();
		expect([rig.view().phase, rig.open()]).toEqual(['idle', nothingOpen]);
	});

	it('gives the session up when the service never says that it is paused', async () => {
		const rig = await liveRig();
		rig.room().script.silent = true;
		rig.conversation.pause();
		while (rig.view().phase === 'live') await rig.clock.run(10);
		expect(rig.view().recovering?.cause).toBe('interpreter-silent');
		await rig.clock.run(2000);
		expect(rig.view()).toMatchObject({ phase: 'live', paused: true });
		expect([rig.created(), rig.room().task, rig.open().sessions]).toEqual([2, 'none', 1]);
	});

	it('sends silence again for the tail when it is stopped soon', async () => {
		const rig = await liveRig();
		rig.conversation.pause();
		await rig.clock.run(1000);
		expect(rig.room().microphones.at(-1)).toBe(undefined);
		rig.conversation.stop();
		expect([rig.view().phase, rig.room().microphones.at(-1)]).toEqual(['ending', null]);
	});

	it('pauses with the reason when the microphone is taken away', async () => {
		const rig = await liveRig();
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
			const rig = await liveRig({ rooms: [{ generation }] });
			rig.conversation.change(french);
			expect(rig.view().change).toBe('waiting');
			await rig.clock.run(6000);
			expect([rig.view().change, targetsSent(rig.room()).at(-1)]).toEqual(['applied', 'fr']);
			expect(rig.mixerCalls).toContain('select fr');
		},
	);

	it('sends the last of many within the limit, not each', async () => {
		const rig = await liveRig();
		for (const next of [french, german, french, german]) rig.conversation.change(next);
		await rig.clock.run(10_000);
		expect(targetsSent(rig.room())).toEqual(['es', 'fr', 'de']);
		expect(rig.view().change).toBe('applied');
	});

	it('is rolled back with the reason when refused, and the old task is what a resume sends', async () => {
		const rig = await liveRig();
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
			notice: {
				kind: 'problem',
				problem: { kind: 'task-refused', field: 'pipeline.translations.0', detail: 'no such voice' },
			},
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
		const rig = await liveRig();
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
		const rig = await liveRig();
		rig.room().down();
		rig.conversation.change(french);
		await rig.clock.run(8000);
		expect(rig.rooms).toHaveLength(2);
		expect([targetsSent(rig.room()), rig.view().change]).toEqual([['es', 'fr'], 'applied']);
	});
});

describe('the voice', () => {
	const track = (id: string) => ({ kind: 'audio', id }) as MediaStreamTrack;

	it('is matched with the target by prefix and region, and goes with the room', async () => {
		const rig = await liveRig();
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
		const rig = await liveRig({ rooms: [{ generation }] });
		rig.conversation.catchUp();
		await rig.clock.run(1000);
		expect(rig.room().sent.at(-1)).toEqual({
			message_type: command,
			data: { languages: ['global'], pause_task: false },
		});
		expect(rig.mixerCalls.slice(-2)).toEqual(['cut', 'resume']);
	});

	it('is cut while a sentence is being said without interrupting that, each time anew', async () => {
		const rig = await liveRig();
		const queues = () =>
			rig
				.room()
				.sent.flatMap((sent) =>
					sent.message_type === 'set_task'
						? [sent.data.pipeline.translation_queue_configs?.global?.max_queue_level_ms]
						: [],
				);
		for (const id of ['a', 'b']) {
			rig.room().say(heardText(id, { final: false }));
			rig.conversation.catchUp();
			await rig.clock.run(1000);
			rig.room().say(heardText(id));
			await rig.clock.run(9000);
		}
		expect(queues()).toEqual([20_000, 4000, 20_000, 4000, 20_000]);
		expect(rig.mixerCalls.slice(-4)).toEqual(['cut', 'resume', 'cut', 'resume']);
		expect(commands(rig.room())).not.toContain('interrupt_task');
		// Once it is translated only the voice is left to drop.
		rig.room().say(heardText('b', { kind: 'translation', language: 'es' }));
		rig.conversation.catchUp();
		expect(commands(rig.room()).at(-1)).toBe('interrupt_task');
	});
});

it('the words of somebody who makes no pause go on at once after catching up, each time', async () => {
	const rig = await liveRig();
	const sandbox = createInterpreterStage({ random: Math.random });
	let [sent, done] = [0, 0];
	async function speak(ms: number): Promise<void> {
		for (let at = 0; at < ms; at += 100) {
			for (const { message_type: name, data } of rig.room().sent.slice(sent)) sandbox.command(name, data);
			sent = rig.room().sent.length;
			await sandbox.hear(SPEECH, 100);
			for (const { what, value } of sandbox.deeds.slice(done))
				if (what === 'say') rig.room().say(decodeServerMessage(value));
			done = sandbox.deeds.length;
			await rig.clock.run(100);
		}
	}
	await speak(13_000);
	for (let press = 0; press < 3; press += 1) {
		const before = sandbox.texts().length;
		rig.conversation.catchUp();
		await speak(1000);
		expect(sandbox.texts().length).toBeGreaterThan(before);
		await speak(8500);
	}
	// No sentence is missing, nor its translation; a fifth may have just been said.
	const finals = rig.conversation.captions.finals().map(({ kind }) => kind);
	expect(finals.slice(0, 8)).toEqual(Array(4).fill(['source', 'translation']).flat());
});

it('the original is the microphone in use, also another one that takes over, and nothing in a pause', async () => {
	const rig = await liveRig();
	expect(rig.originals.at(-1)).toMatchObject({ kind: 'audio' });
	const track = { kind: 'audio', id: 'laptop' } as MediaStreamTrack;
	rig.microphoneSays({ type: 'replaced', track, from: 'USB', to: 'Laptop' });
	expect(rig.originals.at(-1)).toBe(track);
	rig.conversation.pause();
	expect(rig.originals.at(-1)).toBe(null);
});

describe('the delay', () => {
	/** A phrase was translated two seconds after it began, when so much speech was still to be spoken. */
	async function translated(queueMs: number) {
		const rig = await liveRig();
		rig.room().say(heardText('a', { final: false }));
		await rig.clock.run(2000);
		const level = { currentMs: queueMs, maxMs: null };
		rig.room().say({ type: 'queue-level', levels: new Map([['es', level]]) });
		rig.room().say(heardText('a', { kind: 'translation', language: 'es' }));
		await rig.clock.run(1000);
		return rig;
	}

	it('counts what is still to be spoken, until that is skipped', async () => {
		const rig = await translated(3000);
		expect(rig.view().delayMs).toBeGreaterThanOrEqual(4900);
		expect(rig.view().delayMs).toBeLessThan(5400);
		rig.conversation.catchUp();
		await rig.clock.run(2000);
		expect(rig.view().delayMs).toBeLessThan(2400);
	});

	it('follows a voice that comes later than expected, and is unknown again after the conversation', async () => {
		const rig = await translated(0);
		const expectedMs = rig.view().delayMs ?? Number.NaN;
		// A second after the translation.
		rig.mixerSays({ type: 'voice-active', active: true });
		await rig.clock.run(5000);
		expect(rig.view().delayMs).toBeGreaterThan(expectedMs + 300);
		await rig.conversation.stopNow();
		expect(rig.view().delayMs).toBe(null);
	});
});

describe('what is told', () => {
	it('says the phase to main once per change', async () => {
		const rig = await liveRig();
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
		const rig = await liveRig();
		expect(rig.view().delayMs).toBe(null);
		rig.room().say(heardText('a', { final: false }));
		await rig.clock.run(2000);
		rig.room().say(heardText('a', { kind: 'translation', language: 'es' }));
		await rig.clock.run(1000);
		expect(rig.view().delayMs).toBeGreaterThanOrEqual(1900);
		expect(rig.view().delayMs).toBeLessThan(2400);
	});

	it('says that another microphone is used, and not that the same one was opened again', async () => {
		const rig = await liveRig();
		const track = {} as MediaStreamTrack;
		rig.microphoneSays({ type: 'replaced', track, from: 'USB', to: 'USB' });
		expect(rig.view().notice).toBe(null);
		rig.microphoneSays({ type: 'replaced', track, from: 'USB', to: 'Laptop' });
		expect(rig.view().notice).toEqual({ kind: 'microphone-switched', from: 'USB', to: 'Laptop' });
	});

	it('says that the window may not play anything yet', async () => {
		const rig = await liveRig();
		rig.mixerSays({ type: 'blocked' });
		expect(rig.view().notice).toEqual({ kind: 'problem', problem: { kind: 'output-blocked' } });
	});

	it('takes back what is no longer true', async () => {
		const rig = await liveRig();
		rig.microphoneSays({ type: 'silent', device: 'USB' });
		expect(rig.view().notice).toEqual({ kind: 'silent-microphone', device: 'USB' });
		rig.room().say(heardText('a'));
		expect(rig.view().notice).toBe(null);
		rig.conversation.setMuted(true);
		rig.microphoneSays({ type: 'speaking-while-muted' });
		rig.conversation.setMuted(false);
		expect(rig.view().notice).toBe(null);
	});
});

describe('what the service says while live', () => {
	const says = async (message: ServerMessage) => {
		const rig = await liveRig();
		await rig.clock.run(5000);
		const before = rig.room().sent.length;
		const room = rig.room();
		room.say(message);
		await rig.clock.run(50);
		const asked = commands(room).slice(before);
		const { phase, notice, recovering } = rig.view();
		await rig.clock.run(5000);
		return {
			phase,
			notice,
			cause: recovering?.cause,
			asked,
			created: rig.created(),
			later: rig.view().phase,
		};
	};
	const error = (code: string): ServerMessage => ({ type: 'error', code, text: 'said so', field: '' });
	const warning = (code: string): ServerMessage => ({ type: 'warning', code, text: 'said so' });
	const nothing = { phase: 'live', notice: null, asked: [], created: 1, later: 'live' };

	it.each([
		['that it had a hiccup is told', warning('LATE'), { notice: { kind: 'service-warning', code: 'LATE' } }],
		['that sound comes unevenly is not', warning('AUDIO_STREAM_TOO_FAST'), {}],
		['that it was asked too often is not', error('RATE_LIMIT_EXCEEDED'), {}],
		[
			'that something is wrong is told',
			error('ODD_THING'),
			{ notice: { code: 'ODD_THING', text: 'said so' } },
		],
		['without a code is told', error(''), { notice: { kind: 'service-warning', text: 'said so' } }],
		['that it knows of no task: it is set again', error('NOT_FOUND'), { asked: ['set_task'] }],
		[
			'that the task is paused: it is set again',
			{ type: 'current-task', status: 'paused', targets: ['es'] },
			{ asked: ['set_task'] },
		],
		[
			'that it ends: another session is taken',
			error('SERVICE_TIMEOUT'),
			{ created: 2, phase: 'reconnecting', cause: 'connection-lost' },
		],
	] as const)('%s', async (_, message, expected) => {
		expect(await says(message)).toMatchObject({ ...nothing, ...expected });
	});

	it('to a change is nothing: after 20 s it is refused, and another session is taken', async () => {
		const rig = await liveRig();
		await rig.clock.run(5000);
		rig.room().script.silent = true;
		rig.conversation.change(german);
		await rig.clock.run(19_999);
		expect([rig.view().change, rig.created()]).toEqual(['waiting', 1]);
		await rig.clock.run(1);
		expect(rig.view().recovering?.cause).toBe('interpreter-silent');
		await rig.clock.run(5000);
		expect([rig.view().change, rig.view().phase, rig.created()]).toEqual(['refused', 'live', 2]);
		expect(targetsSent(rig.room())).toEqual(['es']);
	});
});

describe('what means nothing while live', () => {
	it('is the way back to WebRTC where no other was taken, and a network that came back, to a room', async () => {
		const rig = await liveRig();
		await rig.clock.run(5000);
		const before = rig.room().sent.length;
		rig.conversation.backToWebrtc();
		rig.networkBack();
		await rig.clock.run(1000);
		expect([rig.created(), rig.rooms.length, rig.room().sent.length, rig.view().phase]).toEqual([
			1,
			1,
			before,
			'live',
		]);
	});
});

describe('an outage', () => {
	const afterLiveFor = async (ms: number) => {
		const rig = await liveRig();
		const lose = () => rig.room().down();
		lose();
		while (rig.view().phase !== 'live') await rig.clock.run(1);
		// The limits hold this back for a moment, so that there is something to do before the half minute is over.
		rig.conversation.change(german);
		await rig.clock.run(ms);
		lose();
		return rig.view().recovering?.attempt;
	};

	it('that comes again soon is given up after a quarter of an hour, the time between left out', async () => {
		const rig = await liveRig();
		const offline: Problem = { kind: 'service-unreachable', cause: 'ENOTFOUND' };
		const lose = () => rig.room().down();
		const began = rig.clock.now();
		lose();
		while (rig.view().phase !== 'live') await rig.clock.run(1);
		await rig.clock.run(10_000);
		rig.script.sessions = [null, null, ...Array<Problem>(10_000).fill(offline)];
		lose();
		await rig.clock.run(began + 10_000 + 15 * 60_000 - 1 - rig.clock.now());
		expect(rig.view().phase).toBe('reconnecting');
		await rig.clock.run(1);
		expect(rig.view().phase).toBe('failed');
	});

	it('is over when it was live for half a minute, and not before', async () => {
		expect([await afterLiveFor(29_999), await afterLiveFor(30_000)]).toEqual([2, 1]);
	});
});

describe('a change', () => {
	it('that got lost on the way is sent again', async () => {
		const rig = await liveRig();
		await rig.clock.run(5000);
		rig.room().script.lose = 1;
		rig.conversation.change(german);
		await rig.clock.run(15_000);
		expect([rig.view().change, targetsSent(rig.room()), rig.created()]).toEqual(['applied', ['es', 'de'], 1]);
	});

	it('that is refused holds up no other, and is not told where another has taken its place', async () => {
		const rig = await liveRig();
		await rig.clock.run(5000);
		const { script } = rig.room();
		script.refuse = { code: 'VALIDATION_ERROR', text: 'No German', field: 'pipeline' };
		script.refuses = ({ pipeline }) => pipeline.translations[0]?.target_language === 'de';
		rig.conversation.change(german);
		await rig.clock.run(3000);
		expect(rig.view()).toMatchObject({ change: 'refused', notice: { kind: 'problem' } });
		rig.conversation.change(french);
		await rig.clock.run(5000);
		expect([rig.view().change, targetsSent(rig.room()).at(-1)]).toEqual(['applied', 'fr']);
		// Now the refusal comes when the next change is already wanted.
		rig.conversation.dismissNotice();
		script.silent = true;
		rig.conversation.change(german);
		await rig.clock.run(100);
		rig.conversation.change(choices);
		script.silent = false;
		rig.room().say({ type: 'error', ...script.refuse });
		await rig.clock.run(5000);
		expect([rig.view().change, rig.view().notice, targetsSent(rig.room()).at(-1)]).toEqual([
			'applied',
			null,
			'es',
		]);
	});
});

it('a room from which no sound leaves is lost, and said to be', async () => {
	const rig = await liveRig();
	rig.room().script.packets = false;
	while (rig.view().phase === 'live') await rig.clock.run(10);
	expect(rig.view().recovering).toMatchObject({ attempt: 1, cause: 'connection-lost' });
	await rig.clock.run(2000);
	expect([rig.view().phase, rig.created()]).toEqual(['live', 2]);
});
