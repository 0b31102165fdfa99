import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createClips, phrases } from '#sandbox/canned/phrases.ts';
import { type SandboxOptions, startSandbox } from '#sandbox/sandbox.ts';
import { resample, SPEECH_HZ, toS16 } from '#sandbox/speech/pcm.ts';
import { createSynthesizer } from '#sandbox/speech/synthesizer.ts';
import type { CaptionRecord } from '#shared/captions/export-formats.ts';
import { wavOf } from '#shared/sound/wav.ts';
import { activity } from '#stand-in/drive/sound.ts';
import { until } from '#test/support/app-steps.ts';
import { readWav, speechWav } from '#test/support/recordings.ts';

let folder = '';
const running = new Set<ChildProcess>();
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'demo-test-'));
});
afterEach(() => {
	for (const child of running) child.kill('SIGKILL');
	running.clear();
	rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
});

interface Demo {
	readonly child: ChildProcess;
	readonly ended: Promise<number | null>;
	/** Both outputs so far. */
	said(): string;
}

/** Started without npm, which would not pass signals on. */
const DIRECTLY: readonly [string, ...string[]] = [process.execPath, 'src/demo/main.ts'];
const AS_THE_README_SAYS: readonly [string, ...string[]] = ['npm', 'run', 'demo', '--'];

