const BLOCK = 512;

export interface TarEntry {
	readonly name: string;
	readonly mode: number;
	readonly data: Uint8Array;
}

function field(header: Uint8Array, from: number, length: number): string {
	const bytes = header.subarray(from, from + length);
	const end = bytes.indexOf(0);
	return new TextDecoder().decode(end < 0 ? bytes : bytes.subarray(0, end)).trim();
}

/**
 * Regular files of an uncompressed ustar archive. A name that would lead out of the
 * target folder is an error: the archive is then not the one we know.
 */
export function readTar(archive: Uint8Array): TarEntry[] {
	const entries: TarEntry[] = [];
	for (let at = 0; at + BLOCK <= archive.length; ) {
		const header = archive.subarray(at, at + BLOCK);
		const name = field(header, 0, 100);
		if (name === '') break;
		const size = Number.parseInt(field(header, 124, 12), 8);
		const type = field(header, 156, 1);
		if (!Number.isInteger(size) || at + BLOCK + size > archive.length) throw new Error('tar: cut short');
		if (type === '0' || type === '') {
			if (name.startsWith('/') || name.split('/').includes('..')) throw new Error(`tar: bad name ${name}`);
			const mode = Number.parseInt(field(header, 100, 8), 8) & 0o777;
			entries.push({ name, mode, data: archive.subarray(at + BLOCK, at + BLOCK + size) });
		}
		at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
	}
	return entries;
}
