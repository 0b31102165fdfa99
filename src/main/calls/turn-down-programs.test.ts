import { expect, test } from 'vitest';
import type { SharedFile } from '#main/lib/shared-file.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { err, ok } from '#shared/lib/result.ts';
import { volumesAt } from '#shared/sound/volumes.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import type { SinkInput } from './sound-recorder.ts';
import { createLowering, type LoweredStream } from './turn-down-programs.ts';

const FULL = 65_536;

/** The shared file of one user's programs; the file itself has its own tests. */
function createDisk() {
	let entries: readonly LoweredStream[] = [];
	const running = new Set<string>();
	const disk = { isFull: false, entries: () => entries, running };
	let runs = 0;
	const open = (): SharedFile<LoweredStream> => {
		runs += 1;
		const owner = `run ${runs}`;
		running.add(owner);
		return {
			owner,
			salt: async () => ok(''),
			read: async () => ok(entries),
			async change(edit) {
				if (disk.isFull) return err({ kind: 'storage-failed', what: 'lowered: ENOSPC' });
				entries = edit(entries);
				return ok(entries);
			},
			isInUse: (other) => running.has(other),
			othersRun: async () => ok(running.size > 1),
			brokenFile: () => null,
			close: () => void running.delete(owner),
		};
	};
	return Object.assign(disk, { open });
}

/** A server with programs that play, and the volumes Dragoman sets. */
function createServer() {
	const streams = new Map<number, { application: string; volume: readonly number[] }>();
	const sets: string[] = [];
	const list = (): SinkInput[] =>
		[...streams].map(([index, one]) => ({ ...one, index, pid: 1, corked: false, muted: false }));
	return {
		streams,
		sets,
		list,
		volumes: {
			streams: async () => ok(list()),
			async setVolume(index: number, volume: readonly number[]) {
				sets.push(`${index} ${volume.join(' ')}`);
				const stream = streams.get(index);
				if (stream) stream.volume = volume;
				return ok();
			},
		},
	};
}

/** One run of the program, on the same server and disk as earlier runs. */
function start(server: ReturnType<typeof createServer>, disk = createDisk()) {
	const clock = createManualClock();
	const file = disk.open();
	const lowering = createLowering({ volumes: server.volumes, file, clock, log: silentLogger });
	const recorded = new Set<number>();
	const look = () => lowering.follow(server.list(), (index) => recorded.has(index));
	async function pass(ms: number): Promise<void> {
		for (let at = 0; at < ms; at += 20) {
			for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
			clock.advance(20);
			look();
		}
	}
	return {
		lowering,
		look,
		pass,
		clock,
		crash: file.close,
		records(...indices: number[]) {
			recorded.clear();
			for (const index of indices) recorded.add(index);
			look();
		},
		volume: (index: number) => server.streams.get(index)?.volume,
	};
}

/** A program at full volume that is recorded, and lowered while a voice speaks. */
async function startLowered() {
	const server = createServer();
	server.streams.set(1, { application: 'Call', volume: [FULL] });
	const disk = createDisk();
	const run = start(server, disk);
	run.records(1);
	run.lowering.lower(0.25);
	await run.pass(400);
	return { server, disk, run };
}

/** −12 dB, the rung at or below a quarter. */
const QUARTER = volumesAt([FULL], 9);

test('what is recorded goes down softly and comes back; what is not recorded is never touched', async () => {
	const server = createServer();
	server.streams.set(1, { application: 'Call', volume: [FULL] });
	server.streams.set(2, { application: 'Music', volume: [FULL] });
	const run = start(server);
	run.records(1);
	run.lowering.lower(0.25);
	await run.pass(400);
	expect(run.volume(1)).toEqual(QUARTER);
	expect(server.sets.length).toBeGreaterThan(2);
	run.lowering.lower(1);
	await run.pass(400);
	expect(run.volume(1)).toEqual(QUARTER);
	await run.pass(1200);
	expect(run.volume(1)).toEqual([FULL]);
	expect(run.volume(2)).toEqual([FULL]);
});

