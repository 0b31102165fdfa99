/** What a form is made of, in the order in which it came. */
export type FormPart =
	| { readonly kind: 'field'; readonly name: string; readonly value: string }
	| {
			readonly kind: 'file';
			readonly name: string;
			readonly type: string;
			readonly bytes: number;
			readonly head: Buffer;
	  };

export interface FormReader {
	/** Returns what is wrong with the form so far, or null. */
	push(chunk: Buffer): string | null;
	/** The whole form, or what is wrong with it. */
	end(): readonly FormPart[] | string;
}

const CRLF2 = Buffer.from('\r\n\r\n');
/** Limit for a part's header lines and for a field's value, bytes. */
const TEXT_LIMIT = 65_536;
/** How much of a file is kept, to see what kind it is. */
const HEAD_BYTES = 32;

/** The boundary between the parts of a form; null when the type is not that of a form. */
export function boundaryOf(contentType: string): string | null {
	const found = /^multipart\/form-data\s*;.*?\bboundary=(?:"([^"]+)"|([^\s;]+))/i.exec(contentType);
	const mark = found?.[1] ?? found?.[2] ?? '';
	return mark === '' || mark.length > 70 ? null : mark;
}

/**
 * Reads `multipart/form-data` as it arrives (RFC 7578), in pieces of any size. The bytes of a file are
 * counted, not kept.
 */
export function createFormReader(contentType: string): FormReader | string {
	const mark = boundaryOf(contentType);
	if (mark === null) return 'the body is not multipart/form-data';
	const delimiter = Buffer.from(`\r\n--${mark}`);
	const parts: FormPart[] = [];
	// The first delimiter has no line before it.
	let rest: Buffer = Buffer.from('\r\n');
	let state: 'preamble' | 'after-delimiter' | 'headers' | 'body' | 'done' = 'preamble';
	let current: {
		name: string;
		isFile: boolean;
		type: string;
		bytes: number;
		kept: Buffer[];
		keptBytes: number;
	} | null = null;
	let wrong: string | null = null;

	function keep(bytes: Buffer): void {
		if (!current) return;
		current.bytes += bytes.length;
		const limit = current.isFile ? HEAD_BYTES : TEXT_LIMIT + 1;
		const room = Math.max(0, limit - current.keptBytes);
		if (room === 0) return;
		const kept = Buffer.from(bytes.subarray(0, room));
		current.kept.push(kept);
		current.keptBytes += kept.length;
	}

	function finishPart(): void {
		if (!current) return;
		const head = Buffer.concat(current.kept);
		const { name, isFile, type, bytes } = current;
		if (isFile) parts.push({ kind: 'file', name, type, bytes, head: head.subarray(0, HEAD_BYTES) });
		else if (bytes > TEXT_LIMIT) wrong = `the field ${name} is too long`;
		else parts.push({ kind: 'field', name, value: head.toString('utf8') });
		current = null;
	}

	function beginPart(headers: string): void {
		const disposition = /^content-disposition:\s*form-data\b(.*)$/im.exec(headers)?.[1] ?? '';
		const name = /;\s*name="((?:[^"\\]|\\.)*)"/i.exec(disposition)?.[1];
		if (name === undefined) {
			wrong = 'a part has no name';
			return;
		}
		const type = /^content-type:\s*([^\s;]+)/im.exec(headers)?.[1] ?? '';
		const isFile = /;\s*filename\*?=/i.test(disposition);
		current = { name: unescaped(name), isFile, type, bytes: 0, kept: [], keptBytes: 0 };
	}

	/** Up to the next delimiter; false when that has not come yet. */
	function readBody(): boolean {
		const at = rest.indexOf(delimiter);
		const upTo = at < 0 ? Math.max(0, rest.length - delimiter.length) : at;
		if (state === 'body') keep(rest.subarray(0, upTo));
		rest = rest.subarray(at < 0 ? upTo : at + delimiter.length);
		if (at < 0) return false;
		if (state === 'body') finishPart();
		state = 'after-delimiter';
		return true;
	}

	/** The line break stays: it belongs to the end of the headers when there are none. */
	function readDelimiter(): boolean {
		if (rest.length < 2) return false;
		const next = rest.subarray(0, 2).toString();
		if (next !== '--' && next !== '\r\n') wrong = 'a delimiter has no line of its own';
		state = next === '--' ? 'done' : 'headers';
		return true;
	}

	function readHeaders(): boolean {
		const at = rest.indexOf(CRLF2);
		if (at < 0) {
			if (rest.length > TEXT_LIMIT) wrong = 'the headers of a part are too long';
			return false;
		}
		beginPart(rest.subarray(2, at).toString('utf8'));
		rest = rest.subarray(at + CRLF2.length);
		state = 'body';
		return true;
	}

	/** One step; false when more bytes are needed. */
	function step(): boolean {
		if (state === 'done') rest = rest.subarray(rest.length);
		if (state === 'preamble' || state === 'body') return readBody();
		if (state === 'after-delimiter') return readDelimiter();
		return state === 'headers' && readHeaders();
	}

	return {
		push(chunk) {
			rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
			while (wrong === null && step());
			return wrong;
		},
		end: () => wrong ?? (state === 'done' ? parts : 'the form has no end'),
	};
}

function unescaped(name: string): string {
	return name.replace(/%22/g, '"').replace(/\\(.)/g, '$1');
}
