import { expect, test } from 'vitest';
import { detailLines, problemDocument, wordsOf } from './problems.ts';

test('a service that refuses without a time is not asked again in no time', () => {
	expect(wordsOf({ kind: 'rate-limited', retryAfterMs: 0 })).toBe('Too many requests. Try again in 1 s.');
	expect(wordsOf({ kind: 'rate-limited', retryAfterMs: 2400 })).toBe('Too many requests. Try again in 3 s.');
});

test('every record of the service has its line, and is in the document beside the exit status', () => {
	const errors = [
		{ title: 'Unprocessable', detail: 'too short', code: '11', field: 'data.name', status: 422 },
		{ detail: 'unknown', type: 'about:b', instance: '/saas/voice/clone' },
	];
	const problem = { kind: 'no-credit', detail: 'too short', code: '11', errors } as const;
	expect(detailLines({ ...problem, errors: [...errors] })).toEqual([
		'Unprocessable: too short; code 11; field data.name',
		'unknown; type about:b; instance /saas/voice/clone',
	]);
	expect(problemDocument({ ...problem, errors: [...errors] }, 'words', 5)).toEqual({
		kind: 'no-credit',
		message: 'words',
		code: 5,
		errors: [
			{ title: 'Unprocessable', detail: 'too short', error_code: '11', field: 'data.name', status: 422 },
			{ detail: 'unknown', type: 'about:b', instance: '/saas/voice/clone' },
		],
	});
});

test('omits details that the sentence already contains, and changes nothing without records', () => {
	const problem = { kind: 'no-credit', detail: 'top up', code: '11' } as const;
	expect(detailLines({ ...problem, errors: [{ detail: 'top up', code: '11' }] })).toEqual([]);
	expect(detailLines(problem)).toEqual([]);
	expect(problemDocument(problem, 'words', 5)).toEqual({ kind: 'no-credit', message: 'words', code: 5 });
});

test('a refusal whose sentence has no place for what the service said has it in a line', () => {
	const problem = { kind: 'not-found', what: 'read-session' } as const;
	expect(detailLines({ ...problem, errors: [{ detail: 'session not found' }] })).toEqual([
		'session not found',
	]);
});

test.each([
	['talk.srt (EROFS)', ' The folder is read-only for you: name another one.'],
	['ledger: EACCES', ' The folder is read-only for you: name another one.'],
	['ledger: ENOSPC', ' The disk is full: make room.'],
	['talk.wav (EIO)', ''],
])('why something could not be saved is said in words: %s', (what, why) => {
	expect(wordsOf({ kind: 'storage-failed', what })).toBe(
		`This could not be saved to the disk.${why} (${what})`,
	);
});
