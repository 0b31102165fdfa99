import { type JsonFault, parseJson } from '#shared/protocol/json.ts';

/** No answer of the session or voice endpoints comes near this (faults 16). */
const MOST_BYTES = 1024 * 1024;

/**
 * `none`: nothing but white space. `unreadable`: `why` is in our words, never the body's; `text` is the body where it is
 * not JSON, `page` where it is a web page.
 */
export type BodyReading =
	| { readonly type: 'json'; readonly value: unknown }
	| { readonly type: 'none' }
	| { readonly type: 'unreadable'; readonly why: string; readonly text?: string; readonly page?: string };

/**
 * Reads a body to the end, at most 1 MiB; beyond it the stream is destroyed. Rejects when the
 * connection breaks; anything else is a reading.
 */
export async function readJsonBody(response: Response): Promise<BodyReading> {
	if (!response.body) return { type: 'none' };
	const reader = response.body.getReader();
	const chunks: Uint8Array[] = [];
	let bytes = 0;
	for (;;) {
		const { done, value } = await reader.read();
		if (done) break;
		bytes += value.byteLength;
		if (bytes > MOST_BYTES) {
			// Not awaited: the other side may never acknowledge.
			reader.cancel().catch(() => {});
			return { type: 'unreadable', why: 'too long' };
		}
		chunks.push(value);
	}
	return parseTolerantly(decode(Buffer.concat(chunks)));
}

/** UTF-8 whatever the header says; UTF-16 if it has a byte order mark; Latin-1 when it is not valid UTF-8. */
function decode(bytes: Buffer): string {
	if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
	if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
	try {
		return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
	} catch {
		return new TextDecoder('windows-1252').decode(bytes);
	}
}

function parseTolerantly(text: string): BodyReading {
	const trimmed = text.replace(/^\uFEFF/, '').trim();
	if (trimmed === '') return { type: 'none' };
	const json = parseJson(trimmed);
	if (json.ok) return { type: 'json', value: json.value };
	if (trimmed.startsWith('<')) return { type: 'unreadable', why: 'a web page', page: trimmed };
	return { type: 'unreadable', why: WHY[json.error], ...(json.error === 'not-json' && { text: trimmed }) };
}

const WHY: Readonly<Record<JsonFault, string>> = {
	'too-large': 'too long',
	'too-deep': 'nested too deep',
	'too-many': 'too much in it',
	'not-json': 'not JSON',
	'not-utf8': 'not JSON',
};
