import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openAudio } from '#main/cli/audio-input.ts';
import { makeFolderNow } from '#main/lib/files.ts';
import { openSettingsFile } from '#main/settings/settings-file.ts';
import { createSystemClock } from '#main/system-clock.ts';
import { type CaptionRecord, plainFile } from '#shared/captions/export-formats.ts';
import type { Segment } from '#shared/captions/segment.ts';
import { EXIT, type ExitStatus } from '#shared/exit-status.ts';
import type { Environment } from '#shared/lib/environment.ts';
import { SOCKET_AUDIO } from '#shared/protocol/limits.ts';
import { wavOf } from '#shared/sound/wav.ts';
import { launchApp } from '#stand-in/drive/launch-app.ts';
import { activity, padded, type Sound, type Span } from '#stand-in/drive/sound.ts';
import { type Driven, holdConversation, sessionsOf } from './drive.ts';
import type { DemoOptions } from './options.ts';
import type { Service } from './service.ts';
import { dataFolder, languageSettings } from './window.ts';

const RATE = 48_000;

/** The pauses between sentences are longer than this, those between words shorter. */
const SENTENCE_GAP_MS = 700;

const seconds = (ms: number | null) => (ms === null ? 'not seen' : `${(ms / 1000).toFixed(2)} s`);

/** Silence after the recording, so that a pause follows the last word, s. */
const SILENCE_AFTER_S = 2;

interface Run {
	readonly options: DemoOptions;
	readonly sound: Sound;
	readonly inputPath: string;
	readonly service: Service;
	/** The environment this program was started with, for the app. */
	readonly env: Environment;
	/** Ends the app, and with it the conversation, which then rejects. */
	readonly signal: AbortSignal;
	readonly say: (text: string) => void;
}

/** Opens the app, holds the conversation, writes the files; removes its data unless a session may be open. */
export async function converse(run: Run): Promise<ExitStatus> {
	const { options, sound, service, signal, say } = run;
	const { folder: userData, isOwn } = dataFolder(options, run.env);
	// Inside the named folder, so that we write nothing anywhere else.
	const work = mkdtempSync(join(userData, 'conversation-'));
	const out = resolve(options.out ?? (isOwn ? 'out/demo' : join(userData, 'demo')));
	// No session is prepared ahead, so exactly one is ever opened.
	const giveBack = lend(userData, { ...languageSettings(options), interfaceLanguage: 'en', warmIdleS: 0 });
	const sessions = () => service.counts?.() ?? sessionsOf(userData);
	const microphone = join(work, 'microphone.wav');
	// The device itself is silent: the recording is played in front of it once the app is live.
	writeFileSync(microphone, wavOf(new Int16Array(48_000), 48_000));
	try {
		const app = await launchApp({
			host: 'chromium',
			headless: options.headless,
			userData,
			microphone,
			width: 1000,
			height: 760,
			locale: 'en',
			env: {
				...run.env,
				...service.env,
				DRAGOMAN_SAVE_FOLDER: work,
				DRAGOMAN_USER_DATA: userData,
				// Otherwise the browser and the sound library would keep files in the home folder.
				XDG_CONFIG_HOME: work,
				XDG_RUNTIME_DIR: run.env.XDG_RUNTIME_DIR || work,
			},
			signal,
		});
		try {
			const speech = { rate: sound.rate, pcm: padded(sound, 0, SILENCE_AFTER_S) };
			const driven = await holdConversation(app, { speech, saveFolder: work }, say);
			await app.close();
			return report(run, { driven, out }, sessions());
		} finally {
			await app.close();
		}
	} finally {
		giveBack();
		const { created, deleted } = sessions();
		// Sessions of a sandbox end with the sandbox.
		const isOver = created === deleted || service.kind !== 'service';
		rmSync(isOwn && isOver ? userData : work, { recursive: true, force: true, maxRetries: 3 });
		if (!isOver) say(`A session may be left open; its ledger is in ${userData}.`);
	}
}

/** Adds this conversation's settings to the folder's. Returns a function that restores the folder's own. */
export function lend(userData: string, settings: Readonly<Record<string, unknown>>): () => void {
	const clock = createSystemClock();
	const file = openSettingsFile(userData, clock);
	const before: Readonly<Record<string, unknown>> = file.stored();
	file.write(settings);
	return () => {
		const own = Object.keys(settings).map((name) => [name, before[name]]);
		openSettingsFile(userData, clock).write(Object.fromEntries(own));
	};
}