test('each channel keeps its share, and a stream that is not at full comes back to where it was', async () => {
	const server = createServer();
	server.streams.set(1, { application: 'Call', volume: [40_000, 20_000] });
	const run = start(server);
	run.records(1);
	run.lowering.lower(0.25);
	await run.pass(400);
	expect(run.volume(1)).toEqual(volumesAt([40_000, 20_000], 9));
	await run.lowering.restore();
	expect(run.volume(1)).toEqual([40_000, 20_000]);
});

test('a voice that pauses for a moment does not let the original jump up', async () => {
	const { server, run } = await startLowered();
	const before = server.sets.length;
	run.lowering.lower(1);
	await run.pass(300);
	run.lowering.lower(0.25);
	await run.pass(2000);
	expect(server.sets).toHaveLength(before);
});

test('the volume a person sets while it is low is theirs, and the new full', async () => {
	const { server, run } = await startLowered();
	server.streams.set(1, { application: 'Call', volume: [50_000] });
	await run.pass(400);
	expect(run.volume(1)).toEqual([50_000]);
	run.lowering.lower(1);
	await run.pass(1500);
	expect(run.volume(1)).toEqual([50_000]);
	run.lowering.lower(0.25);
	await run.pass(400);
	expect(run.volume(1)).toEqual(volumesAt([50_000], 9));
	await run.lowering.restore();
	expect(run.volume(1)).toEqual([50_000]);
});

test('what a program that crashed left low is given back at the next start, once', async () => {
	const server = createServer();
	server.streams.set(1, { application: 'Call', volume: [FULL] });
	server.streams.set(2, { application: 'Film', volume: [30_000] });
	const disk = createDisk();
	const crashed = start(server, disk);
	crashed.records(1, 2);
	crashed.lowering.lower(0.25);
	await crashed.pass(400);
	crashed.crash();
	// The person has found one of them quiet, and has set it.
	server.streams.set(2, { application: 'Film', volume: [29_000] });
	const next = start(server, disk);
	await next.lowering.clean();
	expect(next.volume(1)).toEqual([FULL]);
	expect(next.volume(2)).toEqual([29_000]);
	server.streams.set(1, { application: 'Call', volume: QUARTER });
	await next.lowering.clean();
	expect(next.volume(1)).toEqual(QUARTER);
	expect(disk.entries()).toEqual([]);
});

test('one that is away when Dragoman starts again is as loud as before when it plays again', async () => {
	const { server, disk, run: crashed } = await startLowered();
	crashed.crash();
	server.streams.delete(1);
	const next = start(server, disk);
	await next.lowering.clean();
	server.streams.set(9, { application: 'Call', volume: QUARTER });
	next.records(9);
	await next.pass(1000);
	expect(next.volume(9)).toEqual([FULL]);
});

test('one that stays away is given back its volume within a week, and keeps the one it has after that', async () => {
	const volumeAfter = async (days: number) => {
		const { server, disk, run: crashed } = await startLowered();
		crashed.crash();
		server.streams.delete(1);
		const next = start(server, disk);
		next.clock.advance(days * 24 * 3_600_000);
		await next.lowering.clean();
		server.streams.set(9, { application: 'Call', volume: QUARTER });
		await next.pass(100);
		return next.volume(9);
	};
	expect([await volumeAfter(6), await volumeAfter(8)]).toEqual([[FULL], QUARTER]);
});

test('a volume that the person set while it was low is the one that is given back after a crash', async () => {
	const { server, disk, run: crashed } = await startLowered();
	server.streams.set(1, { application: 'Call', volume: [50_000] });
	await crashed.pass(400);
	crashed.lowering.lower(1);
	await crashed.pass(1500);
	crashed.lowering.lower(0.25);
	await crashed.pass(400);
	expect(crashed.volume(1)).toEqual(volumesAt([50_000], 9));
	crashed.crash();
	const next = start(server, disk);
	await next.lowering.clean();
	expect(next.volume(1)).toEqual([50_000]);
});

/** Whatever is to be set, the server sets nothing until the result is called. */
function refusing(server: ReturnType<typeof createServer>): () => void {
	const { setVolume } = server.volumes;
	const refuse = async () => err({ kind: 'system-sound-failed', reason: 'pactl' } as const);
	server.volumes.setVolume = refuse as unknown as typeof setVolume;
	return () => {
		server.volumes.setVolume = setVolume;
	};
}

