import type { IncomingMessage, ServerResponse } from 'node:http';
import { createFormReader, type FormPart } from '#sandbox/api/multipart.ts';
import { createFaults, type FaultSet } from '#sandbox/faults.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { Scope } from '#shared/lib/scope.ts';
import { createPolicies, denied, invalid, isRefusal, type Refusal } from './policy.ts';
import type { StoredVoice, VoiceStore } from './voice-store.ts';

/** The store behind pre-signed addresses; behaves like S3 (spec 4.7, protocol 7.2). */
export interface Uploads {
	/** What a client needs to send the sample of this voice. */
	descriptorOf(voice: StoredVoice): Record<string, unknown>;
	/** True when the request was for the store; it has been answered then. */
	handle(req: IncomingMessage, res: ServerResponse): boolean;
}

const PATH = '/uploads/sandbox-voices';
const EXPIRES_MS = 600_000;
const SLOW_MS = 200;
const CUT_AFTER_BYTES = 1000;

/** Faults that answer in place of the store. */
const refusals = [
	{ fault: 'upload-500', status: 500, code: 'InternalError', says: 'We encountered an internal error.' },
	{ fault: 'upload-503', status: 503, code: 'SlowDown', says: 'Please reduce your request rate.' },
	{ fault: 'upload-403', status: 403, code: 'AccessDenied', says: 'Access Denied' },
] as const;

export function createUploads(parts: {
	clock: Clock;
	scope: Scope;
	store: VoiceStore;
	/** `http://host:port` */
	address: () => string;
}): Uploads {
	const { clock, scope, store, address } = parts;
	const policies = createPolicies();

	function formOf({ blobId, order, faults }: StoredVoice): Record<string, unknown> {
		const lifeMs = faults.take('upload-expired') ? -1000 : EXPIRES_MS;
		const success = (['200', '201'] as const).find((status) => faults.has(`upload-${status}`)) ?? '204';
		const form = policies.write(
			{
				blobId,
				mimeType: order.sample.mimeType,
				expiresAt: clock.wall() + lifeMs,
				status: Number(success),
			},
			clock.wall(),
		);
		if (!faults.has('upload-odd-form')) return form;
		return { ...form, success_action_status: Number(success), 'x-amz-security-token': null };
	}

	/**
	 * The form, what is wrong with it, or null when the connection was broken on purpose. Always reads to the
	 * end: a client that is still sending does not read an answer.
	 */
	async function read(req: IncomingMessage, own: FaultSet): Promise<readonly FormPart[] | Refusal | null> {
		const reader = createFormReader(req.headers['content-type'] ?? '');
		let wrong = typeof reader === 'string' ? reader : null;
		const cuts = own.take('upload-cut');
		const slowMs = own.has('upload-slow') ? own.number('upload-slow', SLOW_MS) : null;
		let bytes = 0;
		for await (const chunk of req) {
			bytes += chunk.length;
			if (cuts && bytes > CUT_AFTER_BYTES) return null;
			if (slowMs !== null) await new Promise<void>((done) => scope.after(slowMs, done));
			if (typeof reader !== 'string') wrong ??= reader.push(chunk);
		}
		if (req.headers['content-length'] === undefined)
			return { status: 411, code: 'MissingContentLength', says: 'You must provide the Content-Length' };
		if (typeof reader === 'string') return { status: 412, code: 'PreconditionFailed', says: reader };
		const form = wrong ?? reader.end();
		return typeof form === 'string' ? { status: 400, code: 'MalformedPOSTRequest', says: form } : form;
	}

	async function take(req: IncomingMessage, res: ServerResponse): Promise<void> {
		const blobId = new URL(req.url ?? '/', 'http://x').searchParams.get('blob') ?? '';
		const voice = store.byBlob(blobId);
		const own = voice?.faults ?? createFaults();
		const form = await read(req, own);
		if (form === null) return void req.socket.destroy();
		if (!voice) return refuse(res, denied('There is no such upload'));
		if (own.take('upload-hang')) return;
		const instead = refusals.find(({ fault }) => own.take(fault));
		if (instead) return refuse(res, instead);
		if ('says' in form) return refuse(res, form);
		if (req.headers.authorization !== undefined)
			return refuse(res, invalid('Only one auth mechanism allowed'));
		const outcome = policies.judge(form, clock.wall());
		if (isRefusal(outcome)) return refuse(res, outcome);
		if (outcome.blobId !== blobId) return refuse(res, denied('The form is for another address'));
		if (own.take('upload-error-body'))
			return refuse(res, { status: 200, code: 'InternalError', says: 'The sample could not be kept' });
		store.uploaded(voice, outcome.file.head);
		const { status } = outcome;
		if (status !== 201) res.writeHead(status).end();
		else xml(res, 201, `<PostResponse><Key>samples/${blobId}</Key></PostResponse>`);
	}

	return {
		descriptorOf: (voice) => ({
			item_id: voice.order.sample.itemId ?? voice.blobId,
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

function refuse(res: ServerResponse, { status, code, says }: Refusal): void {
	const escaped = says.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
	res.setHeader('Connection', 'close');
	xml(res, status, `<Error><Code>${code}</Code><Message>${escaped}</Message></Error>`);
}

function xml(res: ServerResponse, status: number, body: string): void {
	res.writeHead(status, { 'Content-Type': 'application/xml' });
	res.end(`<?xml version="1.0" encoding="UTF-8"?>\n${body}`);
}
