import { randomUUID } from 'node:crypto';
import type { FaultSet } from '#sandbox/faults.ts';
import { builtInTimbre, type Timbre } from '#sandbox/speech/timbre.ts';
import { isoSeconds } from '#sandbox/system-clock.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { Scope } from '#shared/lib/scope.ts';
import { field, isObject, parseJson } from '#shared/protocol/json.ts';
import { REST_ERROR_CODE, VOICE } from '#shared/protocol/vocabulary.ts';
import { type Answer, refusal } from './answers.ts';
import type { Uploads } from './uploads.ts';

const SIZE = { min: 1, max: 50, usual: 20 } as const;

type VoiceOperation = 'clone' | 'voice' | 'voices' | 'delete-voice' | 'builtin';

export interface VoiceRequest {
	readonly operation: VoiceOperation;
	/** Decoded; empty if the path has none. */
	readonly id: string;
	readonly query: URLSearchParams;
	readonly body: string;
	/** The body's media type as sent; empty if absent. */
	readonly contentType: string;
	readonly instance: string;
	readonly faults: FaultSet;
}

/** The operation of a method and path; the id is still encoded. Null: not ours. */
export function voiceRoute(method: string, path: string): { operation: VoiceOperation; id: string } | null {
	const key = `${method} ${path}`;
	if (key === 'POST /saas/voice/clone') return { operation: 'clone', id: '' };
	if (key === 'GET /saas/voice') return { operation: 'voices', id: '' };
	if (key === 'GET /saas/voice/builtin') return { operation: 'builtin', id: '' };
	const id = /^\/saas\/voice\/m\/([^/]+)$/.exec(path)?.[1];
	if (id === undefined) return null;
	if (method === 'GET') return { operation: 'voice', id };
	return method === 'DELETE' ? { operation: 'delete-voice', id } : null;
}

/** Sections 4.6 and 4.8 of the specification, and what clients need of protocol 7.3 to manage voices. */
export function createVoiceApi(parts: { store: VoiceStore; uploads: Uploads }): {
	answer(request: VoiceRequest): Answer;
} {
	const { store, uploads } = parts;

	function clone({ body, contentType, faults, instance }: VoiceRequest): Answer {
		if (!/^application\/json\s*(?:;|$)/i.test(contentType))
			return refusal(415, 'header.content-type: should be application/json', instance);
		const json = parseJson(body);
		if (!json.ok) return refusal(400, 'body: is not JSON', instance);
		const checked = checkClone(json.value, faults.has('ascii-names'));
		if ('complaints' in checked) return invalid(checked.complaints, instance);
		const voice = store.create(checked.order, faults);
		const own = uploads.descriptorOf(voice);
		const strange = { ...own, item_id: 'somebody-elses', url: 'http://127.0.0.1:1/uploads' };
		const samples = faults.has('two-samples') ? [strange, own] : [own];
		return { status: 200, body: { ok: true, data: written(voice, samples) } };
	}

	function list({ query, instance }: VoiceRequest): Answer {
		const page = pageOf(query, store.list());
		if ('says' in page) return refusal(page.status, page.says, instance);
		const { voices, ...about } = page;
		return { status: 200, body: { ok: true, data: { items: voices.map(withResult), ...about } } };
	}

	return {
		answer(request) {
			const { operation, id, instance, faults } = request;
			const missing = () => refusal(404, 'There is no voice with this id', instance);
			switch (operation) {
				case 'clone':
					return clone(request);
				case 'voices':
					return list(request);
				case 'builtin':
					return {
						status: 200,
						body: { ok: true, data: { items: BUILT_IN } },
					};
				case 'voice': {
					const voice = faults.has('no-voice-status') ? null : store.get(id);
					return voice ? { status: 200, body: { ok: true, data: withResult(voice) } } : missing();
				}
				case 'delete-voice':
					return store.delete(id) ? { status: 204 } : missing();
			}
		},
	};
}

/** The error envelope of spec 7, with one record per fault. */
function invalid(complaints: readonly Complaint[], instance: string): Answer {
	const errors = complaints.map(({ at, says }) => ({
		type: 'https://sandbox.invalid/errors#unprocessableentity',
		status: 422,
		title: 'Unprocessable entity',
		detail: `${at}: ${says}`,
		instance,
		error_code: REST_ERROR_CODE.invalid,
	}));
	return { status: 422, body: { ok: false, errors } };
}

/** The position that a page token encodes. `last` is the number of the last voice on the page before. */
interface Place {
	readonly sort: 'asc' | 'desc';
	readonly size: number;
	readonly last: number | null;
}

