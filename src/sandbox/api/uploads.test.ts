import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFormReader, type FormPart } from './uploads.ts';

const TYPE = 'multipart/form-data; boundary=x-mark';

/** Reads a form cut into pieces at these places; gives a sentence when something is wrong with it. */
function readForm(body: Buffer, cuts: readonly number[], type = TYPE): readonly FormPart[] | string {
	const reader = createFormReader(type);
	if (typeof reader === 'string') return reader;
	const places = [...cuts.map((cut) => cut % (body.length + 1)), body.length].sort((a, b) => a - b);
	let from = 0;
	for (const to of places) {
		reader.push(body.subarray(from, to));
		from = to;
	}
	return reader.end();
}

function written(fields: readonly (readonly [string, string])[], file: Uint8Array, mark = 'x-mark'): Buffer {
	const head = fields.map(
		([name, value]) => `--${mark}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
	);
	const start = `--${mark}\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\nContent-Type: audio/wav\r\n\r\n`;
	return Buffer.concat([Buffer.from(head.join('') + start), file, Buffer.from(`\r\n--${mark}--\r\n`)]);
}

/** Pieces that look like delimiters but are not. */
const tempting = fc.constantFrom(
	'\r\n',
	'--',
	'\r\n--',
	'\r\n--x-mar',
	'\r\n-x-mark',
	'--x-mark--',
	'\0',
	'\r',
);
const content = fc
	.array(fc.oneof(tempting, fc.string({ unit: 'grapheme' })), { maxLength: 8 })
	.map((pieces) => pieces.join(''))
	.filter((text) => !`\r\n${text}\r\n`.includes('\r\n--x-mark'));
const name = fc.stringMatching(/^[\w-]{1,12}$/);
const cuts = fc.array(fc.nat(), { maxLength: 24 });

describe('the reader of forms', () => {
	it('reads whatever is in a form the same, whatever pieces it comes in', () => {
		fc.assert(
			fc.property(fc.array(fc.tuple(name, content), { maxLength: 4 }), content, cuts, (fields, text, at) => {
				const file = Buffer.from(text);
				expect(readForm(written(fields, file), at)).toEqual([
					...fields.map(([field, value]) => ({ kind: 'field', name: field, value })),
					{
						kind: 'file',
						name: 'file',
						type: 'audio/wav',
						bytes: file.length,
						head: file.subarray(0, 32),
					},
				]);
			}),
		);
	});

	it('says what is wrong with anything else, and never throws', () => {
		fc.assert(
			fc.property(fc.uint8Array({ maxLength: 200 }), cuts, (bytes, at) => {
				const read = readForm(Buffer.from(bytes), at);
				if (typeof read !== 'string') expect(read).toEqual([]);
			}),
		);
		const whole = written([['key', 'value']], Buffer.from('sound'));
		fc.assert(
			fc.property(fc.nat({ max: whole.length - 5 }), cuts, (length, at) => {
				expect(typeof readForm(whole.subarray(0, length), at)).toBe('string');
			}),
		);
	});

	it.each([
		['text/plain', 'not multipart'],
		['multipart/form-data', 'not multipart'],
		[`multipart/form-data; boundary=${'x'.repeat(71)}`, 'not multipart'],
	])('takes no %s', (type, says) => {
		expect(readForm(Buffer.from(''), [], type)).toContain(says);
	});

	it('takes a mark in quotes, with spaces', () => {
		const form = written([], Buffer.from('x'), 'a b');
		expect(readForm(form, [], 'multipart/form-data; charset=utf-8; boundary="a b"')).toHaveLength(1);
	});

	it('refuses parts without a name, and fields and headers without end', () => {
		const nameless = Buffer.from('--x-mark\r\nContent-Type: text/plain\r\n\r\nx\r\n--x-mark--\r\n');
		expect(readForm(nameless, [])).toBe('a part has no name');
		expect(readForm(written([['key', 'x'.repeat(70_000)]], Buffer.from('')), [])).toBe(
			'the field key is too long',
		);
		expect(readForm(Buffer.from(`--x-mark\r\n${'X: y\r\n'.repeat(20_000)}`), [])).toContain('headers');
	});
});
