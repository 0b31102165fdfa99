import type { CaptionRecord } from '#shared/captions/export-json.ts';
import { plainFile } from '#shared/captions/formats.ts';
import type { Segment } from '#shared/captions/segment.ts';
import { activity, type Span } from '#stand-in/drive/activity.ts';
import type { Driven } from './drive.ts';

const RATE = 48_000;
/** Sentences are further apart than words. */
const SENTENCE_GAP_MS = 700;

export interface Facts {
	readonly service: 'sandbox' | 'service';
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

export type Summary = ReturnType<typeof summarise>;

/** Captions of one target: the service may answer with a variant of the code that was asked for. */
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

/** File name → text, one track each: the source and every target, empty ones too. Each marks lost speech. */
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

const seconds = (ms: number | null) => (ms === null ? 'not seen' : `${(ms / 1000).toFixed(2)} s`);

/** The summary for people. */
export function describe(summary: Summary, folder: string): string {
	const { delays_ms: delays, texts, counts, heard } = summary;
	const lines = [
		'',
		`Service      ${summary.service === 'sandbox' ? 'the built-in sandbox (its texts are scripted, nothing is really translated)' : summary.api}`,
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
