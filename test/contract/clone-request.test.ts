import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkClone } from '#sandbox/api/voices.ts';
import { CloneRequest, SAMPLE_LANGUAGES, SAMPLE_TYPES } from '#shared/protocol/cloned-voice.ts';

/* The specification of a clone request is implemented twice, in the client and in the sandbox; both must agree. */

const anyText = fc.oneof(
	fc.string({ maxLength: 4 }),
	fc.string({ unit: 'grapheme', maxLength: 70 }),
	fc.stringMatching(/^[\w\-. ()'"]{0,70}$/),
	fc.constantFrom('Голос', 'صوتي', '声音', 'नमस्ते', '𝒜𝒷', 'a\n', 'e\u0301e', '٣٣٣'),
);
const anything = fc.oneof(fc.constantFrom(null, 1, true, {}, []), anyText);
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined, freq: 3 });
const nearly = (value: fc.Arbitrary<unknown>) => fc.oneof({ weight: 9, arbitrary: value }, anything);

const sample = fc.record({
	filename: nearly(anyText),
	mime_type: nearly(fc.constantFrom(...SAMPLE_TYPES, 'audio/ogg')),
	lang_code: nearly(fc.constantFrom(...SAMPLE_LANGUAGES, 'xx', 'EN')),
	item_id: nearly(fc.string({ maxLength: 40 })),
	display_name: maybe(anyText),
	denoise: maybe(fc.boolean()),
});
const body = fc.record({
	data: fc.record({
		name: nearly(anyText),
		samples: fc.array(sample, { minLength: 1, maxLength: 1 }),
		labels: maybe(fc.record({ gender: maybe(anyText) })),
		attributes: maybe(fc.array(anyText)),
		skip_external_voice: maybe(fc.boolean()),
	}),
});

describe('client and sandbox read the same specification of a voice', () => {
	test('languages and types are the same, one by one', () => {
		const request = (about: object) => ({
			data: {
				name: 'Ana',
				samples: [{ filename: 'a.wav', mime_type: 'audio/wav', lang_code: 'en', ...about }],
			},
		});
		const taken = (about: object) => 'order' in checkClone(request(about), false);
		expect(SAMPLE_LANGUAGES.filter((code) => !taken({ lang_code: code }))).toEqual([]);
		expect(SAMPLE_TYPES.filter((type) => !taken({ mime_type: type }))).toEqual([]);
	});

	test('whatever the client may say, the sandbox takes', () => {
		let taken = 0;
		fc.assert(
			fc.property(body, (request) => {
				if (!CloneRequest.safeParse(request).success) return;
				taken += 1;
				expect(checkClone(request, false)).toMatchObject({ order: { name: request.data.name } });
			}),
			{ numRuns: 2000 },
		);
		expect(taken).toBeGreaterThan(20);
	});

	test('an ASCII name or filename is fit for both or for neither; of others the client takes no more', () => {
		const fits = (about: { name?: string; filename?: string }) => {
			const { name = 'Ana', filename = 'a.wav' } = about;
			const samples = [{ filename, mime_type: 'audio/wav', lang_code: 'en', item_id: '1' }];
			const request = { data: { name, samples } };
			return {
				client: CloneRequest.safeParse(request).success,
				sandbox: 'order' in checkClone(request, false),
			};
		};
		fc.assert(
			fc.property(anyText, (text) => {
				for (const { client, sandbox } of [fits({ name: text }), fits({ filename: text })]) {
					if (/^\p{ASCII}*$/u.test(text)) expect(client).toBe(sandbox);
					else if (client) expect(sandbox).toBe(true);
				}
			}),
			{ numRuns: 1000, examples: [['𝒜𝒷'], ['a\n'], ['abc\n'], ['x'.repeat(64)], ['x'.repeat(65)]] },
		);
	});
});
