import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ECHO_PERIOD_MS, EchoDetector, EchoLoop } from '#renderer/sound/echo-guard.ts';
import { phrases, spokenLanguages } from '#sandbox/canned/phrases.ts';
import { espeak } from '#sandbox/speech/synthesizer.ts';
import type { Timbre } from '#sandbox/speech/timbre.ts';
import { measureLevel } from '#shared/sound/level.ts';
import { resample } from '#test/support/inspect-sound.ts';
import { createRandom } from '#test/support/random.ts';
import type { Bench, BenchOptions, BenchResult } from './bench.ts';
import { percentile, table } from './statistics.ts';

/** Sampling rate of all sound in this file, Hz. */
const RATE = 16_000;
const SECONDS = 180;
/** An echo while nobody speaks must be found within this time. */
const ALONE_S = 40;
const STEP = (RATE * ECHO_PERIOD_MS) / 1000;
/** Same length as in the app, whose analyser takes 2048 samples at 48 kHz. */
const WINDOW = Math.round((2048 * RATE) / 48_000);
/** As in the app, the voice counts as speaking above this level and for this long afterwards. */
const VOICE_DB = -50;
const VOICE_HOLD_MS = 650;
/** A false alarm alone does nothing; two within half a minute of voice shut the microphone. */
const MOST_AN_HOUR = 0.5;

/** When the voice speaks. */
const manners = ['behind each sentence', 'while it is said', 'whenever it likes'] as const;
type Manner = (typeof manners)[number];

/** False alarms of the echo detector, and the echoes it finds. */
export const echo: Bench = {
	name: 'echo',
	title: 'The microphone that hears the voice',
	about: `First a person speaks for three minutes together with an interpreter's voice, and the microphone hears only the
person: each alarm is false. Then it hears the voice in random rooms (0 to 600 ms late, 3 to 25 dB quieter, reverberation of
0.15 to 0.75 s, noise of −75 to −50 dBFS), while nobody speaks, or somebody does all the time. Last, a microphone shut because of an
echo should stay shut while it lasts, and open with headphones. Speech: Debian's recordings of a person, and
espeak-ng in six languages.`,
	run: measure,
};

interface Talk {
	readonly samples: Float32Array;
	/** First and last sample of each sentence. */
	readonly spans: readonly (readonly [number, number])[];
}

async function measure({ long, rounds, say }: BenchOptions): Promise<BenchResult> {
	const all = await speakers();
	if (all.length < 2) {
		return { markdown: 'Not measured: espeak-ng is not installed.', data: [], goals: [] };
	}
	const count = rounds ?? (long ? 200 : 30);
	const alarms: { manner: Manner; alarms: number }[] = [];
	const alone: (number | null)[] = [];
	const among: (number | null)[] = [];
	const shut = { tried: 0, openedInEcho: 0, openedOnHeadphones: 0 };
	for (let round = 0; round < count; round += 1) {
		const random = createRandom(1 + round);
		const manner = manners[round % manners.length] ?? manners[0];
		const [person, interpreter] = two(all, random);
		const talk = talking(person, SECONDS, random);
		const voice = interpreted(talk, interpreter, manner, random);
		const noiseDb = anyNoise(random);
		alarms.push({ manner, alarms: detect(voice, withNoise(talk.samples, noiseDb, random)).length });
		const room = anyRoom(random);
		const short = voice.slice(0, ALONE_S * RATE);
		const echoed = heardIn(room, voice, random);
		const heard = echoed.slice(0, short.length);
		alone.push(detect(short, withNoise(heard, room.noiseDb, random))[0] ?? null);
		const both = heard.map((sample, at) => sample + (talk.samples[at] ?? 0));
		among.push(detect(short, withNoise(both, room.noiseDb, random))[0] ?? null);
		const silent = new Float32Array(voice.length);
		const after = (talked: Float32Array, echo: Float32Array) =>
			withNoise(
				voice.map((_, at) => (at < short.length ? (echoed[at] ?? 0) : (talked[at] ?? 0) + (echo[at] ?? 0))),
				room.noiseDb,
				random,
			);
		const inEcho = opened(voice, after(talk.samples, echoed));
		if (inEcho !== null) {
			shut.tried += 1;
			if (inEcho) shut.openedInEcho += 1;
			if (opened(voice, after(talk.samples, silent))) shut.openedOnHeadphones += 1;
		}
		if (round % 20 === 19) say(`${round + 1} of ${count}`);
	}
	return report(all, { alarms, alone, among, shut });
}

