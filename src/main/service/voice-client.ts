import { createHash } from 'node:crypto';
import type { Agent } from 'node:http';
import { redactKnown } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import type { CloneRequest } from '#shared/protocol/cloned-voice.ts';
import {
	readVoiceRecord,
	type UploadDescriptor,
	type VoiceRecord,
} from '#shared/protocol/cloned-voice-record.ts';
import { problemOfOdd } from '#shared/protocol/envelope.ts';
import { checkRestBase } from '#shared/service-address.ts';
import { checkMediaAddress } from './addresses.ts';
import { type Credentials, createHttp, type Http, type HttpFailure, type HttpParts } from './http.ts';
import { createUploader, type Uploader, type UploadOptions } from './upload.ts';

/** Why a description was not accepted. `maybe`: no answer, or an unreadable one; a voice may exist. */
interface CloneFailure {
	readonly problem: Problem;
	readonly made: 'no' | 'maybe';
}

export interface VoiceClientParts extends HttpParts {
	readonly baseUrl: () => string;
	readonly key: () => string | null;
	/** Bearer token for the voice endpoints: the key unless a separate token was entered. */
	readonly voiceToken: () => string | null;
	readonly allowedHosts: () => readonly string[];
	/** For uploads, which bypass `fetch`: the proxy agent for an address; undefined = directly. Never rejects. */
	readonly agent?: (address: string) => Promise<Agent | undefined>;
}

export type VoiceClient = ReturnType<typeof createVoiceClient>;

export function createVoiceClient(parts: VoiceClientParts) {
	const http = createHttp(parts);
	const uploader = createUploader(parts);

	function credential(): 'voice-token' | 'api-key' | 'none' {
		const token = parts.voiceToken();
		if (token === null || token === '') return 'none';
		return token === parts.key() ? 'api-key' : 'voice-token';
	}

	return {
		/** The kind of credential that a call to the voice endpoints would use now. */
		credential,
		/** The current account; a problem if there is no credential or the base is not one that we call. */
		account(): Result<VoiceAccount, Problem> {
			const token = parts.voiceToken() ?? '';
			if (token === '') return err({ kind: 'api-key-missing' });
			const base = parts.baseUrl().replace(/\/+$/, '');
			const refusal = checkRestBase(base);
			if (refusal) return err(refusal);
			const owner = parts.key() ?? token;
			const isOwnToken = credential() === 'voice-token';
			const checkAddress = (url: string) => checkUploadAddress(url, base, parts.allowedHosts());
			return ok(createAccount({ http, to: { base, key: token }, owner, isOwnToken, uploader, checkAddress }));
		},
	};
}

/** Allows uploads where media may be sent, but by HTTP. */
function checkUploadAddress(url: string, base: string, allowedHosts: readonly string[]): Problem | null {
	const refusal = checkMediaAddress(url, base, allowedHosts);
	if (refusal) return refusal;
	return /^https?:/i.test(url) ? null : { kind: 'address-refused', host: URL.parse(url)?.hostname ?? '' };
}

interface AccountParts {
	readonly http: Http;
	readonly to: Credentials;
	/** Identifies the owner of the voices by the key, which outlives tokens. */
	readonly owner: string;
	readonly isOwnToken: boolean;
	readonly uploader: Uploader;
	readonly checkAddress: (url: string) => Problem | null;
}

export type VoiceAccount = ReturnType<typeof createAccount>;

/** One service with one credential, fixed: requests about a voice always use the account that made it. */
function createAccount({ http, to, owner, isOwnToken, uploader, checkAddress }: AccountParts) {
	const pathOf = (voiceId: string) => `/saas/voice/m/${encodeURIComponent(voiceId)}`;

	/** Adds to a 401 which of the two credentials was refused. */
	function problemOf({ problem }: HttpFailure): Problem {
		if (problem.kind !== 'api-key-rejected' || !isOwnToken) return problem;
		return { ...problem, kind: 'voice-token-rejected' };
	}

	/** Removes secrets: the sentences are the service's own, and may repeat what it was sent. */
	function recordOf(body: unknown): ReturnType<typeof readVoiceRecord> {
		const record = readVoiceRecord(body);
		if (!record.ok) return record;
		const { warnings, errors } = record.value;
		return ok({ ...record.value, ...redactKnown({ warnings, errors }, [to.key]) });
	}

	async function clone(request: CloneRequest, signal?: AbortSignal) {
		const answer = await http.request(to, {
			method: 'POST',
			path: '/saas/voice/clone',
			body: request,
			what: 'clone-voice',
			repeat: 'unprocessed',
			expects: 'json',
			signal,
		});
		if (!answer.ok) {
			const made = answer.error.acted === 'no' ? ('no' as const) : ('maybe' as const);
			return err<CloneFailure>({ problem: problemOf(answer.error), made });
		}
		const record = recordOf(answer.value.body);
		if (record.ok) return record;
		const problem = problemOfOdd(`clone-voice: ${record.error}`, answer.value.body);
		return err<CloneFailure>({ problem, made: 'maybe' });
	}

	async function read(voiceId: string, signal?: AbortSignal): Promise<Result<VoiceRecord, Problem>> {
		const answer = await http.request(to, {
			method: 'GET',
			path: pathOf(voiceId),
			what: 'read-voice',
			repeat: 'safe',
			expects: 'json',
			signal,
		});
		if (!answer.ok) return err(problemOf(answer.error));
		const record = recordOf(answer.value.body);
		return record.ok ? record : err(problemOfOdd(`read-voice: ${record.error}`, answer.value.body));
	}

	async function remove(voiceId: string, signal?: AbortSignal): Promise<Result<void, Problem>> {
		const answer = await http.request(to, {
			method: 'DELETE',
			path: pathOf(voiceId),
			what: 'delete-voice',
			repeat: 'safe',
			expects: 'nothing',
			signal,
		});
		if (answer.ok || answer.error.status === 404 || answer.error.status === 410) return ok();
		return err(problemOf(answer.error));
	}

	return {
		/** Tells accounts apart without naming them. Does not depend on the token for the voice endpoints. */
		hash: (salt: string): string =>
			createHash('sha256')
				.update(JSON.stringify([salt, to.base, owner]))
				.digest('hex')
				.slice(0, 16),
		/** Requests a voice. Never sent twice unless the service certainly did not act. */
		clone,
		/** `not-found` when the service does not know it. */
		read,
		/** Deletes it at the service (protocol 7.3, not in the specification); ok if it was gone already. */
		remove,
		/** Sends one file to the address of an upload descriptor; `upload-expired` if the address is too old. */
		async upload(descriptor: UploadDescriptor, options: UploadOptions): Promise<Result<void, Problem>> {
			const refusal = checkAddress(descriptor.url);
			return refusal ? err(refusal) : uploader.send(descriptor, options);
		},
	};
}
