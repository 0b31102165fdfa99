import { hashOf, normaliseId } from './ids.ts';
import { cut, field, isObject } from './json.ts';
import { MAX_TEXT_LENGTH } from './limits.ts';
import type { TranscriptMessage } from './server-message.ts';

type Shape = Pick<TranscriptMessage, 'kind' | 'final'>;

/** The four transcription messages by name (protocol 4.6). */
export const TRANSCRIPT_SHAPES: ReadonlyMap<string, Shape> = new Map([
	['partial_transcription', { kind: 'source', final: false }],
	['validated_transcription', { kind: 'source', final: true }],
	['partial_translated_transcription', { kind: 'translation', final: false }],
	['translated_transcription', { kind: 'translation', final: true }],
]);

/** Older services put the part into the id (protocol 4.6). */
const PART_SUFFIX = /^(.{1,120})_part_(\d{1,9})$/;
const LANGUAGE = /^[a-z0-9_-]{1,35}$/;

/** Reads the payload of a transcription message; `null` when there is no text in it at all. */
export function readTranscript(shape: Shape, data: unknown): TranscriptMessage | null {
	const inner = field(data, 'transcription');
	const body = isObject(inner) ? inner : data;
	const segments = segmentsOf(body);
	const text = textOf(body, segments);
	if (text === null) return null;
	const startS = seconds(segments.map((segment) => field(segment, 'start')).find(isTime));
	const endS = seconds(segments.map((segment) => field(segment, 'end')).findLast(isTime));
	const language = languageOf(field(body, 'language'));
	const id = normaliseId(field(body, 'transcription_id')) ?? syntheticId(shape, text, startS);
	const part = normaliseId(field(body, 'translation_part_id') ?? field(data, 'translation_part_id'));
	return { type: 'transcript', ...shape, ...identify(shape, id, part), language, text, startS, endS };
}

function identify(
	shape: Shape,
	id: string,
	part: string | null,
): Pick<TranscriptMessage, 'transcriptionId' | 'partId'> {
	if (shape.kind === 'source') return { transcriptionId: id, partId: '0' };
	const [, stem, number] = PART_SUFFIX.exec(id) ?? [];
	if (part === null && stem !== undefined && number !== undefined)
		return { transcriptionId: stem, partId: number };
	return { transcriptionId: id, partId: part ?? '0' };
}

/**
 * An id for a segment that came without one, stable as far as possible: from its start, otherwise for a final from its
 * text; open texts with neither replace each other.
 */
function syntheticId(shape: Shape, text: string, startS: number | null): string {
	if (startS !== null) return `~start-${Math.round(startS * 1000)}`;
	return shape.final ? `~text-${hashOf(text)}` : '~open';
}

function segmentsOf(body: unknown): readonly unknown[] {
	const segments = field(body, 'segments');
	return Array.isArray(segments) ? segments : [];
}

function textOf(body: unknown, segments: readonly unknown[]): string | null {
	const text = field(body, 'text');
	if (typeof text === 'string') return cut(text, MAX_TEXT_LENGTH);
	const pieces = segments
		.map((segment) => field(segment, 'text'))
		.filter((piece) => typeof piece === 'string');
	return pieces.length > 0 ? cut(pieces.join(' '), MAX_TEXT_LENGTH) : null;
}

/** `und` (undetermined) for what cannot be a code, so that keys and `lang` attributes stay sound. */
function languageOf(value: unknown): string {
	const code = typeof value === 'string' ? value.trim().toLowerCase() : '';
	return LANGUAGE.test(code) ? code : 'und';
}

const isTime = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

function seconds(value: number | undefined): number | null {
	return value === undefined ? null : Math.max(0, value);
}
