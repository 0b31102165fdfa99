import { createHmac, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FaultSet } from '#sandbox/faults.ts';
import { isoSeconds } from '#sandbox/system-clock.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { Scope } from '#shared/lib/scope.ts';
import { createFormReader, type FormPart } from './multipart.ts';
import type { StoredVoice, VoiceStore } from './voice-store.ts';

/** The store behind pre-signed addresses, with the manners of S3 (service-spec 4.7, protocol 7.2). */
export interface Uploads {
	/** What a client needs to send the sample of this voice. */
	descriptorOf(voice: StoredVoice): Record<string, unknown>;
	/** True when the request was one for here; it is answered then. */
	handle(req: IncomingMessage, res: ServerResponse): boolean;
	/** Bytes of every sample that was taken, for tests. */
	readonly taken: readonly number[];
}

const PATH = '/uploads/sandbox-voices';
/** "Up to 10 MB" (protocol 7.2), read as the larger of its two meanings. */
const FILE_LIMIT = 10 * 1024 * 1024;
const EXPIRES_MS = 600_000;
const SLOW_MS = 200;
const CUT_AFTER_BYTES = 1000;

interface Refusal {
	readonly status: number;
	readonly code: string;
	readonly says: string;
}

/** Faults that answer instead. */
const refusals = [
	{ fault: 'upload-500', status: 500, code: 'InternalError', says: 'We encountered an internal error.' },
	{ fault: 'upload-403', status: 403, code: 'AccessDenied', says: 'Access Denied' },
] as const;

const noFaults: FaultSet = { has: () => false, number: (_name, otherwise) => otherwise, take: () => false };

export function createUploads(parts: {
	clock: Clock;
	scope: Scope;
	store: VoiceStore;
	/** `http://host:port` */
	address: () => string;
}): Uploads {
	const { clock, scope, store, address } = parts;
	const secret = randomBytes(16);
	const taken: number[] = [];

	function sign(policy: string): string {
		return createHmac('sha256', secret).update(policy).digest('hex');
	}

	/** Field names as S3 has them; the order is kept by whoever sends them. */
	function formOf(voice: StoredVoice): Record<string, string> {
		const lifeMs = voice.faults.take('upload-expired') ? -1000 : EXPIRES_MS;
		const expires = isoSeconds(clock.wall() + lifeMs);
		const conditions = {
			key: voice.blobId,
			type: voice.order.sample.mimeType,
			expires_ms: clock.wall() + lifeMs,
		};
		const policy = Buffer.from(JSON.stringify(conditions)).toString('base64');
		return {
			key: `samples/${voice.blobId}`,
			'Content-Type': voice.order.sample.mimeType,
			policy,
			'x-amz-algorithm': 'AWS4-HMAC-SHA256',
			'x-amz-credential': 'sandbox/20261121/auto/s3/aws4_request',
			'x-amz-date': expires.replaceAll(/[-:]|\.\d+/g, ''),
			'x-amz-signature': sign(policy),
		};
	}

	function judge(form: readonly FormPart[], hasBearer: boolean): Refusal | StoredVoice {
		const denied = (says: string): Refusal => ({ status: 403, code: 'AccessDenied', says });
		const invalid = (says: string): Refusal => ({ status: 400, code: 'InvalidArgument', says });
		if (hasBearer) return invalid('Only one auth mechanism allowed');
		const last = form.at(-1);
		const files = form.filter(({ kind }) => kind === 'file');
		if (files.length !== 1 || last?.kind !== 'file' || last.name !== 'file')
			return invalid('POST requires exactly one file upload per request, and it must be the last field');
		const fields = new Map(form.flatMap((part) => (part.kind === 'field' ? [[part.name, part.value]] : [])));
		const policy = fields.get('policy') ?? '';
		if (fields.get('x-amz-signature') !== sign(policy)) return denied('The signature does not match');
		const conditions = JSON.parse(Buffer.from(policy, 'base64').toString('utf8'));
		const voice = store.byBlob(conditions.key);
		if (!voice) return denied('There is no such upload');
		if (conditions.expires_ms < clock.wall()) return denied('Invalid according to Policy: Policy expired.');
		const wanted = new Map([
			['key', `samples/${voice.blobId}`],
			['Content-Type', conditions.type],
			['x-amz-algorithm', 'AWS4-HMAC-SHA256'],
		]);
		for (const [name, value] of wanted) {
			if (fields.get(name) !== value)
				return denied(`Invalid according to Policy: Policy Condition failed: ["eq", "$${name}", "${value}"]`);
		}
		if (last.bytes > FILE_LIMIT)
			return {
				status: 400,
				code: 'EntityTooLarge',
				says: 'Your proposed upload exceeds the maximum allowed size',
			};
		if (last.bytes === 0) return invalid('The file is empty');
		taken.push(last.bytes);
		return voice;
	}

	function refuse(res: ServerResponse, { status, code, says }: Refusal): void {
		const escaped = says.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
		const body = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${escaped}</Message></Error>`;
		res.writeHead(status, { 'Content-Type': 'application/xml', Connection: 'close' }).end(body);
	}

	/** The form, what is wrong with it, or null when the connection was broken on purpose. */
	async function read(req: IncomingMessage, own: FaultSet): Promise<readonly FormPart[] | Refusal | null> {
		const reader = createFormReader(req.headers['content-type'] ?? '');
		if (typeof reader === 'string') return { status: 412, code: 'PreconditionFailed', says: reader };
		const malformed = (says: string): Refusal => ({ status: 400, code: 'MalformedPOSTRequest', says });
		const cuts = own.take('upload-cut');
		const slowMs = own.has('upload-slow') ? own.number('upload-slow', SLOW_MS) : null;
		let bytes = 0;
		for await (const chunk of req) {
			bytes += chunk.length;
			if (cuts && bytes > CUT_AFTER_BYTES) return null;
			if (slowMs !== null) await new Promise<void>((done) => scope.after(slowMs, done));
			const wrong = reader.push(chunk);
			if (wrong) return malformed(wrong);
		}
		const form = reader.end();
		return typeof form === 'string' ? malformed(form) : form;
	}

	async function take(req: IncomingMessage, res: ServerResponse): Promise<void> {
		const blob = new URL(req.url ?? '/', 'http://x').searchParams.get('blob') ?? '';
		const own = store.byBlob(blob)?.faults ?? noFaults;
		const form = await read(req, own);
		if (form === null) return void req.socket.destroy();
		const instead = refusals.find(({ fault }) => own.take(fault));
		if (instead) return refuse(res, instead);
		const outcome = 'status' in form ? form : judge(form, req.headers.authorization !== undefined);
		if (!('order' in outcome)) return refuse(res, outcome);
		if (own.take('upload-error-body'))
			return refuse(res, { status: 200, code: 'InternalError', says: 'The sample could not be kept' });
		store.uploaded(outcome);
		res.writeHead(own.has('upload-200') ? 200 : 204).end();
	}

	return {
		taken,
		descriptorOf: (voice) => ({
			item_id: voice.order.sample.itemId ?? '1',
			blob_id: voice.blobId,
			url: `${address()}${PATH}?blob=${voice.blobId}`,
			form_data: formOf(voice),
		}),
		handle(req, res) {
			if (!req.url?.startsWith(PATH)) return false;
			if (req.method !== 'POST') {
				refuse(res, { status: 405, code: 'MethodNotAllowed', says: 'Only POST' });
				return true;
			}
			take(req, res).catch(() => res.destroy());
			return true;
		},
	};
}
