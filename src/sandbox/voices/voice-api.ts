import { type Answer, refusal } from '#sandbox/answer.ts';
import type { FaultSet } from '#sandbox/faults.ts';
import { parseJson } from '#shared/protocol/json.ts';
import { REST_ERROR_CODE } from '#shared/protocol/vocabulary.ts';
import type { Uploads } from './uploads.ts';
import { type Complaint, checkClone } from './voice-check.ts';
import { pageOf } from './voice-pages.ts';
import { BUILT_IN, type VoiceStore, withResult, written } from './voice-store.ts';

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
