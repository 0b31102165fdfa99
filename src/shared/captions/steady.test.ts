import fc from 'fast-check';
import { expect, test } from 'vitest';
import { firstVersion, nextVersion, type Steady, splitSteady } from './steady.ts';

const versions = fc.array(
	fc.oneof(
		fc.string({ unit: fc.constantFrom('a', 'b', ' ', '好', 'ا', '😀', 'é', '\u0301') }),
		fc.string({ unit: 'grapheme' }),
	),
	{ minLength: 1, maxLength: 12 },
);

function run(texts: readonly string[], final = false): readonly Steady[] {
	const [first = '', ...rest] = texts;
	const all = [firstVersion(first, final && rest.length === 0)];
	rest.forEach((text, index) => {
		const before = all.at(-1);
		if (before) all.push(nextVersion(before, text, final && index === rest.length - 1));
	});
	return all;
}

/** As shown when each version simply replaces the one before it. */
function plainErasure(texts: readonly string[]): number {
	let erased = 0;
	for (const [index, text] of texts.entries()) {
		const before = texts[index - 1] ?? '';
		let same = 0;
		while (same < before.length && before[same] === text[same]) same++;
		erased += before.length - same;
	}
	return erased;
}

test('what is agreed is steady, word by word, and the rest is not', () => {
	const [first, second, third] = run(['I want', 'I want to go', 'I want to grow up']);
	expect(first).toMatchObject({ shown: 'I want', steady: 0 });
	expect(second?.shown.slice(0, second.steady)).toBe('I want');
	expect(third?.shown.slice(0, third.steady)).toBe('I want to ');
});

test('words that are only taken back stay until something takes their place', () => {
	const [, , shorter, other] = run(['I want', 'I want to go', 'I want', 'I want a cake']);
	expect(shorter).toMatchObject({ shown: 'I want to go', steady: 6, erased: 0 });
	expect(other).toMatchObject({ shown: 'I want a cake', erased: 5 });
});

test('the space between what stands and what is uncertain belongs to what stands', () => {
	expect(splitSteady('I want to go', 6)).toEqual(['I want ', 'to go']);
	expect(splitSteady('I want to go', 7)).toEqual(['I want ', 'to go']);
	expect(splitSteady('to go ', 6)).toEqual(['to go ', '']);
	expect(splitSteady('to go ', 0)).toEqual(['', 'to go ']);
});

test('a final counts what it took back, also of what was left standing', () => {
	expect(run(['I want to go', 'I want', 'I want cake'], true).at(-1)?.erased).toBe(5);
});

test('a word of which only the beginning is agreed is not steady, nor a letter without its mark', () => {
	expect(run(['I wander', 'I want'])[1]?.steady).toBe(2);
	expect(run(['wander', 'want'])[1]?.steady).toBe(0);
	expect(run(['a 今日e', 'a 今日e\u0301'])[1]?.steady).toBe(4);
	expect(run(['日', '日\u0301本'])[1]?.steady).toBe(0);
	expect(run(['本日', '本日\u0301本'])[1]?.steady).toBe(1);
});

test('of two letters that begin with the same half neither is steady', () => {
	const [, other] = run(['好😀', '好😁']);
	expect([other?.steady, other?.erased]).toEqual([1, 2]);
});

test('in a language without spaces every letter counts', () => {
	const [, second] = run(['今日は', '今日は雨']);
	expect(second?.steady).toBe(3);
});

test('a final is shown exactly, all of it steady', () => {
	fc.assert(
		fc.property(versions, (texts) => {
			const text = texts.at(-1) ?? '';
			expect(run(texts, true).at(-1)).toMatchObject({ shown: text, steady: text.length });
		}),
	);
});

test('what is steady stood there before, in this version and in the one before it', () => {
	fc.assert(
		fc.property(versions, (texts) => {
			const all = run(texts);
			for (const [index, { shown, steady, text }] of all.entries()) {
				const part = shown.slice(0, steady);
				expect(text.startsWith(part)).toBe(true);
				if (index > 0) {
					expect((texts[index - 1] ?? '').startsWith(part)).toBe(true);
					expect(all[index - 1]?.shown.startsWith(part)).toBe(true);
				} else expect(steady).toBe(0);
			}
		}),
	);
});

test('never more is erased than by showing each version as it comes', () => {
	fc.assert(
		fc.property(versions, fc.boolean(), (texts, final) => {
			const slack = texts.length; // half of a surrogate pair counts with its other half
			expect(run(texts, final).at(-1)?.erased ?? 0).toBeLessThanOrEqual(plainErasure(texts) + slack);
		}),
	);
});

test('no letter is cut in two', () => {
	fc.assert(
		fc.property(versions, (texts) => {
			for (const { shown, steady } of run(texts)) {
				expect(shown.slice(0, steady).isWellFormed()).toBe(true);
				expect(shown.slice(steady).isWellFormed()).toBe(true);
			}
		}),
	);
});
