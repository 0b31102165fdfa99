import { describe, expect, test } from 'vitest';
import { dotted, readable, readServiceError, saidInMessage } from './service-error.ts';

const read = (data: unknown) => {
	const { code, text, field } = readServiceError(data);
	return [code, text, field];
};
const UNKNOWN = 'UNKNOWN_ERROR';

describe('the code of an error', () => {
	test.each([
		[{ code: 'NOT_FOUND' }, 'NOT_FOUND'],
		[{ error_code: 'NOT_FOUND' }, 'NOT_FOUND'],
		[{ code: 'A', error_code: 'B' }, 'A'],
		[{ code: 404 }, '404'],
		[{ code: '' }, UNKNOWN],
		[{ code: '<b></b>' }, UNKNOWN],
		[{ code: {} }, UNKNOWN],
		[{}, UNKNOWN],
		[{ code: 'x'.repeat(65) }, 'x'.repeat(64)],
	])('of %j is %s', (data, code) => {
		expect(readServiceError(data)).toMatchObject({ type: 'error', code });
	});
});

describe('the text of an error', () => {
	test.each([
		[{ desc: 'a', msg: 'b', description: 'c', message: 'd', detail: 'e' }, 'a'],
		[{ desc: ' ', msg: 'b', description: 'c' }, 'b'],
		[{ desc: 5, description: 'c', message: 'd' }, 'c'],
		[{ message: 'd', detail: 'e' }, 'd'],
		[{ detail: 'e' }, 'e'],
		['in words', 'in words'],
		[['in a list', 'another'], 'in a list'],
		[{ desc: ['first', 'second'] }, 'first'],
		[{ desc: { msg: 'inner' } }, 'inner'],
		[{ desc: [{ message: 'inner' }] }, 'inner'],
		[{ desc: [{ msg: ' ', detail: 'inner' }] }, 'inner'],
		[{ desc: [5] }, ''],
		[{ desc: [] }, ''],
		[{}, ''],
		[null, ''],
		[{ desc: `x${'y'.repeat(400)}` }, `x${'y'.repeat(299)}`],
		[{ desc: [`x${'y'.repeat(400)}`] }, `x${'y'.repeat(299)}`],
	])('%j says %j', (data, text) => {
		expect(readServiceError(data).text).toBe(text);
	});

	test('is read no further than 20,000 letters', () => {
		const at = (place: number) =>
			readable(`${'<i>'.repeat(Math.floor(place / 3))}${' '.repeat(place % 3)}end`);
		expect(at(5990)).toBe('end');
		expect(at(20_001)).toBe('');
		const loc = (place: number) => read({ desc: `${' '.repeat(place)}loc: ('a', 'b') msg: "no"` })[2];
		expect([loc(19_970), loc(20_000)]).toEqual(['a.b', '']);
		const inList = (place: number) => read({ desc: [`${' '.repeat(place)}loc: ('a', 'b') msg: "no"`] })[2];
		expect([inList(19_970), inList(20_000)]).toEqual(['a.b', '']);
	});
});

describe('the field at fault', () => {
	test.each([
		['a list of names and numbers', ['pipeline', 'translations', 0, 'x'], 'pipeline.translations.0.x'],
		['what wraps a task', ['body', 'data', 'message', 'set_task', 'SetTaskMessage', 'Task', 'x'], 'x'],
		['a wrapper that is all there is', ['body'], 'body'],
		['two of them', ['body', 'data'], 'data'],
		['a wrapper that is an inner name', ['x', 'data'], 'x.data'],
		['what is no name', ['a', null, {}, true, 'b'], 'a.b'],
		['more than sixteen names', Array(20).fill('n'), Array(16).fill('n').join('.')],
		['text', 'a.b', 'a.b'],
		['a long text', 'n'.repeat(300), 'n'.repeat(200)],
		['a long list', Array(10).fill('n'.repeat(30)), Array(10).fill('n'.repeat(30)).join('.').slice(0, 200)],
		['a number', 5, ''],
		['nothing', undefined, ''],
	])('from a path that is %s', (_, loc, field) => {
		expect(dotted(loc)).toBe(field);
	});

	test('is that of the first record that has one', () => {
		expect(
			read({ desc: [{ msg: 'no path' }, { loc: ['a', 1], msg: 'with' }, { loc: ['b'], msg: 'later' }] }),
		).toEqual([UNKNOWN, 'with', 'a.1']);
		expect(read({ desc: { loc: ['a'], msg: 'no' } })).toEqual([UNKNOWN, 'no', 'a']);
	});

	test('is param where no text names one, as plain text', () => {
		expect(read({ desc: 'no', param: 'a<b>.c' })).toEqual([UNKNOWN, 'no', 'a .c']);
		expect(read({ desc: 'no', param: 'n'.repeat(300) })[2]).toBe('n'.repeat(200));
		expect(read({ desc: 'no', param: 5 })[2]).toBe('');
		expect(read({ desc: [{ loc: ['a'], msg: 'no' }], param: 'b' })[2]).toBe('a');
	});

	test.each([
		[
			`{'type': 'x', 'loc': ('pipeline', 'translations', 0, 'target'), 'msg': "It's wrong"}`,
			"It's wrong",
			'pipeline.translations.0.target',
		],
		[`{"loc": ["data", "a"], "msg": "say \\"b\\""}`, 'say \\"b\\"', 'a'],
		[`loc=('a',) msg='it is\\'nt'`, `it is\\'nt`, 'a'],
		[`loc : ( "a" , 2 ) and no more`, `loc : ( "a" , 2 ) and no more`, 'a.2'],
		[
			'1 validation error for Task\nbody.pipeline.x-y\n  Field required [type=missing]',
			'Field required [type=missing]',
			'pipeline.x-y',
		],
		['2 validation errors for Task\n  a.b\n\tFirst\nc\n\tSecond', 'First', 'a.b'],
		[
			'1 validation error for Task\na b\n  Field required',
			'1 validation error for Task a b Field required',
			'',
		],
		['a loc is wrong', 'a loc is wrong', ''],
		[`loc: ${'('}${'x'.repeat(501)})`, `loc: (${'x'.repeat(294)}`, ''],
	])('written in a sentence: %j', (desc, text, field) => {
		expect(read({ desc })).toEqual([UNKNOWN, text, field]);
	});
});

test('as a problem carries it, what is empty is left out', () => {
	const said = (text: string, field: string) => saidInMessage({ type: 'error', code: 'C', text, field });
	expect(said('t', 'f')).toEqual({ code: 'C', errors: [{ code: 'C', detail: 't', field: 'f' }] });
	expect(said('', '')).toEqual({ code: 'C', errors: [{ code: 'C' }] });
});

test('a text for people has no secret, no markup and one line', () => {
	expect(readable('<b>Bearer abcdefgh</b>\n plbr_secret  end')).toBe('Bearer [redacted] [key] end');
});
