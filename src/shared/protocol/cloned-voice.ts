import { z } from 'zod/mini';

/** Limits of a cloned voice, its sample and its names (spec 4.6, protocol 7.2). */
export const CLONE_LIMIT = {
	/** Characters. */
	name: { min: 3, max: 64 },
	filename: { min: 3, max: 255 },
	itemId: { min: 1, max: 36 },
	uploadUrl: { min: 1, max: 2083 },
	/** Exactly this number, for now. */
	samples: 1,
	/** "Up to 10 MB" (protocol 7.2) in its smaller meaning. */
	fileBytes: 10_000_000,
} as const;

/** The allowed contents of a request for a cloned voice (spec 4.6 and 8, protocol 7.2). */

/** `unknown`: a status unknown to this version; polled like `pending`. */
export const VOICE_STATUSES = ['created', 'pending', 'ready', 'failed', 'unknown'] as const;
export type VoiceStatus = (typeof VOICE_STATUSES)[number];

/** Languages of a sample, in the specification's order; `auto` = the service detects it. */
export const SAMPLE_LANGUAGES: readonly string[] =
	'ar ar-ae ar-sa az hy be bg bs ca cs cy da de el en en-au en-ca en-gb en-us es es-mx es-co es-ar es-ch es-la et fi fil fr fr-ca gl he hi hr hu id is it ja kk ko lt lv mk ms nl no pl pt pt-br ro ru sk sl sr sv sw ta th tr uk ur vi zh zh-hans zh-hant auto bn eu fa ga mn mr mt ug yue'.split(
		' ',
	);

/** Every type that the service lists, including images, although no voice can be made from an image. */
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

/** Whether a type contains audio: true for the service's list without its images. */
export function isVoiceType(type: string): boolean {
	return SAMPLE_TYPES.some((known) => known === type && !known.startsWith('image/'));
}

/**
 * `^[\w\-. ()]+$` with letters of any script: it is unknown whether the service's `\w` means ASCII (protocol
 * 7.2). Only decimal digits, because regular-expression engines differ about other digits.
 */
export const VOICE_NAME = /^[\p{L}\p{M}\p{Nd}_\-. ()]+$/u;
/** ASCII only: the original name of a file goes into `display_name` (protocol 7.2). */
export const SAMPLE_FILENAME = /^[\w\-. '"()]+$/;

const within = ({ min, max }: { readonly min: number; readonly max: number }) => [
	// The service may count code points or, like us, code units:
	// so the minimum counts the former, the maximum the latter.
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
		/** Returned in the upload descriptor. */
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
