import { type Answer, refusal } from '#sandbox/api/answer.ts';
import type { FaultSet } from '#sandbox/faults.ts';
import { parseJson } from '#shared/protocol/json.ts';
import { REST_ERROR_CODE } from '#shared/protocol/vocabulary.ts';
import type { Uploads } from './uploads.ts';
import { type Complaint, checkClone } from './voice-check.ts';
import { BUILT_IN, type VoiceStore, withResult, written } from './voice-store.ts';

export type VoiceOperation = 'clone' | 'voice' | 'voices' | 'delete-voice' | 'builtin';

/** One authorised request to the voice endpoints. */
export interface VoiceRequest {
	readonly operation: VoiceOperation;
	/** Decoded; empty where there is none. */
	readonly id: string;
	readonly query: URLSearchParams;
	readonly body: string;
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

const PAGE = { min: 1, max: 50, usual: 20 } as const;

/** Sections 4.6 and 4.8 of the specification, and of protocol 7.3 what a client needs to look after voices. */
export function createVoiceApi(parts: { store: VoiceStore; uploads: Uploads }): {
	answer(request: VoiceRequest): Answer;
} {
	const { store, uploads } = parts;

	function clone({ body, faults, instance }: VoiceRequest): Answer {
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
		const token = query.get('token');
		if (token !== null && (query.has('sort') || query.has('page_size')))
			return refusal(400, 'query: sort and page_size are not allowed together with token', instance);
		const asked = JSON.parse(
			token === null ? '{}' : Buffer.from(token, 'base64url').toString('utf8') || '{}',
		) as { from?: number; size?: number };
		const size = asked.size ?? Number(query.get('page_size') ?? PAGE.usual);
		if (!Number.isInteger(size) || size < PAGE.min || size > PAGE.max)
			return refusal(422, `query.page_size: should be ${PAGE.min} to ${PAGE.max}`, instance);
		const all = query.get('sort') === 'asc' ? store.list().toReversed() : store.list();
		const from = asked.from ?? 0;
		const items = all.slice(from, from + size).map(withResult);
		const more = from + size < all.length;
		const next = more ? Buffer.from(JSON.stringify({ from: from + size, size })).toString('base64url') : null;
		return { status: 200, body: { ok: true, data: { items, page_size: size, count: all.length, next } } };
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
						body: { ok: true, data: { items: BUILT_IN.map((one) => ({ voice_id: one, name: one })) } },
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

/** The envelope of service-spec 7, one record for each thing that is wrong. */
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
