import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem, ServiceErrorRecord } from '#shared/problem.ts';
import { readErrorEnvelope } from '#shared/protocol/envelope.ts';
import { plainText } from '#shared/protocol/json.ts';
import { readable } from '#shared/protocol/service-error.ts';

export interface UploadRefusal {
	readonly problem: Problem;
	/** The same address may accept the upload a little later. */
	readonly again: boolean;
}

/** How the storage says that an address is too old: S3, and stores with the same API. */
const EXPIRED = /expired|ExpiredToken|not valid in the specified time/i;

/** Any 2xx without an `<Error>` is success (protocol 7.2). `body` may be cut. */
export function judgeUpload(status: number, body: string): Result<void, UploadRefusal> {
	const error = /<Error[\s>]/i.test(body);
	if (status >= 200 && status < 300 && !error) return ok();
	const { code, detail, errors } = error ? readXmlError(body) : readJsonError(status, body);
	// An `<Error>` under a 200 means that the storage failed after it had begun to answer.
	const isTransient = status === 408 || status === 429 || status >= 500 || (error && status < 300);
	if (!isTransient && EXPIRED.test(`${code} ${detail}`)) {
		return err({ problem: { kind: 'upload-expired' }, again: false });
	}
	const support = { ...(code !== '' && { code }), ...(errors.length > 0 && { errors: [...errors] }) };
	return err({
		problem: { kind: 'upload-refused', status, detail, ...support },
		again: isTransient || code === 'RequestTimeout' || code === 'SlowDown',
	});
}

interface StorageError {
	readonly code: string;
	readonly detail: string;
	readonly errors: readonly ServiceErrorRecord[];
}

function readXmlError(body: string): StorageError {
	const part = (name: string) => new RegExp(`<${name}>([^<]{0,2000})</${name}>`, 'i').exec(body)?.[1] ?? '';
	return { code: plainText(part('Code'), 64), detail: readable(part('Message')), errors: [] };
}

function readJsonError(status: number, body: string): StorageError {
	if (!body.trimStart().startsWith('{')) return { code: '', detail: '', errors: [] };
	const { code, detail, errors } = readErrorEnvelope(status, body);
	return { code: code ?? '', detail, errors };
}