/** After the build; with a temporary folder of its own. */
function demo(
	args: readonly string[],
	env: Readonly<Record<string, string>> = {},
	[program, ...words] = DIRECTLY,
): Demo {
	const own = Object.entries(process.env).filter(([name]) => !/^(DRAGOMAN_|LIVEKIT_)|DISPLAY$/.test(name));
	const child = spawn(program, [...words, '--headless', ...args], {
		shell: process.platform === 'win32',
		env: { ...Object.fromEntries(own), TMPDIR: folder, TEMP: folder, TMP: folder, ...env },
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	running.add(child);
	let text = '';
	for (const stream of [child.stdout, child.stderr]) {
		stream.setEncoding('utf8').on('data', (chunk: string) => {
			text += chunk;
		});
	}
	const ended = new Promise<number | null>((done) => {
		child.once('exit', (code) => {
			running.delete(child);
			done(code);
		});
	});
	return { child, ended, said: () => text };
}

const leftovers = () => readdirSync(folder).filter((name) => name.startsWith('dragoman-'));

const text = (number: number, language: 'en' | 'es' | 'fr'): string =>
	phrases.find((phrase) => phrase.number === number)?.text[language] ?? '';

async function clip(language: string, number: number): Promise<{ pcm: Int16Array; rate: number }> {
	const synthesizer = createSynthesizer();
	const pcm = await synthesizer.samples(createClips().packets(language, number));
	synthesizer.close();
	return { pcm, rate: SPEECH_HZ };
}

function readResults(out: string) {
	const file = (name: string) => readFileSync(join(out, name));
	const json = (name: string): unknown => JSON.parse(file(name).toString('utf8'));
	return {
		heard: file('heard.wav'),
		picture: file('window.png'),
		captions: json('captions.json') as readonly CaptionRecord[],
		summary: json('summary.json') as {
			scripted: boolean;
			service: string;
			counts: Record<string, number>;
			delays_ms: Record<string, number | null>;
			texts: { source: string[]; translations: Record<string, string[]> };
			heard: { voice_ms: number };
		},
		srt: (language: string) => file(`captions.${language}.srt`).toString('utf8'),
	};
}

interface Cue {
	readonly number: number;
	readonly fromMs: number;
	readonly toMs: number;
	readonly text: string;
}

function readSrt(srt: string): readonly Cue[] {
	const ms = (time: string) => {
		const [h = 0, m = 0, s = 0, rest = 0] = time.split(/[:,]/).map(Number);
		return ((h * 60 + m) * 60 + s) * 1000 + rest;
	};
	const cues = srt.replaceAll('\r\n', '\n').trim().split('\n\n');
	return cues.map((cue) => {
		const [number = '', times = '', ...lines] = cue.split('\n');
		const [from = '', to = ''] = times.split(' --> ');
		return { number: Number(number), fromMs: ms(from), toMs: ms(to), text: lines.join(' ') };
	});
}

function expectInOrder(times: readonly { fromMs: number; toMs: number }[], lengthMs: number): void {
	for (const [index, { fromMs, toMs }] of times.entries()) {
		expect(toMs).toBeGreaterThan(fromMs);
		expect(fromMs).toBeGreaterThanOrEqual(times[index - 1]?.fromMs ?? 0);
		expect(toMs).toBeLessThanOrEqual(lengthMs);
	}
}

test('a whole conversation is held, and what it leaves can be heard, read and seen', async () => {
	const out = join(folder, 'out');
	const run = demo(['--out', out], {}, AS_THE_README_SAYS);
	expect(await run.ended, run.said()).toBe(0);
	const { heard, picture, captions, summary, srt } = readResults(out);

	expect(heard.readUInt16LE(20)).toBe(1);
	expect(heard.readUInt16LE(22)).toBe(1);
	expect(heard.readUInt32LE(24)).toBe(48_000);
	expect(heard.readUInt16LE(34)).toBe(16);
	const pcm = new Int16Array(Uint8Array.from(heard.subarray(44)).buffer);
	const lengthMs = pcm.length / 48;
	const spans = activity(pcm, { gapMs: 700 });
	expect(spans.length).toBeGreaterThanOrEqual(2);
	const [first = { fromMs: 0, toMs: 0 }] = spans;
	// The voice begins with the Spanish of the first sentence, and not with just any sound.
	const beginning = { pcm: pcm.subarray(first.fromMs * 48, (first.fromMs + 5000) * 48), rate: 48_000 };
	expect(shareHeard(beginning, await clip('es', 1))).toBeGreaterThan(0.7);
	expect(shareHeard(beginning, await clip('es', 7))).toBeLessThan(0.3);
	expect(shareHeard(beginning, await clip('en', 1))).toBeLessThan(0.3);

	const source = [1, 2, 3, 4, 5, 6].map((number) => text(number, 'en'));
	const spanish = [1, 2, 3, 4, 5, 6].map((number) => text(number, 'es'));
	const finals = captions.filter((one) => one.final);
	expect(finals.filter((one) => one.kind === 'source').map((one) => one.text)).toEqual(source);
	expect(finals.filter((one) => one.kind === 'translation').map((one) => one.text)).toEqual(spanish);
	for (const [language, texts] of [
		['en', source],
		['es', spanish],
	] as const) {
		const cues = readSrt(srt(language));
		expect(cues.map((cue) => cue.text)).toEqual(texts);
		expect(cues.map((cue) => cue.number)).toEqual(texts.map((_, index) => index + 1));
		expectInOrder(cues, lengthMs);
	}
	const sourceTimes = finals.filter((one) => one.kind === 'source');
	expectInOrder(
		sourceTimes.map((one) => ({ fromMs: one.start_ms, toMs: one.end_ms })),
		lengthMs,
	);

	expect(picture.subarray(0, 8)).toEqual(Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]));
	expect([picture.readUInt32BE(16), picture.readUInt32BE(20)]).toEqual([1000, 760]);
	expect(picture.length).toBeGreaterThan(40_000);

	expect(summary).toMatchObject({ scripted: true, service: 'sandbox' });
	expect(summary.counts).toMatchObject({ sessions_created: 1, sessions_deleted: 1 });
	expect(summary.texts).toEqual({ source, translations: { es: spanish } });
	const delays = summary.delays_ms;
	// The speaker waits for "Live", however long it takes, and not for a fixed time.
	expect(delays.start_to_speech).toBeGreaterThan(delays.start_to_live ?? Number.NaN);
	expect(delays.start_to_speech).toBeLessThan((delays.start_to_live ?? Number.NaN) + 5000);
	expect(delays.start_to_first_packet).toBeLessThan(delays.start_to_live ?? Number.NaN);
	expect(delays.start_to_first_voice).toBeGreaterThan(delays.start_to_speech ?? Number.NaN);
	expect(leftovers()).toEqual([]);
}, 150_000);

/** Real speech if installed, in stereo, as some sound cards record it. */
function stereoRecording(seconds: number): string {
	const sound = readWav(readFileSync(speechWav().path));
	const mono = toS16(resample(sound.samples.subarray(0, sound.rate * seconds), sound.rate, 44_100));
	const both = new Int16Array(mono.length * 2);
	for (const [index, value] of mono.entries()) both.fill(value, index * 2, index * 2 + 2);
	const file = Buffer.from(wavOf(both, 44_100));
	file.writeUInt16LE(2, 22);
	file.writeUInt32LE(44_100 * 4, 28);
	file.writeUInt16LE(4, 32);
	const path = join(folder, 'mine.wav');
	writeFileSync(path, file);
	return path;
}

