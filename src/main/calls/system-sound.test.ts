import { beforeEach, describe, expect, test } from 'vitest';
import type { SystemSoundState } from '#shared/host/calls.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { err, ok } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import type { SinkInput, SoundRecorder } from './sound-recorder.ts';
import { createSystemSound } from './system-sound.ts';

/** A sound server that does what a test says. */
function createServer() {
	let listed: readonly SinkInput[] = [];
	let problem: Problem | null = null;
	let changed = () => {};
	let ended = () => {};
	const recordings = new Map<
		number,
		{ heard: (samples: Int16Array) => void; ended: (problem: Problem | null) => void }
	>();
	const watches = { running: 0 };
	const recorder: SoundRecorder = {
		streams: async () => (problem ? err(problem) : ok(listed)),
		setVolume: async () => ok(),
		watch(tell, over) {
			changed = tell;
			ended = over;
			watches.running += 1;
			return () => {
				watches.running -= 1;
			};
		},
		record(index, _rateHz, heard, over) {
			recordings.set(index, { heard, ended: over });
			return () => void recordings.delete(index);
		},
	};
	return {
		recorder,
		recordings,
		watches,
		plays(
			...inputs: readonly (readonly [index: number, application: string, corked?: boolean, muted?: boolean])[]
		) {
			problem = null;
			listed = inputs.map(([index, application, corked = false, muted = false]) => ({
				index,
				pid: 1,
				application,
				corked,
				muted,
				volume: [65_536],
			}));
			changed();
		},
		isAway: (why: Problem) => {
			problem = why;
		},
		isBack: () => {
			problem = null;
		},
		changes: () => changed(),
		ends: () => ended(),
		/** The recording of a stream ends by itself. */
		breaks(index: number, problem: Problem | null = null) {
			const recording = recordings.get(index);
			recordings.delete(index);
			recording?.ended(problem);
		},
	};
}

function createWindow() {
	const posted: unknown[] = [];
	const told: unknown[] = [];
	let close = () => {};
	let closed = 0;
	const end = (into: unknown[]) => ({
		post: (value: unknown) => void into.push(value),
		listen() {},
		closed(heard: () => void) {
			close = heard;
		},
		close() {
			closed += 1;
		},
	});
	const ends = { voice: end(posted), capture: end([]), control: end(told) };
	return { ends, posted, told, dies: () => close(), closed: () => closed };
}

let server: ReturnType<typeof createServer>;
let page: ReturnType<typeof createWindow>;
let clock: ReturnType<typeof createManualClock>;
let sound: ReturnType<typeof createSystemSound>;
let state: SystemSoundState | null;

beforeEach(() => {
	server = createServer();
	page = createWindow();
	clock = createManualClock();
	state = null;
	sound = createSystemSound({
		recorder: server.recorder,
		way: 'recorder',
		lowering: null,
		createPorts: () => page.ends,
		clock,
		log: silentLogger,
	});
	sound.listen((next) => {
		state = next;
	});
});

const NAME = 'a-name-that-nobody-guesses';
/** Listeners at once, and ms from an event to a look at the list. */
const [MOST, LOOK_AFTER] = [3, 60];
const open = (application: string | null = null) =>
	sound.answers['system-sound.open']({ stream: NAME, application, rateHz: 48_000 });
async function pass(ms: number): Promise<void> {
	clock.advance(ms);
	for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
}

describe('programs that play', () => {
	test('are named once each, in order, with whether they play', async () => {
		server.plays([1, 'Zoom', true], [2, 'Firefox'], [3, 'Zoom'], [4, ''], [5, 'mpv', true]);
		const { value } = (await sound.answers['system-sound.state']()) as { value: SystemSoundState };
		expect(value.applications).toEqual([
			{ name: 'Firefox', playing: true, muted: false },
			{ name: 'Zoom', playing: true, muted: false },
			{ name: 'mpv', playing: false, muted: false },
		]);
	});

	test('count as turned off when all that they play is', async () => {
		server.plays([1, 'Zoom', false, true], [2, 'Zoom', true], [3, 'mpv', false, true], [4, 'mpv']);
		const { value } = (await sound.answers['system-sound.state']()) as { value: SystemSoundState };
		expect(value.applications).toEqual([
			{ name: 'Zoom', playing: true, muted: true },
			{ name: 'mpv', playing: true, muted: false },
		]);
	});

	test('that come and go are told once for many changes, and not when nothing changed', async () => {
		await sound.answers['system-sound.state']();
		for (let at = 0; at < 20; at += 1) server.plays([1, 'Zoom']);
		expect(state).toBeNull();
		await pass(60);
		expect(state?.applications).toHaveLength(1);
		const { revision } = state as unknown as SystemSoundState;
		server.plays([2, 'Zoom']);
		await pass(60);
		expect(state?.revision).toBe(revision);
	});
});

