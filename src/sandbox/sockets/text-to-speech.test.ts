import fc from 'fast-check';
import { expect, it } from 'vitest';
import { wholeSentences } from './text-to-speech.ts';

it('cuts after the last sentence that is surely over', () => {
	expect(wholeSentences('One. Two! Three')).toEqual({ whole: 'One. Two!', rest: ' Three' });
	expect(wholeSentences('No end yet')).toEqual({ whole: '', rest: 'No end yet' });
	// The sentence may go on: 3.5.
	expect(wholeSentences('It is 3.')).toEqual({ whole: '', rest: 'It is 3.' });
	expect(wholeSentences('おはよう。元気')).toEqual({ whole: 'おはよう。', rest: '元気' });
});

it('loses no text', () => {
	fc.assert(
		fc.property(fc.string({ unit: fc.constantFrom('a', '.', '!', ' ', '。', '?', '"') }), (text) => {
			const { whole, rest } = wholeSentences(text);
			expect(`${whole}${rest}`.replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
		}),
	);
});
