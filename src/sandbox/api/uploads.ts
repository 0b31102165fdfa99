import { createHmac, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createFaults, type FaultSet } from '#sandbox/faults.ts';
import { isoSeconds } from '#sandbox/system-clock.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { Scope } from '#shared/lib/scope.ts';
import { parseJson, textField } from '#shared/protocol/json.ts';
import { readTimestamp } from '#shared/protocol/values.ts';
import type { StoredVoice, VoiceStore } from './voices.ts';

const denied = (says: string): Refusal => ({ status: 403, code: 'AccessDenied', says });

const invalid = (says: string): Refusal => ({ status: 400, code: 'InvalidArgument', says });

/** "Up to 10 MB" (protocol 7.2) in its larger meaning. */
const FILE_LIMIT = 10 * 1024 * 1024;

const ALGORITHM = 'AWS4-HMAC-SHA256';

/** Fields that need no condition of their own; the policy is protected by its signature. */
const FREE_FIELDS: ReadonlySet<string> = new Set(['policy', 'x-amz-signature']);

const PATH = '/uploads/sandbox-voices';
const EXPIRES_MS = 600_000;
const SLOW_MS = 200;
const CUT_AFTER_BYTES = 1000;

/** Faults that replace the store's answer. */
const refusals = [
	{ fault: 'upload-500', status: 500, code: 'InternalError', says: 'We encountered an internal error.' },
	{ fault: 'upload-503', status: 503, code: 'SlowDown', says: 'Please reduce your request rate.' },
	{ fault: 'upload-403', status: 403, code: 'AccessDenied', says: 'Access Denied' },
] as const;

export type Uploads = ReturnType<typeof createUploads>;