describe('who listens', () => {
	test('hears every stream there is and comes to be, and is told of each that ends', async () => {
		server.plays([1, 'Zoom']);
		expect((await open()).ok).toBe(true);
		server.recordings.get(1)?.heard(Int16Array.of(7));
		server.plays([1, 'Zoom'], [2, 'Firefox']);
		await pass(60);
		expect([...server.recordings.keys()]).toEqual([1, 2]);
		server.plays([2, 'Firefox']);
		await pass(60);
		expect(page.posted).toEqual([
			{ from: 1, samples: Int16Array.of(7) },
			{ from: 1, samples: null },
		]);
	});

	test('to one program hears it alone', async () => {
		server.plays([1, 'Zoom'], [2, 'Firefox']);
		await open('Zoom');
		expect([...server.recordings.keys()]).toEqual([1]);
	});

	test('a recording that ends by itself, as when its stream is moved, is begun again', async () => {
		server.plays([1, 'Zoom']);
		await open();
		server.breaks(1);
		expect(server.recordings.size).toBe(0);
		await pass(50);
		expect([...server.recordings.keys()]).toEqual([1]);
	});

	test('one that ends again and again does not make another one wait for it', async () => {
		server.plays([1, 'Zoom'], [2, 'Firefox']);
		await open();
		for (const ms of [50, 200]) {
			server.breaks(2);
			await pass(ms);
		}
		server.breaks(1);
		server.breaks(2);
		await pass(50);
		expect([...server.recordings.keys()].sort()).toEqual([1, 2]);
		// The next one is due at its own time again.
		server.breaks(1);
		await pass(200);
		expect([...server.recordings.keys()].sort()).toEqual([1, 2]);
	});

	test('a stream that cannot be recorded is given up after a few tries, and another is not', async () => {
		server.plays([1, 'Zoom']);
		await open();
		for (const ms of [50, 200, 500, 1000, 2000]) {
			server.breaks(1);
			await pass(ms);
			expect([...server.recordings.keys()]).toEqual([1]);
		}
		server.breaks(1);
		await pass(60_000);
		expect(server.recordings.size).toBe(0);
		server.plays([1, 'Zoom'], [2, 'Firefox']);
		await pass(60);
		expect([...server.recordings.keys()]).toEqual([2]);
	});

	test('one that ran for a while is begun again however often it ends', async () => {
		server.plays([1, 'Zoom']);
		await open();
		for (let times = 0; times < 20; times += 1) {
			await pass(5000);
			server.breaks(1);
			await pass(50);
		}
		expect([...server.recordings.keys()]).toEqual([1]);
	});

	test('where the recording program is missing it is told at once', async () => {
		server.plays([1, 'Zoom']);
		await open();
		server.breaks(1, { kind: 'recorder-missing', program: 'parec' });
		expect(page.told).toEqual([{ type: 'failed', problem: { kind: 'recorder-missing', program: 'parec' } }]);
		expect(sound.listening()).toBe(false);
	});

	test('and leaves, dies, or is left, is recorded for no more', async () => {
		server.plays([1, 'Zoom']);
		await open();
		page.dies();
		expect([server.recordings.size, page.closed()]).toEqual([0, 3]);
		await open();
		await sound.answers['system-sound.close']({ stream: NAME });
		await open();
		sound.closeAll();
		expect(server.recordings.size).toBe(0);
		await open();
		await sound.close();
		expect([server.recordings.size, server.watches.running]).toEqual([0, 0]);
		expect(await open()).toEqual(err({ kind: 'cancelled' }));
	});
});

test('as many listen as there can be sources, and the last one who leaves gives the volumes back', async () => {
	const did: string[] = [];
	const note = (what: string) => async () => void did.push(what);
	const lowering = { follow() {}, undo() {}, lower: (gain: number) => void did.push(`lower ${gain}`) };
	const shared = createSystemSound({
		recorder: server.recorder,
		way: 'recorder',
		clock,
		log: silentLogger,
		lowering: { ...lowering, restore: note('restore'), clean: note('clean'), close: note('close') },
		createPorts: () => createWindow().ends,
	});
	const { answers } = shared;
	const ask = (at: number) =>
		answers['system-sound.open']({ stream: `${NAME}-${at}`, application: null, rateHz: 48_000 });
	for (let at = 0; at < MOST; at += 1) expect([at, await ask(at)]).toEqual([at, ok()]);
	expect(await ask(MOST)).toMatchObject({ ok: false, error: { kind: 'bug' } });
	await answers['system-sound.lower']({ gain: 0.25 });
	for (let at = 1; at < MOST; at += 1) await answers['system-sound.close']({ stream: `${NAME}-${at}` });
	expect(did).toEqual(['lower 0.25']);
	await answers['system-sound.close']({ stream: `${NAME}-0` });
	expect(did).toEqual(['lower 0.25', 'restore']);
	// Nobody listens, so nothing is translated.
	await answers['system-sound.lower']({ gain: 0.25 });
	await shared.close();
	expect(did).toEqual(['lower 0.25', 'restore', 'close']);
});