function report(
	run: Run,
	{ driven, out }: { readonly driven: Facts['driven']; readonly out: string },
	sessions: Facts['sessions'],
): ExitStatus {
	const { options, sound, service } = run;
	const facts: Facts = {
		service: service.kind,
		api: service.api,
		from: options.from,
		to: options.to,
		input: run.inputPath,
		inputS: sound.samples.length / sound.rate,
		sessions,
		driven,
	};
	const summary = summarise(facts);
	write(out, facts, summary);
	process.stdout.write(`${describe(summary, out)}\n`);
	if (driven.captions.length === 0)
		run.say('Nothing was understood. Check that there is speech in it, in the language of --from.');
	const wasHeld = driven.captions.length > 0 && summary.heard.voice_ms > 0;
	return wasHeld && sessions.created === sessions.deleted ? EXIT.done : EXIT.failed;
}

function write(folder: string, facts: Facts, summary: object): void {
	const { heard, captions, picture } = facts.driven;
	makeFolderNow(folder);
	writeFileSync(join(folder, 'heard.wav'), wavOf(heard, 48_000));
	writeFileSync(join(folder, 'window.png'), picture);
	writeFileSync(join(folder, 'captions.json'), `${JSON.stringify(captions, null, '\t')}\n`);
	writeFileSync(join(folder, 'summary.json'), `${JSON.stringify(summary, null, '\t')}\n`);
	for (const [name, text] of subtitleFiles(facts)) writeFileSync(join(folder, name), text);
}

export interface Facts {
	readonly service: Service['kind'];
	readonly api: string;
	readonly from: string;
	readonly to: readonly string[];
	readonly input: string;
	readonly inputS: number;
	readonly sessions: { readonly created: number; readonly deleted: number };
	readonly driven: Driven;
}

function textsOf(
	captions: readonly CaptionRecord[],
	kind: CaptionRecord['kind'],
	language?: string,
): string[] {
	return captions
		.filter((one) => one.kind === kind && one.final && (language === undefined || one.language === language))
		.map((one) => one.text);
}

function between(from: number | undefined, to: number | undefined): number | null {
	return from === undefined || to === undefined ? null : Math.round(to - from);
}

function total(spans: readonly Span[]): number {
	return spans.reduce((sum, span) => sum + span.toMs - span.fromMs, 0);
}

function peak(pcm: Int16Array): number {
	let loudest = 0;
	for (const value of pcm) loudest = Math.max(loudest, Math.abs(value));
	return loudest / 32_768;
}

/** `summary.json`. Times in ms, 0 = Start pressed; null = not seen. */
export function summarise(facts: Facts) {
	const { driven, to } = facts;
	const spoken = activity(driven.spoken, { gapMs: SENTENCE_GAP_MS });
	const heard = activity(driven.heard, { gapMs: SENTENCE_GAP_MS });
	const firstVoice = heard[0];
	return {
		service: facts.service,
		api: facts.api,
		/** The sandbox recognises nothing: its texts come from a table. */
		scripted: facts.service === 'sandbox',
		from: facts.from,
		to,
		input: { file: facts.input, duration_ms: Math.round(facts.inputS * 1000), speech_ms: total(spoken) },
		texts: {
			source: textsOf(driven.captions, 'source'),
			translations: Object.fromEntries(
				to.map((code) => [code, translationsIn(driven.captions, code).map((one) => one.text)]),
			),
		},
		/** Speech that never reached the interpreter. */
		lost_ms: driven.captions.reduce(
			(sum, { kind, start_ms, end_ms }) => sum + (kind === 'lost' ? end_ms - start_ms : 0),
			0,
		),
		heard: {
			duration_ms: Math.round((driven.heard.length / RATE) * 1000),
			voice_ms: total(heard),
			peak: Number(peak(driven.heard).toFixed(3)),
		},
		delays_ms: {
			start_to_first_packet: driven.firstPacketMs,
			start_to_live: driven.liveMs,
			/** The speaker waits for "Live", so the times from Start below include that wait. */
			start_to_speech: driven.speechStartMs,
			start_to_first_caption: driven.firstCaptionMs,
			start_to_first_voice: firstVoice ? firstVoice.fromMs : null,
			speech_start_to_first_caption:
				driven.firstCaptionMs === null ? null : between(spoken[0]?.fromMs, driven.firstCaptionMs),
			speech_start_to_voice_start: between(spoken[0]?.fromMs, firstVoice?.fromMs),
			speech_end_to_voice_start: between(spoken[0]?.toMs, firstVoice?.fromMs),
			last_speech_end_to_voice_end: between(spoken.at(-1)?.toMs, heard.at(-1)?.toMs),
		},
		counts: {
			captions: driven.captions.length,
			/** Stretches of voice without a pause; one may be less or more than a sentence. */
			stretches_spoken: spoken.length,
			stretches_heard: heard.length,
			sessions_created: facts.sessions.created,
			sessions_deleted: facts.sessions.deleted,
		},
	};
}

type Summary = ReturnType<typeof summarise>;

