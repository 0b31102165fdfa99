import { createHmac, randomBytes } from 'node:crypto';
import type { FormPart } from '#sandbox/api/multipart.ts';
import { isoSeconds } from '#sandbox/system-clock.ts';
import { parseJson, textField } from '#shared/protocol/json.ts';
import { readTimestamp } from '#shared/protocol/timestamp.ts';

/** An error of the store, in S3's words. */
export interface Refusal {
	readonly status: number;
	readonly code: string;
	readonly says: string;
}

export const denied = (says: string): Refusal => ({ status: 403, code: 'AccessDenied', says });
export const invalid = (says: string): Refusal => ({ status: 400, code: 'InvalidArgument', says });

/** "Up to 10 MB" (protocol 7.2), read as the larger of its two meanings. */
const FILE_LIMIT = 10 * 1024 * 1024;
const ALGORITHM = 'AWS4-HMAC-SHA256';
/** Fields that need no condition of their own; the signature binds the policy. */
const FREE_FIELDS: ReadonlySet<string> = new Set(['policy', 'x-amz-signature']);

/** What a form may be used for. */
export interface Permission {
	readonly blobId: string;
	readonly mimeType: string;
	/** Unix ms, in whole seconds. */
	readonly expiresAt: number;
	/** What a success is answered with. */
	readonly status: number;
}

export interface Policies {
	/** The fields of a form that carries this permission, in the order in which S3's tools give them. */
	write(permission: Permission, wallMs: number): Record<string, string>;
	/** The verdict on a form: the fields it was accepted with, or why it was not. */
	judge(form: readonly FormPart[], wallMs: number): Refusal | Accepted;
}

export interface Accepted {
	readonly blobId: string;
	readonly status: number;
	readonly file: Extract<FormPart, { kind: 'file' }>;
}

/** Forms with S3's `POST` policies: whoever has one may send one file, as described, for a while. */
export function createPolicies(): Policies {
	const secret = randomBytes(16);
	const sign = (policy: string) => createHmac('sha256', secret).update(policy).digest('hex');

	/** The signed conditions, or why there are none. */
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
		// Only what was signed here comes this far.
		if (!read.ok || expiresAt === null) throw new Error('a policy of our own cannot be read');
		if (expiresAt <= wallMs) return denied('Invalid according to Policy: Policy expired.');
		const { conditions } = read.value as { conditions: readonly Record<string, string>[] };
		return Object.assign({}, ...conditions.filter((condition) => !Array.isArray(condition)));
	}

	return {
		write({ blobId, mimeType, expiresAt, status }, wallMs) {
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
		judge(form, wallMs) {
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

export function isRefusal(value: object): value is Refusal {
	return 'says' in value;
}

function blobOf({ key }: Record<string, string>): string {
	return (key ?? '').replace(/^samples\//, '');
}

function statusOf(conditions: Record<string, string>): number {
	return Number(conditions.success_action_status);
}

/** What is wrong with a form that does not consist of distinct fields followed by one `file`. */
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
