import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createPulseRecorder, type SoundRecorder } from '#main/calls/sound-recorder.ts';
import { createSystemSound, type SystemSound } from '#main/calls/system-sound.ts';
import { createLowering, type Lowering, loweredFormat } from '#main/calls/turn-down-programs.ts';
import { createSharedFile } from '#main/lib/shared-file.ts';
import type { PortEnd } from '#main/streaming/streams.ts';
import { createSystemClock } from '#main/system-clock.ts';
import type { SoundFrame, SystemSoundState } from '#shared/host/calls.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { encodeWav, wavHead } from '#shared/sound/wav.ts';
import { eventually } from '#test/support/eventually.ts';
import { notRun } from '#test/support/not-run.ts';
import { type Pulse, startPulse } from '#test/support/pulse.ts';

const RATE = 16_000;
/** Programs begin and end for real. */
vi.setConfig({ testTimeout: 30_000 });
const started = await startPulse();
const missing = 'missing' in started ? started.missing : null;
const pulse = started as Pulse;
const real = test.skipIf(missing !== null && notRun('recording other programs', missing ?? ''));

let folder = '';
/** The user's data folder. */
let data = '';
const players = new Set<ChildProcess>();
let sound: SystemSound | null = null;

beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), 'dragoman-sound-'));
	for (const hz of [500, 1000, 2000]) {
		const samples = Float32Array.from(
			{ length: 48_000 * 30 },
			(_, at) => 0.4 * Math.sin((2 * Math.PI * hz * at) / 48_000),
		);
		writeFileSync(join(folder, `${hz}.wav`), new Uint8Array(encodeWav(samples, 48_000)));
		if (hz !== 500) continue;
		const both = new Int16Array(samples.length * 2);
		for (const [at, sample] of samples.entries()) both.set([sample * 32_767, sample * -32_767], at * 2);
		const head = wavHead({ rateHz: 48_000, channels: 2, bytes: both.byteLength });
		writeFileSync(join(folder, 'opposite.wav'), Buffer.concat([head, new Uint8Array(both.buffer)]));
	}
});
beforeEach(() => {
	data = mkdtempSync(join(folder, 'data-'));
});
afterEach(async () => {
	await sound?.close();
	sound = null;
	for (const player of players) player.kill();
	players.clear();
});
afterAll(async () => {
	rmSync(folder, { recursive: true, force: true });
	if (missing === null) await pulse.stop();
});

/** Another program that plays a tone. */
function play(tone: number | 'opposite', name: string): ChildProcess {
	const args = [`--client-name=${name}`, `--property=application.name=${name}`, join(folder, `${tone}.wav`)];
	const player = spawn('paplay', args, { env: { ...process.env, ...pulse.env }, stdio: 'ignore' });
	players.add(player);
	return player;
}

/** A port whose frames are collected, the newest second of each stream. */
function createPorts() {
	const heard: number[] = [];
	const ended: number[] = [];
	let closed = false;
	const silent: PortEnd = { post() {}, listen() {}, closed() {}, close() {} };
	const voice: PortEnd = {
		...silent,
		post(value) {
			const { from, samples } = value as SoundFrame;
			if (!samples) return void ended.push(from);
			for (const sample of samples) heard.push(sample / 32_768);
			heard.splice(0, heard.length - RATE);
		},
		close() {
			closed = true;
		},
	};
	return { heard, ended, isClosed: () => closed, ends: { control: silent, capture: silent, voice } };
}

/** How much of a tone is in it, 0 to about its amplitude (Goertzel). */
function toneIn(samples: readonly number[], hz: number): number {
	let [re, im] = [0, 0];
	for (const [at, sample] of samples.entries()) {
		re += sample * Math.cos((2 * Math.PI * hz * at) / RATE);
		im += sample * Math.sin((2 * Math.PI * hz * at) / RATE);
	}
	return (2 * Math.hypot(re, im)) / Math.max(1, samples.length);
}

function loweringOf(volumes: SoundRecorder): Lowering {
	const parts = { clock: createSystemClock(), log: silentLogger };
	const file = createSharedFile({ ...parts, folder: data, name: 'lowered', format: loweredFormat });
	return createLowering({ ...parts, volumes, file });
}

