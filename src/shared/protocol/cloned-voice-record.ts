import { err, ok, type Result } from '#shared/lib/result.ts';
import { CLONE_LIMIT, VOICE_STATUSES, type VoiceStatus } from './cloned-voice.ts';
import { field, isObject, plainText, textField } from './json.ts';
import { readable } from './service-error.ts';
import { readTimestamp } from './values.ts';

/**
 * Destination of one sample's upload (spec 2.4). `url` and `fields` are secrets: never logged, never stored.
 */
export interface UploadDescriptor {
	readonly itemId: string;
	readonly url: string;
	/** Sent verbatim and in this order, before the file. */
	readonly fields: readonly (readonly [name: string, value: string])[];
}

/** A voice described by the service (spec 2.3, protocol 7.2), as our own type. */
export interface VoiceRecord {
	readonly voiceId: string;
	readonly name: string;
	readonly status: VoiceStatus;
	/** Unix ms by the service's clock; null when unreadable. */
	readonly createdAt: number | null;
	readonly language: string;
	readonly hasExternalVoice: boolean | null;
	/** Empty in the answer to a status request, and once the samples are uploaded. */
	readonly uploads: readonly UploadDescriptor[];
	/** Warnings in the service's own words. */
	readonly warnings: readonly string[];
	readonly errors: readonly string[];
}

const MOST_REMARKS = 20;
const MOST_FIELDS = 100;
const MOST_SAMPLES = 16;

/** Reads the answer about a clone: `data` or all of it, perhaps a list of one. Fails with what is missing. */
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

/** Whether the id fits into a path and into a message, and cannot escape from the path. */
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

/** The text of a form field. Null omits the field, because a form holds only text. */
function fieldText(value: unknown): string | null {
	if (typeof value === 'string') return value;
	return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
}

/** Reads a list of error records or of plain sentences. */
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