/** Captions of one target: the service may answer with a variant of the requested code. */
function translationsIn(captions: readonly CaptionRecord[], code: string): readonly CaptionRecord[] {
	const plain = (tag: string) => tag.toLowerCase().split('-')[0];
	const ours = captions.filter((one) => one.kind === 'translation' && one.final);
	const exact = ours.filter((one) => one.language.toLowerCase() === code);
	return exact.length > 0 ? exact : ours.filter((one) => plain(one.language) === plain(code));
}

function segmentOf(record: CaptionRecord): Segment {
	return {
		key: `${record.kind}|${record.id}|${record.part}|${record.language}`,
		transcriptionId: record.id,
		partId: record.part,
		kind: record.kind,
		language: record.language,
		text: record.text,
		final: record.final,
		startMs: record.start_ms,
		endMs: record.end_ms,
	};
}

/** Subtitles by file name: one track for the source and one for each target; each marks lost speech. */
export function subtitleFiles({ from, to, driven }: Facts): ReadonlyMap<string, string> {
	const files = new Map<string, string>();
	const lost = driven.captions.filter(({ kind }) => kind === 'lost');
	const put = (language: string, track: readonly CaptionRecord[]) =>
		files.set(`captions.${language}.srt`, plainFile('srt', [...track, ...lost].map(segmentOf)));
	put(
		from,
		driven.captions.filter((one) => one.kind === 'source' && one.final),
	);
	for (const code of to) put(code, translationsIn(driven.captions, code));
	return files;
}

function serviceWords({ service, api }: Summary): string {
	if (service === 'local') return 'this computer';
	return service === 'sandbox'
		? 'the built-in sandbox (its texts are scripted, nothing is really translated)'
		: api;
}

export function describe(summary: Summary, folder: string): string {
	const { delays_ms: delays, texts, counts, heard } = summary;
	const lines = [
		'',
		`Service      ${serviceWords(summary)}`,
		`Languages    ${summary.from} → ${summary.to.join(', ')}`,
		'',
		`Said         (${seconds(summary.input.speech_ms)} of speech)`,
		...texts.source.map((text) => `  ${text}`),
		...Object.entries(texts.translations).flatMap(([code, all]) => [
			`Translated   ${code}${code === summary.to[0] ? `, heard (${seconds(heard.voice_ms)} of voice)` : ''}`,
			...all.map((text) => `  ${text}`),
		]),
		...(summary.lost_ms > 0
			? [`Lost         ${seconds(summary.lost_ms)} of speech never reached the interpreter`]
			: []),
		'',
		'Delays       (of the first conversation after a cold start)',
		`  Start → first packet sent      ${seconds(delays.start_to_first_packet)}`,
		`  Start → live                   ${seconds(delays.start_to_live)}`,
		`  speech → first caption         ${seconds(delays.speech_start_to_first_caption)}`,
		`  speech → voice                 ${seconds(delays.speech_start_to_voice_start)}`,
		`  end of sentence → its voice    ${seconds(delays.speech_end_to_voice_start)}`,
		`  last word → last voice         ${seconds(delays.last_speech_end_to_voice_end)}`,
		`Sessions     ${counts.sessions_created} opened, ${counts.sessions_deleted} deleted`,
		`Files        ${folder}`,
		'',
	];
	return lines.join('\n');
}

/** The app is recorded for at most ten minutes, which must include the translation of the last words. */
const LONGEST_S = 9 * 60;
/** Anything quieter counts as silence (RMS, about −48 dBFS). */
const LEAST_LEVEL = 0.004;

/** Reads the recording to speak, as the command line does. Returns the reason if it cannot be read. */
export async function readRecording(path: string): Promise<Sound | string> {
	const sound = await readSound(path);
	if (typeof sound === 'string') return sound;
	if (sound.samples.length / sound.rate > LONGEST_S) return 'it is longer than nine minutes';
	const spoken = activity(padded(sound, 0, 0), { rate: sound.rate, floor: LEAST_LEVEL });
	return spoken.length === 0 ? 'nothing was said in it: it is silent, or nearly so' : sound;
}

async function readSound(path: string): Promise<Sound | string> {
	const input = await openAudio({ file: path, raw: false }, {});
	if (!input.ok) return input.error.kind === 'file-unreadable' ? input.error.reason : 'it cannot be read';
	const { samples, fault, close } = input.value;
	const rate = SOCKET_AUDIO.sampleRateHz;
	const pieces: Int16Array[] = [];
	let length = 0;
	try {
		for await (const piece of samples) {
			pieces.push(piece);
			length += piece.length;
			if (length / rate > LONGEST_S) break;
		}
	} finally {
		close();
	}
	const all = new Float32Array(length);
	let at = 0;
	for (const piece of pieces) {
		for (const value of piece) all[at++] = value / 32_768;
	}
	return fault() ?? (length === 0 ? 'it has no sound in it' : { rate, samples: all });
}