function start(ownPid: number, env: Readonly<Record<string, string>> = {}) {
	const ports = createPorts();
	let state: SystemSoundState | null = null;
	const recorder = createPulseRecorder(createSystemClock(), { ...process.env, ...pulse.env, ...env }, ownPid);
	sound = createSystemSound({
		recorder,
		way: 'recorder',
		lowering: loweringOf(recorder),
		createPorts: () => ports.ends,
		clock: createSystemClock(),
		log: silentLogger,
	});
	sound.listen((next) => {
		state = next;
	});
	return { ...ports, sound, state: () => state, names: () => state?.applications.map(({ name }) => name) };
}

const until = (check: () => void) => eventually(() => null, check);

const open = (of: SystemSound, application: string | null) =>
	of.answers['system-sound.open']({ stream: 'a-name-that-nobody-guesses', application, rateHz: RATE });

real('what other programs play is heard, all together, and never what we play ourselves', async () => {
	const ours = play(2000, 'Ourselves');
	const { sound: listening, heard, names } = start(ours.pid ?? 0);
	play(500, 'Meeting');
	expect((await open(listening, null)).ok).toBe(true);
	await until(() => expect(toneIn(heard, 500)).toBeGreaterThan(0.2));
	// It begins while we listen.
	play(1000, 'Browser');
	await until(() => expect(toneIn(heard, 1000)).toBeGreaterThan(0.1));
	expect(names()).toEqual(['Browser', 'Meeting']);
	expect(toneIn(heard, 2000)).toBeLessThan(0.05);
});

real('a voice whose two channels are opposite is heard as loud as it is', async () => {
	const { sound: listening, heard } = start(1);
	play('opposite', 'Meeting');
	expect((await open(listening, null)).ok).toBe(true);
	await until(() => expect(toneIn(heard, 500)).toBeGreaterThan(0.35));
});

real('what begins to play before the sound server tells of changes is heard', async () => {
	const programs = join(data, 'bin');
	mkdirSync(programs);
	// Imitates a busy machine, on which `subscribe` takes this long.
	const late = '#!/bin/sh\n[ "$1" = subscribe ] && sleep 1\nPATH=$REAL_PATH exec pactl "$@"\n';
	writeFileSync(join(programs, 'pactl'), late, { mode: 0o755 });
	const path = process.env['PATH'] ?? '';
	const { sound: listening, heard } = start(1, { PATH: `${programs}:${path}`, REAL_PATH: path });
	expect((await open(listening, null)).ok).toBe(true);
	play(500, 'Meeting');
	await until(() => expect(toneIn(heard, 500)).toBeGreaterThan(0.2));
});

real('one program alone is heard, also when it ends and plays again', async () => {
	const { sound: listening, heard, ended, names } = start(1);
	play(500, 'Music');
	const meeting = play(1000, 'Meeting');
	expect((await open(listening, 'Meeting')).ok).toBe(true);
	await until(() => expect(toneIn(heard, 1000)).toBeGreaterThan(0.2));
	expect(toneIn(heard, 500)).toBeLessThan(0.05);
	meeting.kill();
	await until(() => expect(ended).toHaveLength(1));
	await until(() => expect(names()).toEqual(['Music']));
	heard.length = 0;
	play(2000, 'Meeting');
	await until(() => expect(toneIn(heard, 2000)).toBeGreaterThan(0.2));
	expect(toneIn(heard, 500)).toBeLessThan(0.05);
});

real('a program that is moved to another output is heard on', async () => {
	await pulse.pactl('load-module', 'module-null-sink', 'sink_name=headphones');
	const { sound: listening, heard, ended } = start(1);
	play(500, 'Meeting');
	expect((await open(listening, null)).ok).toBe(true);
	await until(() => expect(toneIn(heard, 500)).toBeGreaterThan(0.2));
	const [input] = (await pulse.pactl('list', 'short', 'sink-inputs')).split('\t');
	await pulse.pactl('move-sink-input', input ?? '', 'headphones');
	await until(() => expect(ended).toHaveLength(1));
	heard.length = 0;
	await until(() => expect(toneIn(heard, 500)).toBeGreaterThan(0.2));
});

real('a program that is muted in the mixer is known as muted', async () => {
	const { sound: listening, state } = start(1);
	play(500, 'Meeting');
	expect((await open(listening, null)).ok).toBe(true);
	await until(() =>
		expect(state()?.applications).toEqual([{ name: 'Meeting', playing: true, muted: false }]),
	);
	const [input] = (await pulse.pactl('list', 'short', 'sink-inputs')).split('\t');
	await pulse.pactl('set-sink-input-mute', input ?? '', '1');
	await until(() => expect(state()?.applications).toEqual([{ name: 'Meeting', playing: true, muted: true }]));
});

