import { z } from 'zod/mini';
import { errorsOf, type FieldProblem, type ProblemOf, type ServiceErrorRecord } from '#shared/problem.ts';
import { CLONE_LIMIT, isVoiceType, SAMPLE_LANGUAGES, VOICE_NAME } from '#shared/protocol/cloned-voice.ts';

/* The form that describes a voice, with its checks; used by the window, main and the command line. */

/**
 * The service asks for 30 s, but its own tools accept 5 s and more (protocol 7.2): we recommend the first and
 * refuse less than the second.
 */
export const SAMPLE_LENGTH_MS = { wanted: 30_000, least: 5000 } as const;

/** Increase this number when the consent sentence changes its meaning (`voices.consent` in the catalogues). */
export const CONSENT_WORDING = '1';

const label = z.string().check(z.maxLength(64));

export const VoiceDraft = z.lazy(() =>
	z.object({
		name: z.string().check(z.maxLength(500)),
		/** One of `SAMPLE_LANGUAGES`. */
		language: z.string().check(z.maxLength(16)),
		description: z.string().check(z.maxLength(2000)),
		/** Empty = not given. */
		labels: z.object({ gender: label, ageGroup: label, mood: label }),
		attributes: z.array(z.string().check(z.maxLength(500))).check(z.maxLength(100)),
		/** Removes background noise from the sample. */
		denoise: z.boolean(),
		/** Balances a sample that is too quiet or uneven. */
		normalise: z.boolean(),
		/** Only the service itself makes the voice, not its external provider too. */
		skipExternal: z.boolean(),
		/** Wording of the consent that the person gave; empty = none. */
		consent: z.string().check(z.maxLength(16)),
	}),
);
export type VoiceDraft = z.infer<typeof VoiceDraft>;

export const emptyDraft: VoiceDraft = {
	name: '',
	language: '',
	description: '',
	labels: { gender: '', ageGroup: '', mood: '' },
	attributes: [],
	denoise: false,
	normalise: false,
	skipExternal: false,
	consent: '',
};

/** Properties of a sample before it is sent. */
export interface SampleFacts {
	readonly bytes: number;
	/** Detected from the file's content; empty = no type that the service accepts. */
	readonly mimeType: string;
	/** Null = unknown. */
	readonly durationMs: number | null;
}

/** Our own limits: the specification gives none for these. */
export const DRAFT_LIMIT = { description: 1000, attribute: 64, attributes: 20 } as const;

/** The name to send: composed letters, no surrounding spaces. */
export function tidyName(name: string): string {
	return name.normalize('NFC').trim();
}

/** Every fault that the service would refuse, at most one per field; empty = the draft can be sent. */
export function checkVoiceDraft(draft: VoiceDraft, sample: SampleFacts | null): readonly FieldProblem[] {
	const reasons: readonly (readonly [FieldProblem['field'], FieldProblem['reason'] | null])[] = [
		['sample', sampleReason(sample)],
		['name', nameReason(tidyName(draft.name))],
		['language', languageReason(draft.language)],
		['description', draft.description.length > DRAFT_LIMIT.description ? 'too-long' : null],
		['labels', Object.values(draft.labels).some((text) => text.length > 64) ? 'too-long' : null],
		['attributes', attributesReason(draft.attributes)],
		['consent', draft.consent === CONSENT_WORDING ? null : 'missing'],
	];
	return reasons.flatMap(([field, reason]) => (reason === null ? [] : [{ field, reason }]));
}

/** A hint about a better sample, which does not forbid this one. */
export function sampleHint(sample: SampleFacts): 'short' | 'length-unknown' | null {
	if (sample.durationMs === null) return 'length-unknown';
	return sample.durationMs < SAMPLE_LENGTH_MS.wanted ? 'short' : null;
}

function sampleReason(sample: SampleFacts | null): FieldProblem['reason'] | null {
	if (sample === null) return 'missing';
	if (sample.bytes <= 0) return 'empty';
	if (!isVoiceType(sample.mimeType)) return 'type';
	if (sample.bytes > CLONE_LIMIT.fileBytes) return 'too-large';
	const { durationMs } = sample;
	return durationMs !== null && durationMs < SAMPLE_LENGTH_MS.least ? 'too-short' : null;
}

/** Strict both ways, because we do not know how the service counts: the minimum in characters, the maximum in UTF-16 units. */
function nameReason(name: string): FieldProblem['reason'] | null {
	if (name === '') return 'missing';
	if ([...name].length < CLONE_LIMIT.name.min) return 'too-short';
	if (name.length > CLONE_LIMIT.name.max) return 'too-long';
	return VOICE_NAME.test(name) ? null : 'characters';
}

function languageReason(language: string): FieldProblem['reason'] | null {
	if (language === '') return 'missing';
	return SAMPLE_LANGUAGES.includes(language) ? null : 'unknown';
}

function attributesReason(attributes: readonly string[]): FieldProblem['reason'] | null {
	const isLong = attributes.some((text) => text.trim().length > DRAFT_LIMIT.attribute);
	if (isLong || attributes.length > DRAFT_LIMIT.attributes) return 'too-long';
	return attributes.some((text) => text.trim() === '') ? 'empty' : null;
}

const NAMES: readonly (readonly [RegExp, FieldProblem['field']])[] = [
	[/^samples(\.\d+)?\.lang_code\b/, 'language'],
	[/^samples\b/, 'sample'],
	[/^name\b/, 'name'],
	[/^description\b/, 'description'],
	[/^labels\b/, 'labels'],
	[/^attributes\b/, 'attributes'],
];

/** The form field for a path of the service, such as `data.samples.0.lang_code`; null = none. */
export function draftFieldOf(path: string): FieldProblem['field'] | null {
	const plain = path.replace(/\[(\d+)\]/g, '.$1').replace(/^(?:body\.)?(?:data\.)?/, '');
	return NAMES.find(([pattern]) => pattern.test(plain))?.[1] ?? null;
}

/** The service's objections to a description, sorted by form field, and the rest. */
export interface SortedRefusal {
	readonly atFields: ReadonlyMap<FieldProblem['field'], readonly ServiceErrorRecord[]>;
	/** Null: every record names a field. */
	readonly rest: ProblemOf<'voice-refused'> | null;
}

/** Assigns each record of a refusal to the field it names; records without one remain a separate problem. */
export function sortRefusal(problem: ProblemOf<'voice-refused'>): SortedRefusal {
	const { field, detail, code } = problem;
	const said = errorsOf(problem);
	const errors = said.length > 0 ? said : [{ field, detail, ...(code !== undefined && { code }) }];
	const atFields = Map.groupBy(errors, (record) => draftFieldOf(record.field ?? ''));
	const others = atFields.get(null) ?? [];
	const first = others[0];
	return {
		atFields: new Map([...atFields].flatMap(([name, records]) => (name === null ? [] : [[name, records]]))),
		rest: first
			? { ...problem, field: '', detail: first.detail ?? first.title ?? '', code: first.code, errors: others }
			: null,
	};
}
