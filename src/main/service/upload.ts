import { randomBytes } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import type { Agent } from 'node:http';
import { type BackoffPlan, backoffDelay } from '#shared/lib/backoff.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { type Logger, redactKnown } from '#shared/lib/log.ts';
import { pause } from '#shared/lib/pause.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import type { UploadDescriptor } from '#shared/protocol/voice.ts';
import { problemOfNetwork } from '#shared/unreachable.ts';
import { uploadForm } from './form-upload.ts';
import { postForm } from './post-form.ts';
import { judgeUpload, type UploadRefusal } from './upload-answer.ts';

/** Tries at one address; each sends the file from the beginning. */
const PLAN: BackoffPlan = { baseMs: 1000, capMs: 20_000, tries: 4 };

export interface UploadFile {
	readonly path: string;
	/** As it was when chosen: with another length or modification time it is another file. */
	readonly bytes: number;
	readonly modifiedMs: number;
	/** As the user knows it, for problems. */
	readonly name: string;
	/** As the service knows it. */
	readonly filename: string;
	readonly mimeType: string;
}

export interface UploadOptions {
	readonly file: UploadFile;
	/** Bytes of the file that have left this program; begins at 0 with each try. */
	readonly progress: (sentBytes: number) => void;
	readonly signal: AbortSignal;
}

export interface Uploader {
	/** Never rejects. The address and the fields of the form are never logged: they are the permission. */
	send(to: UploadDescriptor, options: UploadOptions): Promise<Result<void, Problem>>;
}

/** Sends a file to a pre-signed address: streamed, its length known, without our own credential (protocol 7.2). */
export function createUploader(parts: {
	readonly clock: Clock;
	readonly random: () => number;
	readonly log: Logger;
	/** The proxy agent for an address; undefined = directly. Never rejects. */
	readonly agent?: (address: string) => Promise<Agent | undefined>;
}): Uploader {
	async function once(to: UploadDescriptor, options: UploadOptions): Promise<Result<void, UploadRefusal>> {
		const { file, progress, signal } = options;
		const opened = await openUnchanged(file);
		if (!opened.ok) return err({ problem: opened.error, again: false });
		try {
			const form = uploadForm(to, file, `dragoman-${randomBytes(18).toString('hex')}`);
			progress(0);
			const answer = await postForm({
				url: to.url,
				form,
				file: opened.value,
				fileBytes: file.bytes,
				progress,
				signal,
				clock: parts.clock,
				agent: await parts.agent?.(to.url),
			});
			switch (answer.type) {
				case 'answer':
					return judgeUpload(answer.status, redactKnown(answer.body, permissionsOf(to)));
				case 'cancelled':
					return err({ problem: { kind: 'cancelled' }, again: false });
				case 'shortened':
					return err({ problem: changed(file), again: false });
				case 'unreadable':
					return err({ problem: unusable(file, 'it cannot be read'), again: false });
				case 'late':
					return err({
						problem: { kind: 'timed-out', what: 'upload', afterMs: answer.afterMs },
						again: true,
					});
				case 'broken':
					return err({ problem: problemOfNetwork(answer.cause, to.url), again: true });
			}
		} finally {
			await opened.value.close();
		}
	}

	return {
		async send(to, options) {
			for (let attempt = 1; ; attempt += 1) {
				if (options.signal.aborted) return err({ kind: 'cancelled' });
				const sent = await once(to, options);
				if (sent.ok) return ok();
				const { problem, again } = sent.error;
				const delayMs = again ? backoffDelay(PLAN, attempt, parts.random) : null;
				const facts = { attempt, kind: problem.kind, status: 'status' in problem ? problem.status : 0 };
				if (delayMs === null) {
					parts.log.warn('upload failed', facts);
					return err(problem);
				}
				parts.log.debug('upload tried again', { ...facts, delayMs });
				if (!(await pause(parts.clock, delayMs, options.signal))) return err({ kind: 'cancelled' });
			}
		},
	};
}

/** What would let anybody send to that address; the storage may repeat it. */
function permissionsOf({ url, fields }: UploadDescriptor): readonly string[] {
	const ofForm = fields.filter(([name]) => /policy|signature|token|credential|accesskey/i.test(name));
	return [...ofForm.map(([, value]) => value), ...(URL.parse(url)?.searchParams.values() ?? [])];
}

function unusable({ name }: UploadFile, reason: string): Problem {
	return { kind: 'file-unreadable', file: name, reason };
}

function changed(file: UploadFile): Problem {
	return unusable(file, 'it has changed since it was chosen');
}

async function openUnchanged(file: UploadFile): Promise<Result<FileHandle, Problem>> {
	try {
		const handle = await open(file.path, 'r');
		const { size, mtimeMs } = await handle.stat();
		if (size === file.bytes && Math.abs(mtimeMs - file.modifiedMs) < 1) return ok(handle);
		await handle.close();
		return err(changed(file));
	} catch {
		return err(unusable(file, 'it is not there any more'));
	}
}
