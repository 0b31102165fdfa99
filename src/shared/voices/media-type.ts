import type { SampleType } from '#shared/protocol/cloned-voice.ts';
import { isWav } from '#shared/sound/wav.ts';

/** How many bytes `sniffMedia` needs from the beginning of a file. */
export const MEDIA_HEAD_BYTES = 4096;

/** Extensions by type; the first is used for writing. */
const ENDINGS: Partial<Readonly<Record<SampleType, readonly string[]>>> = {
	'audio/wav': ['wav', 'wave'],
	'audio/mpeg': ['mp3', 'mpga'],
	'audio/x-m4a': ['m4a', 'm4b'],
	'audio/flac': ['flac'],
	'video/webm': ['webm', 'weba'],
	'video/mp4': ['mp4', 'm4v', 'mov'],
	'video/mpeg': ['mpeg', 'mpg'],
};

/** Extensions of all files from which a voice can be made, for a file dialog. */
export const SAMPLE_ENDINGS: readonly string[] = Object.values(ENDINGS)
	.flat()
	.filter((ending) => ending !== 'mov');

/**
 * Detects a file's type by its first bytes; the name decides only if a container is used for both sound and
 * film. Null = no type that the service accepts.
 */
export function sniffMedia(head: Uint8Array, name: string): SampleType | null {
	const text = (at: number, length: number) => String.fromCharCode(...head.subarray(at, at + length));
	if (isWav(head)) return 'audio/wav';
	if (text(0, 4) === 'fLaC') return 'audio/flac';
	if (text(4, 4) === 'ftyp') return mp4Type(text(8, 4), name);
	if (isAt(head, 0, [0x1a, 0x45, 0xdf, 0xa3])) return text(0, 64).includes('webm') ? 'video/webm' : null;
	if (isAt(head, 0, [0, 0, 1, 0xba]) || isAt(head, 0, [0, 0, 1, 0xb3])) return 'video/mpeg';
	if (text(0, 3) === 'ID3') return endingOf(name) === 'flac' ? 'audio/flac' : 'audio/mpeg';
	return isMpegFrame(head) ? 'audio/mpeg' : null;
}

function mp4Type(brand: string, name: string): SampleType | null {
	// QuickTime uses the same container, but is not in the service's list.
	if (brand === 'qt  ') return null;
	const isSound = /^M4[AB] /.test(brand) || ['m4a', 'm4b'].includes(endingOf(name));
	return isSound ? 'audio/x-m4a' : 'video/mp4';
}

/** Eleven sync bits, then a layer: 0 would be AAC, which the service does not list. */
function isMpegFrame(head: Uint8Array): boolean {
	const [first = 0, second = 0, third = 0] = head;
	if (first !== 0xff || (second & 0xe0) !== 0xe0) return false;
	const isVersion = (second & 0x18) !== 0x08;
	const isLayer = (second & 0x06) !== 0;
	return isVersion && isLayer && (third & 0xf0) !== 0xf0 && (third & 0x0c) !== 0x0c;
}

function isAt(head: Uint8Array, at: number, bytes: readonly number[]): boolean {
	return bytes.every((byte, index) => head[at + index] === byte);
}

function endingOf(name: string): string {
	return /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
}

/**
 * A name that the service accepts (ASCII, 3 to 255) for a file called `name`, with the extension of its type.
 */
export function sampleFilename(name: string, type: SampleType): string {
	const endings = ENDINGS[type] ?? [];
	const ending = endingOf(name);
	const stem = endings.includes(ending) ? name.slice(0, -ending.length - 1) : name;
	const plain = stem
		.normalize('NFKD')
		.replace(/\p{M}/gu, '')
		.replace(/[^\w\-. '"()]+/g, '_')
		.replace(/_{2,}/g, '_')
		.replace(/^[_\s.]+|[_\s.]+$/g, '')
		.slice(0, 200);
	const written = endings.includes(ending) ? ending : (endings[0] ?? 'bin');
	return `${plain === '' ? 'sample' : plain}.${written}`;
}
