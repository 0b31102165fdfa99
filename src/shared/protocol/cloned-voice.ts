import { z } from 'zod/mini';
import { err, ok, type Result } from '#shared/lib/result.ts';
import { field, isObject, plainText, textField } from './json.ts';
import { CLONE_LIMIT } from './limits.ts';
import { readable } from './service-error.ts';
import { readTimestamp } from './values.ts';

/** What a request for a cloned voice may contain (spec 4.6 and 8, protocol 7.2). */

/** `unknown`: a status unknown to this version; polled like `pending`. */
export const VOICE_STATUSES = ['created', 'pending', 'ready', 'failed', 'unknown'] as const;
export type VoiceStatus = (typeof VOICE_STATUSES)[number];

/** Languages of a sample, in the specification's order; `auto` = the service detects it. */
export const SAMPLE_LANGUAGES: readonly string[] =
	'ar ar-ae ar-sa az hy be bg bs ca cs cy da de el en en-au en-ca en-gb en-us es es-mx es-co es-ar es-ch es-la et fi fil fr fr-ca gl he hi hr hu id is it ja kk ko lt lv mk ms nl no pl pt pt-br ro ru sk sl sr sv sw ta th tr uk ur vi zh zh-hans zh-hant auto bn eu fa ga mn mr mt ug yue'.split(
		' ',
	);

/** Every type the service names, including images, though no voice can be made from one. */
export const SAMPLE_TYPES = [
	'audio/x-wav',
	'audio/wav',
	'audio/mp3',
	'audio/x-m4a',
	'audio/mpeg',
	'audio/flac',
	'video/webm',
	'video/mp4',
	'video/mpeg',
	'image/png',
	'image/jpeg',
	'image/webp',
] as const;
export type SampleType = (typeof SAMPLE_TYPES)[number];

/** Whether a type contains sound: the service's list without its images. */
export function isVoiceType(type: string): boolean {
	return SAMPLE_TYPES.some((known) => known === type && !known.startsWith('image/'));
}

/**
 * `^[\w\-. ()]+$` with letters of any script: whether the service's `\w` is ASCII is open (protocol
 * 7.2). Digits are decimal ones, because the engines it may run on differ about the others.
 */
