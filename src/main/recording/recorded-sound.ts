import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { readWavHead } from '#shared/sound/wav.ts';

/** Longer than the header of any WAV of ours; leaves room for chunks that an editor may have added. */
const HEAD_BYTES = 4096;

interface Opened {
	readonly file: FileHandle;
	readonly bytes: number;
	readonly lengthMs: number;
}

/** Null: there is no WAV at this path (any more). Other files there are never read for the window. */
async function openRecording(path: string): Promise<Opened | null> {
	const file = await open(path).catch(() => null);
	if (!file) return null;
	try {
		const { size } = await file.stat();
		const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
		const head = readWavHead(buffer.subarray(0, bytesRead));
		if (head.ok && head.value) {
			const { dataAt, bytes, rateHz, frameBytes } = head.value;
			const sound = Math.min(bytes ?? Infinity, Math.max(0, size - dataAt));
			const lengthMs = Math.round((sound / frameBytes / rateHz) * 1000);
			if (Number.isSafeInteger(lengthMs)) return { file, bytes: size, lengthMs };
		}
	} catch {
		// Happens, for example, when a disk was unplugged.
	}
	await file.close().catch(() => {});
	return null;
}

/** How long a recording is; null: it was moved or deleted. */
export async function recordedLength(path: string): Promise<number | null> {
	const opened = await openRecording(path);
	await opened?.file.close().catch(() => {});
	return opened?.lengthMs ?? null;
}

/** The answer to a player; null: the recording is gone. Read while it is played: it may be gigabytes. */
export async function answerWithRecording(
	path: string,
	{ method, headers: asked }: Request,
	headers: Readonly<Record<string, string>>,
): Promise<Response | null> {
	const opened = await openRecording(path);
	if (!opened) return null;
	const { file, bytes } = opened;
	const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(asked.get('range') ?? '') ?? [];
	const start = Number(from ?? 0);
	const end = Math.min(to ? Number(to) : Infinity, bytes - 1);
	const isPart = from !== undefined;
	const fits = start <= end;
	const all = {
		...headers,
		// Speech must not be stored anywhere else.
		'cache-control': 'no-store',
		'accept-ranges': 'bytes',
		...(isPart && { 'content-range': fits ? `bytes ${start}-${end}/${bytes}` : `bytes */${bytes}` }),
		'content-length': String(fits ? end - start + 1 : 0),
	};
	const status = isPart ? (fits ? 206 : 416) : 200;
	if (!fits || method === 'HEAD') {
		await file.close();
		return new Response(null, { status, headers: all });
	}
	const body = Readable.toWeb(file.createReadStream({ start, end })) as ReadableStream<Uint8Array>;
	return new Response(body, { status, headers: all });
}
