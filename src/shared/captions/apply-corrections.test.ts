import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { asCompared, createCorrect, withCorrection, withCorrections, wordsIn } from './apply-corrections.ts';
import { type Correction, MOST_CORRECTIONS } from './corrections.ts';

const one = (wrong: string, right: string, language = 'en'): Correction => ({ language, wrong, right });

describe('a correction', () => {
	test('puts right every whole word, in its language alone', () => {
		const correct = createCorrect([one('Anna', 'Ana')]);
		expect(correct('Anna met Anna’s sister Annabel, Anna.', 'en')).toBe('Ana met Ana’s sister Annabel, Ana.');
		expect(correct('Anna', 'de')).toBe('Anna');
		expect(correct('Anna', 'en-gb')).toBe('Ana');
	});

	test.each([
		['case as written', 'anna ANNA', 'anna ANNA'],
		['accents as written', 'Ánna', 'Ánna'],
		['beside signs', '“Anna”-(Anna)!', '“Ana”-(Ana)!'],
		['at both ends', 'Anna', 'Ana'],
		['nothing', '', ''],
	])('%s', (_, text, expected) => {
		expect(createCorrect([one('Anna', 'Ana')])(text, 'en')).toBe(expected);
	});

	test('of several words goes before that of one of them, and is not corrected once more', () => {
		const correct = createCorrect([
			...[one('York', 'Cork'), one('New', 'Old'), one('New York', 'Newark'), one('Newark', 'x')],
		]);
		expect(correct('New York and York, New Yorkers', 'en')).toBe('Newark and Cork, Old Yorkers');
	});

	test('may be of signs that mean something elsewhere, and may put them there', () => {
		const correct = createCorrect([one('C plus plus', 'C++ ($&)'), one('a.c', 'b')]);
		expect(correct('C plus plus, abc, a.c', 'en')).toBe('C++ ($&), abc, b');
	});

	test('finds an accent however it is encoded', () => {
		expect(createCorrect([one('Jose\u0301', 'José M.', 'es')])('Hola Jos\u00e9 y Jose\u0301.', 'es')).toBe(
			'Hola José M. y José M..',
		);
	});

	test('leaves a text without the word as it is, in its own encoding', () => {
		expect(createCorrect([one('Anna', 'Ana')])('Jose\u0301', 'en')).toBe('Jose\u0301');
	});

	test('from right to left, and where words have no blanks between them', () => {
		expect(createCorrect([one('سامي', 'سمير', 'ar')])('قال سامي: سامية هنا.', 'ar')).toBe(
			'قال سمير: سامية هنا.',
		);
		expect(createCorrect([one('佐藤', '佐東', 'ja')])('佐藤さんと佐藤です。', 'ja')).toBe(
			'佐東さんと佐東です。',
		);
	});

	test('the later of two for the same word holds, and taking it away gives the text back', () => {
		const list = [one('Anna', 'Ana'), one('Anna', 'Hannah')];
		expect(createCorrect(list)('Anna', 'en')).toBe('Hannah');
		expect(createCorrect([])('Anna', 'en')).toBe('Anna');
	});

	test.each(['', 'not a code', '__proto__', 'x-y-z', 'qaa'])(
		'in a language called %j breaks nothing',
		(language) => {
			expect(createCorrect([one('Anna', 'Ana', language)])('Anna', language)).toBe('Ana');
		},
	);
});

