import { readFileSync } from 'node:fs';
import { isText, type PackedFile } from './check.ts';

/** A folder or a file in the header of an archive; `offset` is a decimal string. */
interface Entry {
	readonly files?: Readonly<Record<string, Entry>>;
	readonly size?: number;
	readonly offset?: string;
}

/** Length of the pickle that holds the length of the header (electron/asar, "Format"). */
const SIZE_PICKLE = 8;

/** Every file of an Electron archive; text files with their text. */
export function readAsar(file: string): readonly PackedFile[] {
	const bytes = readFileSync(file);
	const headerBytes = bytes.readUInt32LE(4);
	const letters = bytes.readUInt32LE(SIZE_PICKLE + 4);
	const header = JSON.parse(bytes.toString('utf8', SIZE_PICKLE + 8, SIZE_PICKLE + 8 + letters)) as Entry;
	const content = SIZE_PICKLE + headerBytes;
	const found: PackedFile[] = [];

	function walk(entry: Entry, path: string): void {
		for (const [name, below] of Object.entries(entry.files ?? {})) {
			const full = path === '' ? name : `${path}/${name}`;
			if (below.files) walk(below, full);
			else found.push(read(below, full));
		}
	}
	function read({ size = 0, offset }: Entry, path: string): PackedFile {
		const from = content + Number(offset ?? 0);
		// A file without an offset is stored outside the archive.
		const text = isText(path) && offset !== undefined ? bytes.toString('utf8', from, from + size) : null;
		return { path, size, text };
	}
	walk(header, '');
	return found;
}