/** Picks a person who speaks, and a voice of another language. */
function two(all: readonly Speaker[], random: () => number): [Speaker, Speaker] {
	const pick = (of: readonly Speaker[]) => of[Math.floor(random() * of.length)] as Speaker;
	const person = pick(all);
	return [person, pick(all.filter(({ language }) => language !== person.language))];
}

function anyOf({ sentences }: Speaker, random: () => number): Float32Array {
	return sentences[Math.floor(random() * sentences.length)] as Float32Array;
}

/** Pauses of 0.2 to 1 s, and one in three of up to 3 s. */
function talking(speaker: Speaker, seconds: number, random: () => number): Talk {
	const samples = new Float32Array(seconds * RATE);
	const spans: [number, number][] = [];
	let at = Math.floor(2 * random() * RATE);
	while (at < samples.length) {
		const sentence = anyOf(speaker, random).subarray(0, samples.length - at);
		samples.set(sentence, at);
		spans.push([at, at + sentence.length]);
		at += sentence.length + Math.floor((0.2 + random() * (random() < 0.3 ? 3 : 0.8)) * RATE);
	}
	return { samples, spans };
}

/** For each sentence, a sentence of the voice of about the same length, timed by `manner`. */
function interpreted(talk: Talk, voice: Speaker, manner: Manner, random: () => number): Float32Array {
	if (manner === 'whenever it likes') return talking(voice, SECONDS, random).samples;
	const samples = new Float32Array(talk.samples.length);
	const lateS = manner === 'behind each sentence' ? 0.4 + 0.6 * random() : 1.5 + 1.5 * random();
	let free = 0;
	for (const [from, to] of talk.spans) {
		const sentence = Array.from({ length: 8 }, () => anyOf(voice, random)).reduce((one, other) =>
			Math.abs(other.length - (to - from)) < Math.abs(one.length - (to - from)) ? other : one,
		);
		const begins = (manner === 'behind each sentence' ? to : from) + (lateS + 0.2 * random()) * RATE;
		const at = Math.max(free, Math.floor(begins));
		if (at >= samples.length) break;
		samples.set(sentence.subarray(0, samples.length - at), at);
		free = at + sentence.length;
	}
	return samples;
}

/** Time of each echo reported, in seconds since the voice began. */
function detect(voice: Float32Array, heard: Float32Array): number[] {
	const detector = new EchoDetector();
	const begins = Math.max(
		0,
		voice.findIndex((sample) => sample !== 0),
	);
	return levelsOf(voice, heard).flatMap(([voiceDb, microphoneDb], index) =>
		detector.push(voiceDb, microphoneDb) ? [(index * STEP - begins) / RATE] : [],
	);
}

/** True if a microphone that was shut within `ALONE_S` is opened later; null: it was not shut. */
function opened(voice: Float32Array, heard: Float32Array): boolean | null {
	const loop = new EchoLoop();
	let wasShut = false;
	let voiceAtMs = Number.NEGATIVE_INFINITY;
	for (const [index, [voiceDb, microphoneDb]] of levelsOf(voice, heard).entries()) {
		const nowMs = index * ECHO_PERIOD_MS;
		if (voiceDb > VOICE_DB) voiceAtMs = nowMs;
		const isShut = loop.isLoop && nowMs - voiceAtMs < VOICE_HOLD_MS;
		loop.push(voiceDb, microphoneDb, !isShut);
		if (nowMs < ALONE_S * 1000) wasShut = loop.isLoop;
		else if (!wasShut) return null;
		else if (!loop.isLoop) return true;
	}
	return false;
}

/** Levels of both, dBFS, every `ECHO_PERIOD_MS`. */
function levelsOf(voice: Float32Array, heard: Float32Array): (readonly [number, number])[] {
	const levels: (readonly [number, number])[] = [];
	for (let at = 0; at + WINDOW <= voice.length; at += STEP) {
		const [one, other] = [voice, heard].map((sound) => measureLevel(sound.subarray(at, at + WINDOW)).rmsDb);
		levels.push([one ?? Number.NaN, other ?? Number.NaN]);
	}
	return levels;
}

