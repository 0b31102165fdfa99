import { err, ok, type Result } from '#shared/lib/result.ts';

/** Bytes of an Ogg page before its lacing table (RFC 3533 section 6). */
const HEADER_BYTES = 27;
/** A lacing value below this ends a packet. */
const LACING_FULL = 255;

/**
 * The audio packets of an Ogg Opus stream (RFC 7845), in order, without its two header packets.
 * The error is a sentence. Checksums are not verified; only files of our own are read.
 */
export function readOggOpus(file: Uint8Array): Result<readonly Uint8Array[], string> {
	const packets: Uint8Array[] = [];
	let open: Uint8Array[] = [];
	let at = 0;
	while (at < file.length) {
		const segments = file[at + 26] ?? 0;
		const body = at + HEADER_BYTES + segments;
		if (ascii(file, at, 4) !== 'OggS' || body > file.length) return err(`no Ogg page at byte ${at}`);
		let from = body;
		for (const length of file.subarray(at + HEADER_BYTES, body)) {
			if (from + length > file.length) return err(`the Ogg page at byte ${at} is cut`);
			open.push(file.subarray(from, from + length));
			from += length;
			if (length === LACING_FULL) continue;
			packets.push(joined(open));
			open = [];
		}
		at = from;
	}
	const head = packets[0];
	if (!head || ascii(head, 0, 8) !== 'OpusHead') return err('not an Opus stream');
	return ok(packets.slice(2));
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
	const only = parts[0];
	if (only && parts.length === 1) return only;
	return new Uint8Array(Buffer.concat(parts));
}

function ascii(bytes: Uint8Array, from: number, length: number): string {
	return String.fromCharCode(...bytes.subarray(from, from + length));
}