real('what is left is recorded no more', async () => {
	const { sound: listening, heard, isClosed } = start(1);
	play(500, 'Meeting');
	expect((await open(listening, null)).ok).toBe(true);
	await until(() => expect(toneIn(heard, 500)).toBeGreaterThan(0.2));
	await listening.answers['system-sound.close']({ stream: 'a-name-that-nobody-guesses' });
	expect(isClosed()).toBe(true);
	await eventually(
		() => pulse.pactl('list', 'short', 'source-outputs'),
		(left) => expect(left).toBe(''),
	);
});

/** How loud a tone is at the loudspeaker, over the last 200 ms it played. */
function atTheSink(hz: number) {
	const recording = pulse.listen();
	const last = () => {
		const samples = recording.soFar().slice(-9600);
		let [re, im] = [0, 0];
		for (const [at, sample] of samples.entries()) {
			re += sample * Math.cos((2 * Math.PI * hz * at) / 48_000);
			im += sample * Math.sin((2 * Math.PI * hz * at) / 48_000);
		}
		return (2 * Math.hypot(re, im)) / Math.max(1, samples.length);
	};
	return { last, stop: () => recording.stop() };
}

real(
	'while the translation speaks the original is low in the ears, and as loud as ever in what is recorded',
	async () => {
		const { sound: listening, heard } = start(1);
		play(500, 'Meeting');
		const ears = atTheSink(500);
		await until(() => expect(ears.last()).toBeGreaterThan(0.35));
		expect((await open(listening, null)).ok).toBe(true);
		await until(() => expect(toneIn(heard, 500)).toBeGreaterThan(0.35));
		await listening.answers['system-sound.lower']({ gain: 0.25 });
		await until(() => expect(ears.last()).toBeLessThan(0.11));
		expect(ears.last()).toBeGreaterThan(0.08);
		// A whole second recorded while the program is turned down.
		heard.length = 0;
		await until(() => expect(heard).toHaveLength(RATE));
		expect(toneIn(heard, 500)).toBeGreaterThan(0.35);
		expect(Math.max(...heard.map(Math.abs))).toBeLessThan(0.5);
		await listening.answers['system-sound.lower']({ gain: 1 });
		await until(() => expect(ears.last()).toBeGreaterThan(0.39));
		await ears.stop();
	},
);

real('at Stop the original is as loud as before, at once', async () => {
	const { sound: listening } = start(1);
	play(500, 'Meeting');
	const ears = atTheSink(500);
	await until(() => expect(ears.last()).toBeGreaterThan(0.35));
	expect((await open(listening, null)).ok).toBe(true);
	await listening.answers['system-sound.lower']({ gain: 0.1 });
	await until(() => expect(ears.last()).toBeLessThan(0.05));
	await listening.answers['system-sound.close']({ stream: 'a-name-that-nobody-guesses' });
	await until(() => expect(ears.last()).toBeGreaterThan(0.39));
	await ears.stop();
});

real(
	'a volume that the person sets meanwhile is theirs, and is what the original comes back to',
	async () => {
		const { sound: listening } = start(1);
		play(500, 'Meeting');
		const ears = atTheSink(500);
		await until(() => expect(ears.last()).toBeGreaterThan(0.35));
		expect((await open(listening, null)).ok).toBe(true);
		await listening.answers['system-sound.lower']({ gain: 0.1 });
		// It has come to rest there: 21 dB down.
		await until(() => expect(ears.last()).toBeLessThan(0.037));
		const [input] = (await pulse.pactl('list', 'short', 'sink-inputs')).split('\t');
		// PulseAudio's gain is the cube of the volume, so this halves the amplitude.
		await pulse.pactl('set-sink-input-volume', input ?? '', '52016');
		await until(() => expect(ears.last()).toBeGreaterThan(0.19));
		await listening.answers['system-sound.lower']({ gain: 1 });
		await listening.answers['system-sound.close']({ stream: 'a-name-that-nobody-guesses' });
		expect(await pulse.pactl('list', 'sink-inputs')).toContain('52016');
		await ears.stop();
	},
);

test('without the programs it is said which is missing', async () => {
	const listening = createSystemSound({
		recorder: createPulseRecorder(createSystemClock(), { PATH: folder }, 1),
		way: 'recorder',
		lowering: null,
		createPorts: () => createPorts().ends,
		clock: createSystemClock(),
		log: silentLogger,
	});
	expect(await open(listening, null)).toEqual({
		ok: false,
		error: { kind: 'recorder-missing', program: 'pactl' },
	});
	await listening.close();
});