/** A page with the service's field names, except for the voices on it. */
interface Page {
	readonly voices: readonly StoredVoice[];
	readonly page_size: number;
	readonly count: number;
	/** The token of the next page; null on the last page. */
	readonly next: string | null;
}

interface Refused {
	readonly status: number;
	readonly says: string;
}

/** One page of the voices (protocol 7.3); none is listed twice, even if voices come or go meanwhile. */
function pageOf(query: URLSearchParams, all: readonly StoredVoice[]): Page | Refused {
	const place = placeOf(query);
	if ('says' in place) return place;
	const { sort, size, last } = place;
	const sign = sort === 'asc' ? 1 : -1;
	const left = all
		.filter(({ number }) => last === null || (number - last) * sign > 0)
		.sort((one, other) => (one.number - other.number) * sign);
	const voices = left.slice(0, size);
	const end = voices.at(-1);
	const next = end && left.length > size ? tokenOf({ sort, size, last: end.number }) : null;
	return { voices, page_size: size, count: all.length, next };
}

function placeOf(query: URLSearchParams): Place | Refused {
	const token = query.get('token');
	if (token !== null) {
		if (query.has('sort') || query.has('page_size'))
			return { status: 400, says: 'query: sort and page_size are not allowed together with token' };
		return readToken(token) ?? { status: 400, says: 'query.token: not a token of this list' };
	}
	const sort = query.get('sort') ?? 'desc';
	if (sort !== 'asc' && sort !== 'desc') return { status: 422, says: 'query.sort: should be asc or desc' };
	const size = Number(query.get('page_size') ?? SIZE.usual);
	if (!isSize(size)) return { status: 422, says: `query.page_size: should be ${SIZE.min} to ${SIZE.max}` };
	return { sort, size, last: null };
}

function isSize(value: unknown): value is number {
	return Number.isInteger(value) && Number(value) >= SIZE.min && Number(value) <= SIZE.max;
}

function tokenOf(place: Place): string {
	return Buffer.from(JSON.stringify(place)).toString('base64url');
}

function readToken(token: string): Place | null {
	const read = parseJson(Buffer.from(token, 'base64url').toString('utf8'));
	if (!read.ok) return null;
	const [sort, size, last] = ['sort', 'size', 'last'].map((name) => field(read.value, name));
	if ((sort !== 'asc' && sort !== 'desc') || !isSize(size) || typeof last !== 'number') return null;
	return { sort, size, last };
}

/** One fault of a request for a voice: its field, and a sentence. */
interface Complaint {
	readonly at: string;
	readonly says: string;
}

/** The contents of a valid request. */
interface CloneOrder {
	readonly name: string;
	readonly description: string | null;
	readonly labels: Readonly<Record<string, unknown>> | null;
	readonly attributes: readonly string[] | null;
	readonly skipExternal: boolean;
	readonly sample: { readonly itemId: string | null; readonly mimeType: string; readonly language: string };
}

const list = (words: string): ReadonlySet<string> => new Set(words.split(' '));

