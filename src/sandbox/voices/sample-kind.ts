/** What the first bytes of a file say it is, if they do. */
const SIGNATURES: readonly (readonly [kind: string, at: number, bytes: string])[] = [
	['wav', 8, 'WAVE'],
	['webp', 8, 'WEBP'],
	['mp4', 4, 'ftyp'],
	['flac', 0, 'fLaC'],
	['mp3', 0, 'ID3'],
	['webm', 0, '\x1a\x45\xdf\xa3'],
	['png', 0, '\x89PNG'],
	['jpeg', 0, '\xff\xd8\xff'],
	['mpeg', 0, '\x00\x00\x01\xba'],
	['mpeg', 0, '\x00\x00\x01\xb3'],
	['ogg', 0, 'OggS'],
];

/** Which of those kinds a declared type may be. */
const KINDS: ReadonlyMap<string, string> = new Map([
	['audio/x-wav', 'wav'],
	['audio/wav', 'wav'],
	['audio/mp3', 'mp3'],
	['audio/mpeg', 'mp3'],
	['audio/x-m4a', 'mp4'],
	['video/mp4', 'mp4'],
	['audio/flac', 'flac'],
	['video/webm', 'webm'],
	['video/mpeg', 'mpeg'],
	['image/png', 'png'],
	['image/jpeg', 'jpeg'],
	['image/webp', 'webp'],
]);

/** The kind of file these bytes begin, when that is plainly not the declared one; else null. */
export function otherKind(head: Buffer, mimeType: string): string | null {
	const found = SIGNATURES.find(
		([, at, bytes]) => head.subarray(at, at + bytes.length).toString('latin1') === bytes,
	);
	const kind = found?.[0] ?? null;
	return kind === KINDS.get(mimeType) ? null : kind;
}