interface Seen {
	readonly alarms: readonly { manner: Manner; alarms: number }[];
	/** Seconds until the echo was found; null: not found. */
	readonly alone: readonly (number | null)[];
	readonly among: readonly (number | null)[];
	readonly shut: {
		readonly tried: number;
		readonly openedInEcho: number;
		readonly openedOnHeadphones: number;
	};
}

function report(all: readonly Speaker[], seen: Seen): BenchResult {
	const { alarms, alone, among, shut } = seen;
	const total = alarms.reduce((sum, one) => sum + one.alarms, 0);
	const hours = (alarms.length * SECONDS) / 3600;
	const found = (times: readonly (number | null)[]) => times.filter((time) => time !== null);
	const within = (times: readonly (number | null)[]) => {
		const seconds = times.map((time) => time ?? Number.POSITIVE_INFINITY);
		return [0.5, 0.9].map((share) => {
			const value = percentile(seconds, share);
			return Number.isFinite(value) ? value.toFixed(1) : 'not found';
		});
	};
	return {
		markdown: [
			`${all.length} speakers (${all.some(({ name }) => name === 'person') ? 'one of them a person' : 'all synthetic'}), ${hours.toFixed(1)} hours.`,
			'',
			table(
				['the voice speaks', 'hours', 'false alarms'],
				manners.map((manner) => {
					const those = alarms.filter((one) => one.manner === manner);
					const sum = those.reduce((so, one) => so + one.alarms, 0);
					return [manner, ((those.length * SECONDS) / 3600).toFixed(1), String(sum)];
				}),
			),
			'',
			table(
				['the microphone hears', 'echoes found', 'half of them within, s', 'nine of ten within, s'],
				[
					['the voice alone', alone] as const,
					['the voice, and somebody who speaks all the time', among] as const,
				].map(([what, times]) => [what, `${found(times).length} of ${times.length}`, ...within(times)]),
			),
			'',
			table(
				['the microphone was shut, and somebody speaks over', `opened within ${SECONDS - ALONE_S} s`],
				[
					['an echo (should stay shut)', `${shut.openedInEcho} of ${shut.tried}`],
					['headphones (should open)', `${shut.openedOnHeadphones} of ${shut.tried}`],
				],
			),
		].join('\n'),
		data: seen,
		goals: [
			{
				id: 'F91',
				goal: `≤ ${MOST_AN_HOUR} false alarms an hour; every echo of the voice alone found within ${ALONE_S} s`,
				measured: `${(total / hours).toFixed(2)} an hour (${total} in ${hours.toFixed(1)} h), ${found(alone).length} of ${alone.length} found`,
				reached: total / hours <= MOST_AN_HOUR && found(alone).length === alone.length,
			},
		],
	};
}

/** A loudspeaker, a room and a microphone. */
interface Room {
	/** Until the direct sound arrives, s. */
	readonly delayS: number;
	/** Until the reverberation has lost 60 dB, s. */
	readonly diesInS: number;
	/** Direct sound against all reverberation, dB. */
	readonly directDb: number;
	/** The direct sound against what was played, dB. */
	readonly gainDb: number;
	/** Noise of the microphone and the room, dBFS. */
	readonly noiseDb: number;
}

const REFLECTIONS = 120;

function anyRoom(random: () => number): Room {
	return {
		delayS: 0.6 * random(),
		diesInS: 0.15 + 0.6 * random(),
		directDb: 8 - 12 * random(),
		gainDb: -3 - 22 * random(),
		noiseDb: anyNoise(random),
	};
}

function anyNoise(random: () => number): number {
	return -75 + 25 * random();
}

/** What the microphone hears of what is played. */
function heardIn(room: Room, played: Float32Array, random: () => number): Float32Array {
	const heard = new Float32Array(played.length);
	const add = (shift: number, gain: number) => {
		for (let at = shift; at < heard.length; at += 1) {
			heard[at] = (heard[at] ?? 0) + gain * (played[at - shift] ?? 0);
		}
	};
	const direct = 10 ** (room.gainDb / 20);
	const delay = Math.floor(room.delayS * RATE);
	const reflections = Array.from({ length: REFLECTIONS }, () => {
		const afterS = random() * room.diesInS;
		return { afterS, gain: (2 * random() - 1) * 10 ** ((-3 * afterS) / room.diesInS) };
	});
	const energy = reflections.reduce((sum, { gain }) => sum + gain * gain, 0);
	const scale = direct * Math.sqrt(10 ** (-room.directDb / 10) / energy);
	add(delay, direct);
	for (const { afterS, gain } of reflections) add(delay + 16 + Math.floor(afterS * RATE), gain * scale);
	return narrowed(heard);
}