/** Copied again from spec 4.6, so that client and sandbox cannot share a mistake. */
const MIME_TYPES = list(
	'audio/x-wav audio/wav audio/mp3 audio/x-m4a audio/mpeg audio/flac video/webm video/mp4 video/mpeg image/png image/jpeg image/webp',
);
const LANGUAGES = list(
	'ar ar-ae ar-sa az hy be bg bs ca cs cy da de el en en-au en-ca en-gb en-us es es-mx es-co es-ar es-ch es-la et fi fil fr fr-ca gl he hi hr hu id is it ja kk ko lt lv mk ms nl no pl pt pt-br ro ru sk sl sr sv sw ta th tr uk ur vi zh zh-hans zh-hant auto bn eu fa ga mn mr mt ug yue',
);
const NAME = { unicode: /^[\p{L}\p{M}\p{N}_\-. ()]+$/u, ascii: /^[\w\-. ()]+$/ };
const FILENAME = { unicode: /^[\p{L}\p{M}\p{N}_\-. '"()]+$/u, ascii: /^[\w\-. '"()]+$/ };

/** Checks all requirements of spec 4.6 on `{data: {…}}`. `asciiOnly`: word characters are ASCII only. */
export function checkClone(
	body: unknown,
	asciiOnly: boolean,
): { readonly order: CloneOrder } | { readonly complaints: readonly Complaint[] } {
	const complaints: Complaint[] = [];
	const complain = (at: string, says: string) => void complaints.push({ at, says });
	const alphabet = asciiOnly ? 'ascii' : 'unicode';
	const data = field(body, 'data');
	if (!isObject(data)) return { complaints: [{ at: 'data', says: 'field required' }] };

	function text(
		of: unknown,
		at: string,
		name: string,
		rule: { required?: boolean; min?: number; max?: number; pattern?: RegExp; among?: ReadonlySet<string> },
	): string | null {
		const value = field(of, name);
		const where = `${at}.${name}`;
		if (value === undefined || value === null) {
			if (rule.required) complain(where, 'field required');
			return null;
		}
		if (typeof value !== 'string') {
			complain(where, 'input should be a string');
			return null;
		}
		const length = [...value].length;
		if (length < (rule.min ?? 0) || length > (rule.max ?? 10_000))
			complain(where, `should have ${rule.min ?? 0} to ${rule.max ?? 10_000} characters`);
		else if (rule.pattern && !rule.pattern.test(value))
			complain(where, `should match ${rule.pattern.source}`);
		else if (rule.among && !rule.among.has(value))
			complain(where, `should be one of ${[...rule.among].join(', ')}`);
		return value;
	}

	function flag(of: unknown, at: string, name: string): boolean {
		const value = field(of, name);
		if (value !== undefined && value !== null && typeof value !== 'boolean')
			complain(`${at}.${name}`, 'input should be a valid boolean');
		return value === true;
	}

	const name = text(data, 'data', 'name', { required: true, min: 3, max: 64, pattern: NAME[alphabet] });
	const description = text(data, 'data', 'description', {});
	const labels = field(data, 'labels');
	if (labels !== undefined && labels !== null && !isObject(labels))
		complain('data.labels', 'input should be an object');
	if (isObject(labels)) for (const label of Object.keys(labels)) text(labels, 'data.labels', label, {});
	const attributes = field(data, 'attributes');
	const isTexts = Array.isArray(attributes) && attributes.every((one) => typeof one === 'string');
	if (attributes !== undefined && attributes !== null && !isTexts)
		complain('data.attributes', 'input should be an array of strings');
	const skipExternal = flag(data, 'data', 'skip_external_voice');

	const samples = field(data, 'samples');
	const given: readonly unknown[] = Array.isArray(samples) ? samples : [];
	if (given.length !== 1) complain('data.samples', `should have exactly 1 element, not ${given.length}`);
	const [sample] = given;
	const at = 'data.samples[0]';
	let mimeType: string | null = null;
	let language: string | null = null;
	let itemId: string | null = null;
	if (sample !== undefined) {
		if (!isObject(sample)) complain(at, 'input should be an object');
		text(sample, at, 'filename', { required: true, min: 3, max: 255, pattern: FILENAME[alphabet] });
		mimeType = text(sample, at, 'mime_type', { required: true, among: MIME_TYPES });
		language = text(sample, at, 'lang_code', { required: true, among: LANGUAGES });
		text(sample, at, 'display_name', {});
		text(sample, at, 'description', {});
		itemId = text(sample, at, 'item_id', { min: 1, max: 36 });
		flag(sample, at, 'denoise');
		flag(sample, at, 'speech_normalization');
	}
	if (complaints.length > 0 || name === null || mimeType === null || language === null) return { complaints };
	return {
		order: {
			name,
			description,
			labels: isObject(labels) ? labels : null,
			attributes: isTexts ? attributes : null,
			skipExternal,
			sample: { itemId, mimeType, language },
		},
	};
}

/** Signatures that identify a file by its first bytes. */
const SIGNATURES: readonly (readonly [kind: string, at: number, bytes: string])[] = [
	['wav', 8, 'WAVE'],
	['webp', 8, 'WEBP'],
	['mp4', 4, 'ftyp'],
	['flac', 0, 'fLaC'],
	['mp3', 0, 'ID3'],
	['webm', 0, '\x1a\x45\xdf\xa3'],
	['png', 0, '\x89PNG'],
	['jpeg', 0, '\xff\xd8\xff'],
	['mpeg', 0, '\x00\x00\x01\xba'],
	['mpeg', 0, '\x00\x00\x01\xb3'],
	['ogg', 0, 'OggS'],
];

/** The kinds of file that a declared type allows. */
const KINDS: ReadonlyMap<string, string> = new Map([
	['audio/x-wav', 'wav'],
	['audio/wav', 'wav'],
	['audio/mp3', 'mp3'],
	['audio/mpeg', 'mp3'],
	['audio/x-m4a', 'mp4'],
	['video/mp4', 'mp4'],
	['audio/flac', 'flac'],
	['video/webm', 'webm'],
	['video/mpeg', 'mpeg'],
	['image/png', 'png'],
	['image/jpeg', 'jpeg'],
	['image/webp', 'webp'],
]);

export interface StoredVoice {
	readonly id: string;
	/** Grows in the order in which voices are created. */
	readonly number: number;
	readonly order: CloneOrder;
	/** Identifies the upload in its form. */
	readonly blobId: string;
	readonly createdAt: number;
	status: string;
	errors: readonly string[];
	warnings: readonly string[];
	readonly faults: FaultSet;
}

/** Built-in voices (protocol 7.1), listed like the others, as far as is known. */
const BUILT_IN = [VOICE.low, VOICE.high].map((id) => ({
	voice_id: id,
	name: id,
	voice_type: 'instantly_cloned_builtin',
	processing_status: 'ready',
}));

const PENDING_MS = 1500;

export type VoiceStore = ReturnType<typeof createVoiceStore>;

/** `scope` aborts the processing of unfinished voices. */
export function createVoiceStore(clock: Clock, scope: Scope) {
	const voices = new Map<string, StoredVoice>();
	let made = 0;

	function settle(voice: StoredVoice, head: Buffer): void {
		const { mimeType } = voice.order.sample;
		const kind = otherKind(head, mimeType);
		if (voice.faults.has('voice-fails')) voice.errors = ['The sample holds more than one speaker.'];
		else if (kind !== null) voice.errors = [`The sample was said to be ${mimeType} and is ${kind}.`];
		voice.status = voice.errors.length > 0 ? 'failed' : 'ready';
		if (voice.faults.has('voice-warns')) voice.warnings = ['The sample is noisy; the voice may be too.'];
	}

	return {
		create(order: CloneOrder, faults: FaultSet): StoredVoice {
			made += 1;
			const voice: StoredVoice = {
				id: randomUUID(),
				number: made,
				order,
				blobId: randomUUID(),
				createdAt: clock.wall(),
				status: 'created',
				errors: [],
				warnings: [],
				faults,
			};
			voices.set(voice.id, voice);
			return voice;
		},
		get: (id: string): StoredVoice | null => voices.get(id) ?? null,
		byBlob: (blobId: string): StoredVoice | null =>
			[...voices.values()].find((voice) => voice.blobId === blobId) ?? null,
		/** The sample has arrived, `head` is its beginning: processing of the voice starts now. */
		uploaded(voice: StoredVoice, head: Buffer): void {
			if (voice.status !== 'created') return;
			voice.status = voice.faults.has('voice-odd-status') ? 'queued_for_review' : 'pending';
			if (voice.faults.has('voice-stuck')) return;
			scope.after(voice.faults.number('voice-pending', PENDING_MS), () => settle(voice, head));
		},
		delete: (id: string): boolean => voices.delete(id),
		list: (): readonly StoredVoice[] => [...voices.values()],
		/** Timbre of a built-in voice, or of a cloned one that is ready; null: no such voice can speak. */
		timbreOf: (id: string): Timbre | null =>
			builtInTimbre(id) ?? (voices.get(id)?.status === 'ready' ? 'cloned' : null),
	};
}

/** A record in the format of spec 2.3, and of protocol 7.2 in a list. */
function written(voice: StoredVoice, samples: readonly unknown[]): Record<string, unknown> {
	const { order } = voice;
	return {
		utc_created_at: isoSeconds(voice.createdAt),
		voice_id: voice.id,
		user_id: 'sandbox',
		name: order.name,
		voice_type: 'instantly_cloned',
		processing_status: voice.status,
		...(order.description === null ? {} : { description: order.description }),
		...(order.labels === null ? {} : { labels: order.labels }),
		lang_code: order.sample.language,
		has_external_voice: !order.skipExternal,
		...(order.attributes === null ? {} : { attributes: order.attributes }),
		samples,
	};
}

/** A record with the result of processing (protocol 7.2). */
function withResult(voice: StoredVoice): Record<string, unknown> {
	const remark = (detail: string) => ({
		type: 'https://sandbox.invalid/errors#voice',
		status: 422,
		title: 'Voice processing',
		detail,
		instance: `/saas/voice/m/${voice.id}`,
		error_code: 100_200,
	});
	return {
		...written(voice, []),
		utc_updated_at: isoSeconds(voice.createdAt),
		processing_result: { warnings: voice.warnings.map(remark), errors: voice.errors.map(remark) },
	};
}

/** The kind of file indicated by its first bytes if it clearly differs from the declared one; else null. */
function otherKind(head: Buffer, mimeType: string): string | null {
	const found = SIGNATURES.find(
		([, at, bytes]) => head.subarray(at, at + bytes.length).toString('latin1') === bytes,
	);
	const kind = found?.[0] ?? null;
	return kind === KINDS.get(mimeType) ? null : kind;
}