/** The store behind pre-signed addresses; behaves like S3 (spec 4.7, protocol 7.2). */
export function createUploads(parts: {
	clock: Clock;
	scope: Scope;
	store: VoiceStore;
	/** `http://host:port` */
	address: () => string;
}) {
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

	/** The form, its fault, or null if the connection broke. Reads it all: clients read no answer while sending. */
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
		/** The data that a client needs to upload the sample of this voice. */
		descriptorOf: (voice: StoredVoice): Record<string, unknown> => ({
			item_id: voice.order.sample.itemId ?? voice.blobId,
			blob_id: voice.blobId,
			url: `${address()}${PATH}?blob=${voice.blobId}`,
			form_data: formOf(voice),
		}),
		/** Returns true if the request was addressed to the store, which has then answered it. */
		handle(req: IncomingMessage, res: ServerResponse): boolean {
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

/** An error of the store in S3's format. */
interface Refusal {
	readonly status: number;
	readonly code: string;
	readonly says: string;
}

/** The upload that a form permits. */
interface Permission {
	readonly blobId: string;
	readonly mimeType: string;
	/** Unix ms, in whole seconds. */
	readonly expiresAt: number;
	/** The status of a successful upload. */
	readonly status: number;
}

interface Accepted {
	readonly blobId: string;
	readonly status: number;
	readonly file: Extract<FormPart, { kind: 'file' }>;
}

/** Forms with S3's `POST` policies: each permits one upload of the described file for a limited time. */
function createPolicies() {
	const secret = randomBytes(16);
	const sign = (policy: string) => createHmac('sha256', secret).update(policy).digest('hex');

	/** The signed conditions, or the reason why there are none. */
	function conditionsOf(
		fields: ReadonlyMap<string, string>,
		wallMs: number,
	): Refusal | Record<string, string> {
		const policy = fields.get('policy');
		if (policy === undefined) return invalid("Bucket POST must contain a field named 'policy'.");
		if (fields.get('x-amz-signature') !== sign(policy))
			return {
				status: 403,
				code: 'SignatureDoesNotMatch',
				says: 'The signature we calculated does not match',
			};
		const read = parseJson(Buffer.from(policy, 'base64').toString('utf8'));
		const expiresAt = readTimestamp(read.ok ? textField(read.value, 'expiration') : null);
		// Only uploads signed here reach this line.
		if (!read.ok || expiresAt === null) throw new Error('a policy of our own cannot be read');
		if (expiresAt <= wallMs) return denied('Invalid according to Policy: Policy expired.');
		const { conditions } = read.value as { conditions: readonly Record<string, string>[] };
		return Object.assign({}, ...conditions.filter((condition) => !Array.isArray(condition)));
	}

	return {
		/** The fields of a form with this permission, in the order in which S3's tools send them. */
		write({ blobId, mimeType, expiresAt, status }: Permission, wallMs: number): Record<string, string> {
			const at = isoSeconds(wallMs).replaceAll(/[-:]/g, '');
			const fields = {
				key: `samples/${blobId}`,
				'Content-Type': mimeType,
				success_action_status: String(status),
				'x-amz-algorithm': ALGORITHM,
				'x-amz-credential': `sandbox/${at.slice(0, 8)}/auto/s3/aws4_request`,
				'x-amz-date': at,
			};
			const conditions = Object.entries(fields).map(([name, value]) => ({ [name]: value }));
			const document = {
				expiration: isoSeconds(expiresAt),
				conditions: [...conditions, ['content-length-range', 1, FILE_LIMIT]],
			};
			const policy = Buffer.from(JSON.stringify(document)).toString('base64');
			return { ...fields, policy, 'x-amz-signature': sign(policy) };
		},
		/** Checks a form: returns the accepted fields, or the refusal. */
		judge(form: readonly FormPart[], wallMs: number): Refusal | Accepted {
			const file = form.at(-1);
			const fields = new Map(
				form.flatMap((part) => (part.kind === 'field' ? [[part.name, part.value]] : [])),
			);
			if (file?.kind !== 'file' || file.name !== 'file' || form.length !== fields.size + 1)
				return invalid(shapeOf(form));
			const conditions = conditionsOf(fields, wallMs);
			if (isRefusal(conditions)) return conditions;
			for (const [name, value] of Object.entries(conditions)) {
				if (fields.get(name) === value) continue;
				const condition = JSON.stringify(['eq', `$${name}`, value]);
				return denied(`Invalid according to Policy: Policy Condition failed: ${condition}`);
			}
			const extra = [...fields.keys()].find(
				(name) => !FREE_FIELDS.has(name) && !Object.hasOwn(conditions, name),
			);
			if (extra !== undefined)
				return denied(`Invalid according to Policy: Extra input fields: ${extra.slice(0, 64)}`);
			const promised = conditions['Content-Type'] ?? '';
			if (!['', 'application/octet-stream', promised].includes(file.type.toLowerCase()))
				return invalid(`The file is said to be ${file.type}, but ${promised} was promised`);
			return sizeFault(file.bytes) ?? { blobId: blobOf(conditions), status: statusOf(conditions), file };
		},
	};
}

function isRefusal(value: object): value is Refusal {
	return 'says' in value;
}

function blobOf({ key }: Record<string, string>): string {
	return (key ?? '').replace(/^samples\//, '');
}

function statusOf(conditions: Record<string, string>): number {
	return Number(conditions.success_action_status);
}

/** The fault of a form that does not consist of distinct fields followed by one `file`. */
function shapeOf(form: readonly FormPart[]): string {
	const files = form.filter(({ kind }) => kind === 'file');
	if (files.length !== 1)
		return `POST requires exactly one file upload per request, not ${files.length} of them`;
	if (files[0] !== form.at(-1)) return 'The file must be the last field in the form';
	if (files[0]?.name !== 'file') return "The field of the file must be named 'file'";
	return 'A field is there twice';
}

function sizeFault(bytes: number): Refusal | null {
	const fault = (code: string, says: string) => ({ status: 400, code, says: `Your proposed upload ${says}` });
	if (bytes === 0) return fault('EntityTooSmall', 'is empty');
	return bytes > FILE_LIMIT ? fault('EntityTooLarge', 'exceeds the maximum allowed size') : null;
}

/** The parts of a form, in the order of arrival. */
export type FormPart =
	| { readonly kind: 'field'; readonly name: string; readonly value: string }
	| {
			readonly kind: 'file';
			readonly name: string;
			readonly type: string;
			readonly bytes: number;
			readonly head: Buffer;
	  };

interface FormReader {
	/** Returns the fault of the form so far, or null. */
	push(chunk: Buffer): string | null;
	/** The complete form, or its fault. */
	end(): readonly FormPart[] | string;
}

const CRLF2 = Buffer.from('\r\n\r\n');
/** Limit for a part's header lines and for a field's value, bytes. */
const TEXT_LIMIT = 65_536;
/** How much of a file is kept to detect its type. */
const HEAD_BYTES = 32;

/** The boundary between the parts of a form; null if the content type is not a form. */
export function boundaryOf(contentType: string): string | null {
	const found = /^multipart\/form-data\s*;.*?\bboundary=(?:"([^"]+)"|([^\s;]+))/i.exec(contentType);
	const mark = found?.[1] ?? found?.[2] ?? '';
	return mark === '' || mark.length > 70 ? null : mark;
}

/**
 * Reads `multipart/form-data` in pieces of any size (RFC 7578). The bytes of a file are counted, not kept.
 */
export function createFormReader(contentType: string): FormReader | string {
	const mark = boundaryOf(contentType);
	if (mark === null) return 'the body is not multipart/form-data';
	const delimiter = Buffer.from(`\r\n--${mark}`);
	const parts: FormPart[] = [];
	// The first delimiter has no line before it.
	let rest: Buffer = Buffer.from('\r\n');
	let state: 'preamble' | 'after-delimiter' | 'headers' | 'body' | 'done' = 'preamble';
	let current: {
		name: string;
		isFile: boolean;
		type: string;
		bytes: number;
		kept: Buffer[];
		keptBytes: number;
	} | null = null;
	let wrong: string | null = null;

	function keep(bytes: Buffer): void {
		if (!current) return;
		current.bytes += bytes.length;
		const limit = current.isFile ? HEAD_BYTES : TEXT_LIMIT + 1;
		const room = Math.max(0, limit - current.keptBytes);
		if (room === 0) return;
		const kept = Buffer.from(bytes.subarray(0, room));
		current.kept.push(kept);
		current.keptBytes += kept.length;
	}

	function finishPart(): void {
		if (!current) return;
		const head = Buffer.concat(current.kept);
		const { name, isFile, type, bytes } = current;
		if (isFile) parts.push({ kind: 'file', name, type, bytes, head: head.subarray(0, HEAD_BYTES) });
		else if (bytes > TEXT_LIMIT) wrong = `the field ${name} is too long`;
		else parts.push({ kind: 'field', name, value: head.toString('utf8') });
		current = null;
	}

	function beginPart(headers: string): void {
		const disposition = /^content-disposition:\s*form-data\b(.*)$/im.exec(headers)?.[1] ?? '';
		const name = /;\s*name="((?:[^"\\]|\\.)*)"/i.exec(disposition)?.[1];
		if (name === undefined) {
			wrong = 'a part has no name';
			return;
		}
		const type = /^content-type:\s*([^\s;]+)/im.exec(headers)?.[1] ?? '';
		const isFile = /;\s*filename\*?=/i.test(disposition);
		current = { name: unescaped(name), isFile, type, bytes: 0, kept: [], keptBytes: 0 };
	}

	/** Reads up to the next delimiter; false if it has not arrived yet. */
	function readBody(): boolean {
		const at = rest.indexOf(delimiter);
		const upTo = at < 0 ? Math.max(0, rest.length - delimiter.length) : at;
		if (state === 'body') keep(rest.subarray(0, upTo));
		rest = rest.subarray(at < 0 ? upTo : at + delimiter.length);
		if (at < 0) return false;
		if (state === 'body') finishPart();
		state = 'after-delimiter';
		return true;
	}

	/** Keeps the line break: it belongs to the end of the headers if there are no headers. */
	function readDelimiter(): boolean {
		if (rest.length < 2) return false;
		const next = rest.subarray(0, 2).toString();
		if (next !== '--' && next !== '\r\n') wrong = 'a delimiter has no line of its own';
		state = next === '--' ? 'done' : 'headers';
		return true;
	}

	function readHeaders(): boolean {
		const at = rest.indexOf(CRLF2);
		if (at < 0) {
			if (rest.length > TEXT_LIMIT) wrong = 'the headers of a part are too long';
			return false;
		}
		beginPart(rest.subarray(2, at).toString('utf8'));
		rest = rest.subarray(at + CRLF2.length);
		state = 'body';
		return true;
	}

	/** Performs one step; false if more bytes are needed. */
	function step(): boolean {
		if (state === 'done') rest = rest.subarray(rest.length);
		if (state === 'preamble' || state === 'body') return readBody();
		if (state === 'after-delimiter') return readDelimiter();
		return state === 'headers' && readHeaders();
	}

	return {
		push(chunk) {
			rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
			while (wrong === null && step());
			return wrong;
		},
		end: () => wrong ?? (state === 'done' ? parts : 'the form has no end'),
	};
}

function unescaped(name: string): string {
	return name.replace(/%22/g, '"').replace(/\\(.)/g, '$1');
}
