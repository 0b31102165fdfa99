import { open, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { whyUnreadable } from '#main/lib/node-error.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { plainText } from '#shared/protocol/json.ts';
import { MEDIA_HEAD_BYTES, sniffMedia } from '#shared/voices/media-type.ts';
import type { MediaLength } from './media-length.ts';

/** A file a voice is to be made of, as it was when it was chosen. */
export interface SampleFile {
	readonly path: string;
	/** As the user knows it. */
	readonly name: string;
	readonly bytes: number;
	readonly modifiedMs: number;
	/** By its content; empty = nothing the service takes. */
	readonly mimeType: string;
	readonly durationMs: number | null;
	readonly recorded: boolean;
}

export interface SampleAsked {
	readonly path: string;
	/** The name to show, where it is not the file's own. */
	readonly name?: string;
	readonly recorded: boolean;
	readonly lengthOf: MediaLength;
}

/** Looks at a file without reading it whole. */
export async function readSample(asked: SampleAsked): Promise<Result<SampleFile, Problem>> {
	const { path, recorded } = asked;
	const name = plainText(asked.name ?? basename(path), 255);
	const refuse = (reason: string) => err<Problem>({ kind: 'file-unreadable', file: name, reason });
	try {
		// Before it is opened: a named pipe would wait for its writer.
		if (!(await stat(path)).isFile()) return refuse('it is not a file');
		const handle = await open(path, 'r');
		try {
			const about = await handle.stat();
			const head = Buffer.alloc(MEDIA_HEAD_BYTES);
			const { bytesRead } = await handle.read(head, 0, head.length, 0);
			const mimeType = sniffMedia(head.subarray(0, bytesRead), name) ?? '';
			const durationMs = mimeType === '' ? null : await asked.lengthOf(path, handle, mimeType);
			return ok({ path, name, bytes: about.size, modifiedMs: about.mtimeMs, mimeType, durationMs, recorded });
		} finally {
			await handle.close();
		}
	} catch (thrown) {
		return refuse(whyUnreadable(thrown));
	}
}