describe('the list', () => {
	const en = (...pairs: [string, string][]) => pairs.map(([wrong, right]) => one(wrong, right));

	test('holds one for each word and language', () => {
		const list = withCorrection(en(['Anna', 'Ana'], ['Bob', 'Rob']), one(' Anna ', 'Hannah ', 'en-us'));
		expect(list).toEqual(en(['Bob', 'Rob'], ['Anna', 'Hannah']));
		expect(withCorrection(list ?? [], one('Anna', 'Ana', 'es'))).toHaveLength(3);
	});

	test('a correction of what one has made is done wherever that was made', () => {
		const list = withCorrection(en(['Anna', 'Ana']), one('Ana', 'Hannah')) ?? [];
		expect(createCorrect(list)('Anna, Ana', 'en')).toBe('Hannah, Hannah');
	});

	test('leaves what another language has made of the same word', () => {
		const german = one('Ana', 'Anna', 'de');
		expect(withCorrection([german], one('Anna', 'Hannah'))).toEqual([german, one('Anna', 'Hannah')]);
	});

	test('of words with any gap between them is found with one blank; of no word it does nothing', () => {
		expect(asCompared(' New \n York ')).toBe('New York');
		expect(createCorrect([one('', 'x'), one('New York', 'Newark')])('New York', 'en')).toBe('Newark');
	});

	test('a word that is to be itself again needs none', () => {
		const list = withCorrection(en(['Anna', 'Ana']), one('Ana', 'Anna')) ?? [];
		expect(createCorrect(list)('Anna', 'en')).toBe('Anna');
		expect(withCorrection([], one('Anna', ' Anna'))).toEqual([]);
	});

	test('has an end', () => {
		const most = Array.from({ length: MOST_CORRECTIONS }, (_, n) => one(`w${n}`, `x${n}`));
		expect(withCorrection(most.slice(1), one('Anna', 'Ana'))).toHaveLength(MOST_CORRECTIONS);
		expect(withCorrection(most, one('Anna', 'Ana'))).toBeNull();
		expect(withCorrection(most, one('w7', 'Ana'))).toHaveLength(MOST_CORRECTIONS);
	});
});

test('the words of a text are those a person would press, each once', () => {
	expect(wordsIn('Anna met Anna’s sister, 24.', 'en')).toEqual(['Anna', 'met', 'Anna’s', 'sister', '24']);
	expect(wordsIn('', 'not a code')).toEqual([]);
});

test('whatever the texts are: nothing but the words changes', () => {
	const words = fc.constantFrom(
		'a',
		'b',
		'ab',
		'ba',
		'a b',
		'é',
		'.',
		' ',
		'-',
		'سا',
		'佐',
		'👩‍👧',
		'$&',
		'\\',
	);
	fc.assert(
		fc.property(
			fc.array(words, { maxLength: 12 }),
			fc.array(fc.tuple(words, words), { maxLength: 6 }),
			(parts, list) => {
				const text = parts.join(' ');
				const rules = list
					.filter(([wrong]) => wrong.trim() !== '')
					.map(([wrong, right]) => one(wrong, right));
				const result = createCorrect(rules)(text, 'en');
				if (!rules.some(({ wrong }) => asCompared(text).includes(asCompared(wrong))))
					expect(result).toBe(text);
				const same = createCorrect(rules.map(({ wrong }) => one(wrong, wrong)));
				expect(same(text, 'en')).toBe(text);
			},
		),
	);
});

test('a word that looks like an expression is a word, and costs no more', () => {
	const correct = createCorrect([one('(a+)+$', 'x'), one('[', 'y')]);
	expect(correct(`${'a'.repeat(50_000)}! (a+)+$`, 'en')).toContain('aaa!');
});

test('thousands that begin with the same word cost hardly more than one', () => {
	/** The shortest of several times to correct a sentence, ms. */
	function cost(count: number): number {
		const list = Array.from({ length: count }, (_, n) => one(`Doctor ${n}`, `Dr. ${n}`));
		const correct = createCorrect(list);
		const times = Array.from({ length: 20 }, () => {
			const from = performance.now();
			for (let n = 0; n < 20; n++)
				expect(correct('A doctor, Doctor 0, Doctor Who: Doctor!', 'en')).toContain('Dr. 0');
			return performance.now() - from;
		});
		return Math.min(...times);
	}
	expect(cost(MOST_CORRECTIONS)).toBeLessThan(10 * cost(1));
});

describe('the corrections of a table', () => {
	test('come after those there are; of two for the same words the table’s holds, in any variant of the language', () => {
		const before = [one('Anna', 'Ana'), one('Bob', 'Rob'), one('Anna', 'Anya', 'de')];
		expect(withCorrections(before, [one('Anna', 'Anne', 'en-gb'), one('Bob', 'Bob')])).toEqual([
			...[one('Anna', 'Anya', 'de'), one('Anna', 'Anne', 'en-gb')],
		]);
	});

	test('are taken up to the most there may be', () => {
		const many = Array.from({ length: MOST_CORRECTIONS - 1 }, (_, at) => one(`w${at}`, 'x'));
		expect(withCorrections(many, [one('a', 'x'), one('w0', 'y')])).toHaveLength(MOST_CORRECTIONS);
		expect(withCorrections(many, [one('a', 'x'), one('b', 'x')])).toBeNull();
	});
});