export const VOICE_NAME = /^[\p{L}\p{M}\p{Nd}_\-. ()]+$/u;
/** ASCII alone: the original name of a file goes into `display_name` (protocol 7.2). */
export const SAMPLE_FILENAME = /^[\w\-. '"()]+$/;

const within = ({ min, max }: { readonly min: number; readonly max: number }) => [
	// The service may count code points or, like us, code units: so the minimum uses the former, the maximum the latter.
	z.refine<string>((text) => [...text].length >= min),
	z.maxLength(max),
];

export const CloneSample = z.lazy(() =>
	z.strictObject({
		filename: z.string().check(...within(CLONE_LIMIT.filename), z.regex(SAMPLE_FILENAME)),
		mime_type: z.enum(SAMPLE_TYPES),
		lang_code: z.string().check(z.refine((code) => SAMPLE_LANGUAGES.includes(code))),
		display_name: z.optional(z.string()),
		description: z.optional(z.string()),
		/** Comes back in the upload descriptor. */
		item_id: z.string().check(...within(CLONE_LIMIT.itemId)),
		denoise: z.optional(z.boolean()),
		speech_normalization: z.optional(z.boolean()),
	}),
);
export type CloneSample = z.infer<typeof CloneSample>;

/** Body of `POST /saas/voice/clone`: strict, because we write it ourselves. */
export const CloneRequest = z.lazy(() =>
	z.strictObject({
		data: z.strictObject({
			name: z.string().check(...within(CLONE_LIMIT.name), z.regex(VOICE_NAME)),
			samples: z.array(CloneSample).check(z.length(CLONE_LIMIT.samples)),
			description: z.optional(z.string()),
			labels: z.optional(
				z.strictObject({
					gender: z.optional(z.string()),
					age_group: z.optional(z.string()),
					mood: z.optional(z.string()),
				}),
			),
			skip_external_voice: z.optional(z.boolean()),
			attributes: z.optional(z.array(z.string())),
		}),
	}),
);
export type CloneRequest = z.infer<typeof CloneRequest>;

/** Where one sample goes (spec 2.4). `url` and `fields` are secrets: never logged, never stored. */
export interface UploadDescriptor {
	readonly itemId: string;
	readonly url: string;
	/** Sent verbatim and in this order, before the file. */
	readonly fields: readonly (readonly [name: string, value: string])[];
}

/** A voice as the service describes it (spec 2.3, protocol 7.2), as our own type. */
export interface VoiceRecord {
	readonly voiceId: string;
	readonly name: string;
	readonly status: VoiceStatus;
	/** The service's clock, Unix ms; null when unreadable. */
	readonly createdAt: number | null;
	readonly language: string;
	readonly hasExternalVoice: boolean | null;
	/** Empty in the answer of a status request, and once the samples are there. */
	readonly uploads: readonly UploadDescriptor[];
	/** Sentences of the service. */
	readonly warnings: readonly string[];
	readonly errors: readonly string[];
}

const MOST_REMARKS = 20;
const MOST_FIELDS = 100;
const MOST_SAMPLES = 16;

/**
 * Reads the answer of a clone or a status request: in `data` or bare, `data` as a list of one. The failure names what
 * is missing, without quoting any value. Never throws.
 */
export function readVoiceRecord(json: unknown): Result<VoiceRecord, string> {
	if (field(json, 'ok') === false) return err('ok is false');
	const held = field(json, 'data') ?? json;
	const record = recordOf(Array.isArray(held) ? held[0] : held);
	return record === null ? err('data.voice_id: is missing') : ok(record);
}

function recordOf(data: unknown): VoiceRecord | null {
	const voiceId = textField(data, 'voice_id');
	if (voiceId === undefined || !isUsableId(voiceId)) return null;
	const external = field(data, 'has_external_voice');
	const result = field(data, 'processing_result');
	return {
		voiceId,
		name: plainText(textField(data, 'name') ?? '', 200),
		status: statusOf(field(data, 'processing_status')),
		createdAt: readTimestamp(field(data, 'utc_created_at')),
		language: plainText(textField(data, 'lang_code') ?? '', 16),
		hasExternalVoice: typeof external === 'boolean' ? external : null,
		uploads: listOf(field(data, 'samples'), MOST_SAMPLES).flatMap((sample) => uploadOf(sample) ?? []),
		warnings: remarksOf(field(result, 'warnings')),
		errors: remarksOf(field(result, 'errors')),
	};
}

/** Fits into a path and into a message, and cannot escape from the path. */
function isUsableId(id: string): boolean {
	return /^[\x21-\x7e]{1,200}$/.test(id) && !/^\.{1,2}$/.test(id);
}

function statusOf(value: unknown): VoiceStatus {
	const said = typeof value === 'string' ? value.toLowerCase() : '';
	return VOICE_STATUSES.find((status) => status === said) ?? 'unknown';
}

function uploadOf(sample: unknown): UploadDescriptor | null {
	const url = textField(sample, 'url') ?? '';
	if (url === '' || url.length > CLONE_LIMIT.uploadUrl.max) return null;
	const form = field(sample, 'form_data');
	const entries = isObject(form) ? Object.entries(form).slice(0, MOST_FIELDS) : [];
	const fields = entries.flatMap(([name, value]) => {
		const text = fieldText(value);
		return text === null ? [] : [[name, text] as const];
	});
	return { itemId: textField(sample, 'item_id') ?? '', url, fields };
}

/** Null leaves the field out: a form holds only text. */
function fieldText(value: unknown): string | null {
	if (typeof value === 'string') return value;
	return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
}

/** Error records, or plain sentences. */
function remarksOf(value: unknown): readonly string[] {
	return listOf(value, MOST_REMARKS)
		.map((remark) => readable(typeof remark === 'string' ? remark : sentenceOf(remark)))
		.filter((remark) => remark !== '');
}

function sentenceOf(record: unknown): string {
	for (const name of ['detail', 'title', 'message', 'msg', 'desc']) {
		const text = textField(record, name);
		if (text !== undefined && text.trim() !== '') return text;
	}
	return '';
}

function listOf(value: unknown, most: number): readonly unknown[] {
	if (Array.isArray(value)) return value.slice(0, most);
	return value === undefined || value === null ? [] : [value];
}
