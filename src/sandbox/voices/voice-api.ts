import { type Answer, refusal } from '#sandbox/answer.ts';
import type { FaultSet } from '#sandbox/faults.ts';
import { field, parseJson } from '#shared/protocol/json.ts';
import { REST_ERROR_CODE } from '#shared/protocol/vocabulary.ts';
import type { Uploads } from './uploads.ts';
import { type Complaint, checkClone } from './voice-check.ts';
import { BUILT_IN, type StoredVoice, type VoiceStore, withResult, written } from './voice-store.ts';

const SIZE = { min: 1, max: 50, usual: 20 } as const;

export type VoiceOperation = 'clone' | 'voice' | 'voices' | 'delete-voice' | 'builtin';

/** One authorised request to the voice endpoints. */
export interface VoiceRequest {
	readonly operation: VoiceOperation;
	/** Decoded; empty where there is none. */
	readonly id: string;
	readonly query: URLSearchParams;
	readonly body: string;
	/** The body's media type as sent; empty without one. */
	readonly contentType: string;
	readonly instance: string;
	readonly faults: FaultSet;
}

/** Which operation a method and path mean; the id still encoded. Null: not ours. */
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

/** Sections 4.6 and 4.8 of the specification, and the part of protocol 7.3 that a client needs to manage voices. */
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

/** The envelope of spec 7, one record for each thing that is wrong. */
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

/** What a token stands for. `last` is the number of the last voice on the page before. */
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
	/** The token of the next page; null on the last. */
	readonly next: string | null;
}

interface Refused {
	readonly status: number;
	readonly says: string;
}

/** One page of the voices (protocol 7.3). Whatever voices come or go meanwhile, none is listed twice. */
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