test.each(['restore', 'close'] as const)(
	'what the server refuses to give back at %s is given back at the next start',
	async (how) => {
		const { server, disk, run } = await startLowered();
		const obey = refusing(server);
		await run.lowering[how]();
		if (how === 'restore') run.crash();
		expect(run.volume(1)).toEqual(QUARTER);
		obey();
		const next = start(server, disk);
		await next.lowering.clean();
		expect([next.volume(1), disk.entries()]).toEqual([[FULL], []]);
	},
);

test('what it refuses to give back is tried again whenever the programs change', async () => {
	const { server, run } = await startLowered();
	const obey = refusing(server);
	await run.lowering.restore();
	run.records();
	await run.pass(100);
	expect(run.volume(1)).toEqual(QUARTER);
	obey();
	await run.pass(100);
	expect(run.volume(1)).toEqual([FULL]);
});

test('what it refuses to give back after a crash is tried again at the next start, for a week', async () => {
	const { server, disk, run } = await startLowered();
	run.crash();
	const obey = refusing(server);
	const refused = start(server, disk);
	await refused.lowering.clean();
	refused.crash();
	obey();
	const next = start(server, disk);
	await next.lowering.clean();
	expect([next.volume(1), disk.entries()]).toEqual([[FULL], []]);

	const late = await startLowered();
	late.run.crash();
	refusing(late.server);
	const old = start(late.server, late.disk);
	old.clock.advance(8 * 24 * 3_600_000);
	await old.lowering.clean();
	expect(late.disk.entries()).toEqual([]);
});

test('Stop in the middle of a step: the step does not come after it', async () => {
	const server = createServer();
	server.streams.set(1, { application: 'Call', volume: [FULL] });
	let steps: (() => void)[] = [];
	const { setVolume } = server.volumes;
	server.volumes.setVolume = async (index, volume) => {
		// The server is slow to set any volume but the full one.
		if (volume[0] !== FULL) await new Promise<void>((done) => steps.push(done));
		return setVolume(index, volume);
	};
	const run = start(server);
	run.records(1);
	run.lowering.lower(0.25);
	await run.pass(100);
	const restored = run.lowering.restore();
	await run.pass(20);
	for (const done of steps) done();
	steps = [];
	await restored;
	await run.pass(500);
	expect(run.volume(1)).toEqual([FULL]);
	// The next conversation turns it down again.
	server.volumes.setVolume = setVolume;
	run.lowering.lower(0.25);
	await run.pass(400);
	expect(run.volume(1)).toEqual(QUARTER);
});

test('what another program that runs has turned down stays written down', async () => {
	const server = createServer();
	server.streams.set(1, { application: 'Call', volume: [FULL] });
	server.streams.set(2, { application: 'Film', volume: [FULL] });
	const disk = createDisk();
	const [one, other] = [start(server, disk), start(server, disk)];
	one.records(1);
	other.records(2);
	for (const run of [one, other]) {
		run.lowering.lower(0.25);
		await run.pass(400);
	}
	await one.lowering.close();
	expect(disk.entries().map(({ application }) => application)).toEqual(['Film']);
});

test('a program still running is not taken for a crashed one', async () => {
	const server = createServer();
	server.streams.set(1, { application: 'Call', volume: [FULL] });
	const disk = createDisk();
	const first = start(server, disk);
	first.records(1);
	first.lowering.lower(0.25);
	await first.pass(400);
	await start(server, disk).lowering.clean();
	expect(first.volume(1)).toEqual(QUARTER);
	await first.lowering.close();
	expect(first.volume(1)).toEqual([FULL]);
	expect(disk.entries()).toEqual([]);
});

test('a program that ended low, and begins low by the memory of the sound server, is loud again', async () => {
	const { server, run } = await startLowered();
	server.streams.delete(1);
	run.look();
	run.lowering.lower(1);
	await run.pass(1000);
	server.streams.set(7, { application: 'Call', volume: QUARTER });
	run.records(7);
	await run.pass(1000);
	expect(run.volume(7)).toEqual([FULL]);
});

test('and also where nothing is recorded when it comes back', async () => {
	const { server, run } = await startLowered();
	server.streams.delete(1);
	run.look();
	await run.lowering.restore();
	run.records();
	server.streams.set(7, { application: 'Call', volume: QUARTER });
	run.look();
	await run.pass(100);
	expect(run.volume(7)).toEqual([FULL]);
});