test('programs that come while the list is being read are found', async () => {
	const { streams } = server.recorder;
	let letGo = () => {};
	server.recorder.streams = async () => {
		const listed = await streams();
		await new Promise<void>((done) => (letGo = done));
		return listed;
	};
	server.plays([1, 'Zoom']);
	void sound.answers['system-sound.state']();
	await pass(0);
	server.plays([1, 'Zoom'], [2, 'Music']);
	await pass(LOOK_AFTER);
	for (const _ of [1, 2]) {
		letGo();
		await pass(0);
	}
	expect(state?.applications.map(({ name }) => name)).toEqual(['Music', 'Zoom']);
});

describe('a sound server', () => {
	test('that is not there is the reason, and nothing is left open', async () => {
		server.isAway({ kind: 'recorder-missing', program: 'pactl' });
		expect(await open()).toEqual(err({ kind: 'recorder-missing', program: 'pactl' }));
		expect(page.closed()).toBe(3);
	});

	test('that goes and comes back is listened to again', async () => {
		server.plays([1, 'Zoom']);
		await open();
		server.recordings.clear();
		server.isAway({ kind: 'system-sound-failed', reason: 'pactl' });
		server.ends();
		await pass(300);
		server.plays([9, 'Zoom']);
		await pass(600);
		expect([...server.recordings.keys()]).toEqual([9]);
		expect(page.told).toEqual([]);
	});

	const away = { kind: 'system-sound-failed', reason: 'pactl' } as const;

	test('that once gives no list is asked again, and what is heard goes on', async () => {
		server.plays([1, 'Zoom']);
		await open();
		server.plays([1, 'Zoom'], [2, 'Firefox']);
		server.isAway(away);
		await pass(60);
		expect([...server.recordings.keys()]).toEqual([1]);
		server.isBack();
		await pass(300);
		expect([...server.recordings.keys()]).toEqual([1, 2]);
		expect([state?.problem, page.told]).toEqual([null, []]);
	});

	test('that gives no list any more is said after a while, however much it reports, and asked again on demand', async () => {
		server.plays([1, 'Zoom']);
		await open();
		server.plays([1, 'Zoom'], [2, 'Firefox']);
		server.isAway(away);
		await pass(60);
		for (const ms of [300, 600, 1200, 2400, 5000]) {
			await pass(ms);
			server.changes();
			await pass(60);
		}
		expect([state?.problem, page.told]).toEqual([null, []]);
		await pass(10_000);
		const problem = { kind: 'system-sound-failed', reason: 'server' };
		expect([state?.problem, page.told]).toEqual([problem, [{ type: 'failed', problem }]]);
		server.isBack();
		expect(await sound.answers['system-sound.state']()).toMatchObject({ value: { problem: null } });
		expect(state?.applications).toHaveLength(2);
		expect((await open()).ok).toBe(true);
	});

	test('that gives no list at first is known when it does', async () => {
		server.plays([1, 'Zoom']);
		server.isAway(away);
		expect(await open()).toEqual(err(away));
		expect(state?.problem).toEqual(away);
		server.isBack();
		await pass(300);
		expect([state?.problem, state?.applications.length]).toEqual([null, 1]);
	});

	test('that stays away is said, to who listens as well', async () => {
		await open();
		server.isAway({ kind: 'system-sound-failed', reason: 'pactl' });
		server.ends();
		for (const ms of [300, 600, 1200, 2400, 5000, 10_000]) await pass(ms);
		expect(page.told).toEqual([
			{ type: 'failed', problem: { kind: 'system-sound-failed', reason: 'server' } },
		]);
		expect(state?.problem?.kind).toBe('system-sound-failed');
	});
});

const unrecorded = (way: SystemSoundState['way']) =>
	createSystemSound({
		recorder: null,
		way,
		lowering: null,
		createPorts: () => page.ends,
		clock,
		log: silentLogger,
	});

test('where programs cannot be recorded it says so', async () => {
	const other = unrecorded('none');
	expect(
		await other.answers['system-sound.open']({ stream: NAME, application: null, rateHz: 48_000 }),
	).toEqual(err({ kind: 'system-sound-unsupported' }));
	expect(await other.answers['system-sound.state']()).toMatchObject({ value: { way: 'none' } });
});

test('where the window captures by itself it may from its asking until it leaves', async () => {
	const other = unrecorded('loopback');
	const ask = (stream: string) =>
		other.answers['system-sound.open']({ stream, application: null, rateHz: 48_000 });
	expect(other.listening()).toBe(false);
	for (let at = 1; at < MOST; at += 1) expect([at, await ask(`${NAME}-${at}`)]).toEqual([at, ok()]);
	expect((await ask(NAME)).ok).toBe(true);
	expect(await ask(`${NAME}-${MOST}`)).toMatchObject({ ok: false, error: { kind: 'bug' } });
	for (let at = 1; at < MOST; at += 1) await other.answers['system-sound.close']({ stream: `${NAME}-${at}` });
	expect(other.listening()).toBe(true);
	await other.answers['system-sound.close']({ stream: NAME });
	expect(other.listening()).toBe(false);
	await ask(NAME);
	other.closeAll();
	expect(other.listening()).toBe(false);
});