/** A small loudspeaker has no bass, and little treble. */
function narrowed(samples: Float32Array): Float32Array {
	let [low, high, before] = [0, 0, 0];
	return samples.map((sample) => {
		low += 0.45 * (sample - low);
		high = 0.97 * (high + low - before);
		before = low;
		return high;
	});
}

/** Adds continuous noise. */
function withNoise(samples: Float32Array, noiseDb: number, random: () => number): Float32Array {
	const gain = 10 ** (noiseDb / 20) * Math.sqrt(3);
	return samples.map((sample) => sample + gain * (2 * random() - 1));
}

/** What one person, or one synthetic voice, says: sentences, mono, −1 to 1, all about as loud. */
interface Speaker {
	readonly name: string;
	/** Speakers of one language say the same texts. */
	readonly language: string;
	readonly sentences: readonly Float32Array[];
}

/** A professional speaker's prompts, from Debian's asterisk-core-sounds-en-g722 (CC-BY-SA 3.0). */
const PROMPTS = '/usr/share/asterisk/sounds/en_US_f_Allison';
/** One second; shorter prompts are not sentences. */
const LEAST = RATE;
const TIMBRES: readonly Timbre[] = ['low', 'high'];
const TEMPOS = [0.9, 1.15];
const LOUD = 0.08;

/** A person if her recordings are installed, and espeak-ng's voices in six languages if it is installed. */
async function speakers(): Promise<readonly Speaker[]> {
	const found: Speaker[] = [];
	const person = prompts();
	if (person.length > 0) found.push({ name: 'person', language: 'prompts', sentences: person });
	for (const language of spokenLanguages) {
		for (const timbre of TIMBRES) {
			const sentences: Float32Array[] = [];
			for (const tempo of TEMPOS) {
				for (const { text } of phrases) {
					const spoken = await espeak(text[language], language, { timbre, tempo });
					if (spoken) sentences.push(level(resample(spoken.samples, spoken.rateHz, RATE)));
				}
			}
			if (sentences.length > 0) found.push({ name: `${language} ${timbre}`, language, sentences });
		}
	}
	return found;
}

/** Decodes all prompts in one run of ffmpeg and cuts them apart: a byte of G.722 is two samples. */
function prompts(): readonly Float32Array[] {
	if (!existsSync(PROMPTS)) return [];
	const files = readdirSync(PROMPTS)
		.filter((name) => name.endsWith('.g722') && !/beep|tone|monkeys/.test(name))
		.map((name) => readFileSync(join(PROMPTS, name)));
	const args = ['-loglevel', 'error', '-f', 'g722', '-i', '-', '-f', 'f32le', '-ac', '1', '-'];
	const { stdout } = spawnSync('ffmpeg', args, { input: Buffer.concat(files), maxBuffer: 2 ** 30 });
	const all = new Float32Array(new Uint8Array(stdout ?? []).buffer);
	const out: Float32Array[] = [];
	let at = 0;
	for (const file of files) {
		const sentence = all.subarray(at, at + 2 * file.length);
		at += 2 * file.length;
		if (sentence.length >= LEAST) out.push(level(sentence));
	}
	return out;
}

/** Cuts the silence off both ends and brings the sentence to the common level. */
function level(samples: Float32Array): Float32Array {
	const first = samples.findIndex((sample) => Math.abs(sample) > 0.003);
	const last = samples.findLastIndex((sample) => Math.abs(sample) > 0.003);
	const sentence = samples.slice(Math.max(0, first), last + 1);
	const energy = sentence.reduce((sum, sample) => sum + sample * sample, 0);
	const gain = LOUD / Math.sqrt(energy / Math.max(1, sentence.length) || 1);
	return sentence.map((sample) => sample * gain);
}