test('a second stream that begins low beside a lowered one stays there, and both come back', async () => {
	const { server, run } = await startLowered();
	server.streams.set(7, { application: 'Call', volume: QUARTER });
	run.records(1, 7);
	await run.pass(1000);
	expect(run.volume(7)).toEqual(QUARTER);
	await run.lowering.restore();
	expect([run.volume(1), run.volume(7)]).toEqual([[FULL], [FULL]]);
});

test('a second stream at a volume of its own comes back to that, and another program at a low one too', async () => {
	const { server, run } = await startLowered();
	// 75 % is a rung of the ladder, but not one on which the first has stood.
	server.streams.set(7, { application: 'Call', volume: [49_152] });
	server.streams.set(8, { application: 'Music', volume: QUARTER });
	run.records(1, 7, 8);
	await run.pass(1000);
	expect(run.volume(7)).toEqual(volumesAt([49_152], 9));
	await run.lowering.restore();
	expect([run.volume(7), run.volume(8)]).toEqual([[49_152], QUARTER]);
});

test('a volume that the person sets is theirs, also where it is one that we set at other times', async () => {
	const server = createServer();
	server.streams.set(1, { application: 'Call', volume: [FULL] });
	const run = start(server);
	run.records(1);
	await run.pass(1200);
	server.streams.set(1, { application: 'Call', volume: [49_152] });
	run.records(1);
	run.lowering.lower(0.25);
	await run.pass(400);
	expect(run.volume(1)).toEqual(volumesAt([49_152], 9));
	await run.lowering.restore();
	expect(run.volume(1)).toEqual([49_152]);
});

test('a second stream that began low is loud with the first; one that begins low later has its own volume', async () => {
	const { server, run } = await startLowered();
	run.lowering.lower(1);
	await run.pass(1000);
	expect(run.volume(1)).toEqual([FULL]);
	server.streams.set(7, { application: 'Call', volume: QUARTER });
	run.records(1, 7);
	await run.pass(600);
	expect(run.volume(7)).toEqual([FULL]);
	await run.pass(1400);
	server.streams.set(8, { application: 'Call', volume: QUARTER });
	run.records(1, 7, 8);
	await run.pass(1000);
	expect(run.volume(8)).toEqual(QUARTER);
});

test('restores the volume of a program that is no longer listened to', async () => {
	const server = createServer();
	server.streams.set(1, { application: 'Call', volume: [FULL] });
	const run = start(server);
	run.records(1);
	run.lowering.lower(0);
	await run.pass(600);
	expect(run.volume(1)).toEqual(volumesAt([FULL], 20));
	run.records();
	expect(run.volume(1)).toEqual([FULL]);
});

test('what cannot be written down is not turned down', async () => {
	const server = createServer();
	server.streams.set(1, { application: 'Call', volume: [FULL] });
	const disk = createDisk();
	disk.isFull = true;
	const run = start(server, disk);
	run.records(1);
	run.lowering.lower(0.25);
	await run.pass(500);
	expect(server.sets).toEqual([]);
});

test('what is recorded of a low stream is as loud as before, from one piece to the next without a step', async () => {
	const server = createServer();
	server.streams.set(1, { application: 'Call', volume: [FULL] });
	const run = start(server);
	run.records(1);
	run.lowering.lower(0.25);
	await run.pass(600);
	const low = 10 ** (-13.5 / 20);
	const first = Int16Array.from({ length: 400 }, () => Math.round(8000 * low));
	run.lowering.undo(1, first);
	const steps = first.slice(1).map((sample, at) => Math.abs(sample - (first[at] ?? 0)));
	expect(Math.max(...steps)).toBeLessThan(40);
	const second = Int16Array.from([Math.round(8000 * low), 30_000, -30_000]);
	run.lowering.undo(1, second);
	expect(Math.abs((second[0] ?? 0) - 8000)).toBeLessThan(10);
	expect([...second.slice(1)]).toEqual([32_767, -32_768]);
	const other = Int16Array.from([100]);
	run.lowering.undo(2, other);
	expect([...other]).toEqual([100]);
});