test("one's own stereo recording is interpreted into the language asked for", async () => {
	const data = join(folder, 'data');
	const own = { version: 2, speak: 'de', hear: ['it'] };
	mkdirSync(data);
	writeFileSync(join(data, 'settings.json'), JSON.stringify(own));
	const home = join(folder, 'home');
	mkdirSync(home);
	const words = ['--input', stereoRecording(6), '--from', 'en', '--to', 'fr', '--user-data-dir', data];
	const run = demo(words, { HOME: home, XDG_CONFIG_HOME: '', XDG_CACHE_HOME: '' });
	expect(await run.ended, run.said()).toBe(0);
	// No file of the browser or the sound library, but perhaps the browser itself, unpacked.
	const inHome = readdirSync(home, { recursive: true }).map(String);
	expect(inHome.filter((name) => !/^\.cache(\/dragoman.*)?$/.test(name))).toEqual([]);
	// Everything is in the folder that was named, and its languages are as they were.
	expect(JSON.parse(readFileSync(join(data, 'settings.json'), 'utf8'))).toMatchObject(own);
	expect(leftovers()).toEqual([]);
	expect(readdirSync(data).filter((name) => name.startsWith('conversation-'))).toEqual([]);
	const { captions, summary, srt, heard } = readResults(join(data, 'demo'));
	expect(readSrt(srt('fr'))[0]?.text).toBe(text(1, 'fr'));
	expect(captions.filter((one) => one.kind === 'translation').map((one) => one.language)).toContain('fr');
	expect(summary.heard.voice_ms).toBeGreaterThan(1000);
	expect(summary.counts).toMatchObject({ sessions_created: 1, sessions_deleted: 1 });
	const pcm = new Int16Array(Uint8Array.from(heard.subarray(44)).buffer);
	const [first = { fromMs: 0 }] = activity(pcm);
	const beginning = { pcm: pcm.subarray(first.fromMs * 48, (first.fromMs + 4000) * 48), rate: 48_000 };
	expect(shareHeard(beginning, await clip('fr', 1))).toBeGreaterThan(0.7);
}, 120_000);

test('a wrong option, a file that is no WAV and a key that is refused each end at once with their status', async () => {
	const wrong = demo(['--to', 'klingon']);
	expect(await wrong.ended).toBe(2);
	expect(wrong.said()).toContain('klingon');

	const path = join(folder, 'no.wav');
	writeFileSync(path, 'this is no sound');
	const bad = demo(['--input', path]);
	expect(await bad.ended).toBe(7);
	expect(bad.said()).toContain(path);

	const silence = join(folder, 'silence.wav');
	writeFileSync(silence, wavOf(new Int16Array(96_000), 48_000));
	const silent = demo(['--input', silence]);
	expect(await silent.ended).toBe(7);
	expect(silent.said()).toContain(`${silence}: nothing was said in it`);

	const sandbox = await startSandbox();
	const refused = demo([], { DRAGOMAN_API_URL: sandbox.addresses.api, DRAGOMAN_API_KEY: 'wrong' });
	expect(await refused.ended).toBe(3);
	expect(sandbox.counts().created).toBe(0);
	await sandbox.close();
	expect(leftovers()).toEqual([]);
}, 60_000);

test('a recording in which the service hears no speech is said to be so, with the status of a bad input', async () => {
	const tone = join(folder, 'tone.wav');
	const faint = Int16Array.from(
		{ length: 4800 },
		(_, at) => 260 * Math.sin((at * 2 * Math.PI * 440) / 48_000),
	);
	writeFileSync(tone, wavOf(faint, 48_000));
	const run = demo(['--input', tone]);
	expect(await run.ended, run.said()).toBe(7);
	expect(run.said()).toContain('the service heard no speech in it');
	expect(leftovers()).toEqual([]);
}, 90_000);

async function withService(
	options: SandboxOptions,
	go: (service: Awaited<ReturnType<typeof startSandbox>>, env: Record<string, string>) => Promise<void>,
): Promise<void> {
	const sandbox = await startSandbox(options);
	const { api, key } = sandbox.addresses;
	try {
		await go(sandbox, { DRAGOMAN_API_URL: api, DRAGOMAN_API_KEY: key });
	} finally {
		await sandbox.close();
	}
}

