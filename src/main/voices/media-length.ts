import { spawn } from 'node:child_process';
import type { FileHandle } from 'node:fs/promises';
import { MEDIA_ONLY, programPath } from '#main/lib/media-programs.ts';
import type { Clock } from '#shared/lib/clock.ts';

/** How long the sound of a file is, ms; null when unknown. */
export type MediaLength = (path: string, file: FileHandle, mimeType: string) => Promise<number | null>;

/** ffprobe reads a few kilobytes; if it takes longer, the file is on a dead network drive. */
const PROBE_MS = 5000;
/** Most chunks before the sound; a WAV meant to be heard has fewer. */
const MOST_CHUNKS = 64;

/** WAV by ourselves, everything else by ffprobe where it is installed: its codecs stay outside. */
export function createMediaLength(clock: Clock): MediaLength {
	return async (path, file, mimeType) => {
		const own = mimeType === 'audio/wav' ? await wavLength(file) : null;
		return own ?? (await probedLength(path, clock));
	};
}

/** Reads chunk heads only. Null for what is not PCM or has no length. */
export async function wavLength(file: FileHandle): Promise<number | null> {
	const { size } = await file.stat();
	const head = Buffer.alloc(24);
	let bytesPerS = 0;
	let at = 12;
	for (let chunks = 0; chunks < MOST_CHUNKS; chunks += 1) {
		const { bytesRead } = await file.read(head, 0, head.length, at);
		if (bytesRead < 8) return null;
		const name = head.toString('latin1', 0, 4);
		const length = head.readUInt32LE(4);
		if (name === 'data') {
			// A writer that did not know the size says 0 or all ones; only what is in the file can be heard.
			const there = size - at - 8;
			const sound = length === 0 ? there : Math.min(length, there);
			return bytesPerS > 0 && sound > 0 ? Math.round((sound / bytesPerS) * 1000) : null;
		}
		// Its third field is bytes a second, whatever the codec.
		if (name === 'fmt ' && bytesRead >= 20) bytesPerS = head.readUInt32LE(16);
		at += 8 + length + (length % 2);
	}
	return null;
}

function probedLength(path: string, clock: Clock): Promise<number | null> {
	const program = programPath('ffprobe');
	if (program === null) return Promise.resolve(null);
	const asked = ['-v', 'error', ...MEDIA_ONLY, '-show_entries', 'format=duration'];
	const child = spawn(program, [...asked, '-of', 'csv=p=0', `file:${path}`], {
		stdio: ['ignore', 'pipe', 'ignore'],
	});
	let said = '';
	child.stdout.setEncoding('utf8').on('data', (text: string) => {
		said = `${said}${text}`.slice(0, 200);
	});
	return new Promise((done) => {
		const cancel = clock.after(PROBE_MS, () => child.kill());
		const end = (seconds: number) => {
			cancel();
			done(Number.isFinite(seconds) && seconds > 0 ? Math.round(seconds * 1000) : null);
		};
		child.once('error', () => end(0));
		child.once('close', () => end(Number(said.trim())));
	});
}