test('when the account has no session left the status says so, and the session of others stays', async () => {
	await withService({ faults: ['limit-1'] }, async (sandbox, env) => {
		const { api, key } = sandbox.addresses;
		const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
		const answer = await fetch(`${api}/session-storage/session`, {
			method: 'POST',
			headers,
			body: '{"data":{}}',
		});
		expect(answer.status).toBe(201);
		const run = demo([], env);
		expect(await run.ended, run.said()).toBe(5);
		expect(sandbox.openSessions()).toHaveLength(1);
		expect(leftovers()).toEqual([]);
	});
}, 90_000);

test('when the service is out of order as the conversation begins the status says so', async () => {
	await withService({ faults: ['502@create'] }, async (sandbox, env) => {
		const run = demo([], env);
		expect(await run.ended, run.said()).toBe(6);
		expect(sandbox.openSessions()).toEqual([]);
		expect(leftovers()).toEqual([]);
	});
}, 90_000);

const moments: readonly (readonly [string, (run: Demo) => Promise<void>])[] = [
	['as soon as the app is being started', () => until('its start', () => leftovers().length > 0, 40_000)],
	['while the window opens', () => until('the log of the app', appStarted, 40_000)],
	[
		'in the middle of the conversation',
		(run) => until('live', () => run.said().includes('live after'), 60_000),
	],
];

function appStarted(): boolean {
	const [work] = leftovers();
	if (!work) return false;
	try {
		return readFileSync(join(folder, work, 'logs', 'dragoman.log'), 'utf8').includes('started');
	} catch {
		return false;
	}
}

test.each(moments)(
	'Ctrl-C %s leaves no session, no folder and the status 130',
	async (_when, arrive) => {
		await withService({}, async (sandbox, env) => {
			const run = demo([], env);
			await arrive(run);
			run.child.kill('SIGINT');
			expect(await run.ended, run.said()).toBe(130);
			await until('no session is left', () => sandbox.openSessions().length === 0);
			const { created, deleted } = sandbox.counts();
			expect(deleted).toBe(created);
			expect(leftovers()).toEqual([]);
		});
	},
	90_000,
);

/** A sampling rate high enough to tell speech apart, Hz. */
const RATE = 8000;
const WINDOW_MS = 300;
/** Windows this alike are the same sound: others stay far below. */
const ALIKE = 0.6;
/** Below this RMS (0 to 1) a window has nothing recognisable in it. */
const FAINT = 0.01;

/** Every `factor`th sample of a running mean: enough of a filter for comparing. */
function thin(pcm: Int16Array, rate: number): Float32Array {
	const factor = rate / RATE;
	const out = new Float32Array(Math.floor(pcm.length / factor));
	for (let index = 0; index < out.length; index++) {
		let sum = 0;
		for (let at = 0; at < factor; at++) sum += pcm[index * factor + at] ?? 0;
		out[index] = sum / factor / 32_768;
	}
	return out;
}

/** The best normalised cross-correlation of `window` anywhere in `sound`, -1 to 1. */
function bestMatch(sound: Float32Array, window: Float32Array): number {
	const energy = window.reduce((sum, value) => sum + value * value, 0);
	let under = 0;
	for (let at = 0; at < window.length; at++) under += (sound[at] ?? 0) ** 2;
	let best = -1;
	for (let shift = 0; shift + window.length <= sound.length; shift++) {
		if (under > energy / 100) {
			let product = 0;
			for (let at = 0; at < window.length; at++) product += (sound[shift + at] ?? 0) * (window[at] ?? 0);
			best = Math.max(best, product / Math.sqrt(energy * under));
		}
		under += (sound[shift + window.length] ?? 0) ** 2 - (sound[shift] ?? 0) ** 2;
	}
	return best;
}

/**
 * How much of a recorded sentence is in what was heard, 0 to 1: the share of its windows that are
 * found again, regardless of gaps and stretches between them. Rates are multiples of 8 kHz.
 */
function shareHeard(
	heard: { readonly pcm: Int16Array; readonly rate: number },
	sentence: { readonly pcm: Int16Array; readonly rate: number },
): number {
	const sound = thin(heard.pcm, heard.rate);
	const said = thin(sentence.pcm, sentence.rate);
	const size = (RATE * WINDOW_MS) / 1000;
	let windows = 0;
	let found = 0;
	for (let from = 0; from + size <= said.length; from += size) {
		const window = said.subarray(from, from + size);
		const rms = Math.sqrt(window.reduce((sum, value) => sum + value * value, 0) / size);
		if (rms < FAINT) continue;
		windows += 1;
		if (bestMatch(sound, window) > ALIKE) found += 1;
	}
	return windows === 0 ? 0 : found / windows;
}
