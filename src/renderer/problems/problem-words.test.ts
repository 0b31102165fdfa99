import { expect, test } from 'vitest';
import { detailsOf, type Problem } from '#shared/problem.ts';
import { allWords } from '#test/support/all-words.ts';
import { problemSentence, problemWords } from './problem-notice.tsx';

const problems: readonly Problem[] = [
	{ kind: 'service-failed', status: 503, detail: 'busy', code: 'X' },
	{ kind: 'rate-limited', retryAfterMs: 4000 },
	{ kind: 'address-refused', host: 'evil.example' },
	{ kind: 'port-refused', host: 'media.example', port: 6000 },
	{ kind: 'languages-same', language: 'es' },
	{ kind: 'microphone-busy', device: '' },
	{ kind: 'output-missing', device: 'Jabra' },
	{ kind: 'settings-unreadable', keptAs: 'x.broken' },
	{ kind: 'interpreter-silent', afterMs: 20_000 },
	{ kind: 'voice-refused', status: 422, field: 'data.name', detail: 'no', code: '100022' },
	{ kind: 'voice-interrupted', stage: 'upload' },
	{ kind: 'upload-refused', status: 403, detail: 'Access Denied', code: 'AccessDenied' },
	{ kind: 'voices-unreadable', keptAs: 'x.broken' },
];

test.each(['en', 'es', 'ar'] as const)(
	'no sentence has a gap or a placeholder left: %s',
	async (language) => {
		const { t } = (await allWords(language)).shown.getState();
		for (const problem of problems) {
			const words = problemWords(problem, t, language);
			expect(words).not.toMatch(/\{\{|undefined|problem\.|\u2068\u2069/);
			expect(words.length).toBeGreaterThan(10);
		}
	},
);

test.each([
	['en', { kind: 'microphone-busy', device: '' }, 'The microphone is in use by another program.'],
	['de', { kind: 'microphone-busy', device: '' }, 'Das Mikrofon wird von einem anderen Programm verwendet.'],
	['ja', { kind: 'output-missing', device: '' }, '選んだスピーカー が接続されていません。'],
] as const)(
	'in %s a device without a name stands where its sentence can hold it: %o',
	async (language, problem, words) => {
		const { t } = (await allWords(language)).shown.getState();
		expect(problemSentence(problem, t, language)).toBe(words);
	},
);

test('a service that cannot be reached is named, where its address is known', async () => {
	const { t } = (await allWords('en')).shown.getState();
	const problem = { kind: 'service-unreachable', cause: 'ECONNREFUSED' } as const;
	expect(problemWords({ ...problem, host: 'api.example:8443' }, t, 'en')).toMatch(
		/^\u2068api\.example:8443\u2069 cannot be reached/,
	);
	expect(problemWords(problem, t, 'en')).toMatch(/^The service cannot be reached/);
	// Beside a key's field there is no field for the address.
	expect(problemWords({ ...problem, host: 'api.example' }, t, 'en')).not.toContain('Check the address');
});

test('says what the service said, and only if it said something', async () => {
	const { t } = (await allWords('en')).shown.getState();
	expect(problemWords({ kind: 'no-credit', detail: 'top up' }, t, 'en')).toContain(
		'Message from the service: \u2068top up\u2069',
	);
	expect(problemWords({ kind: 'no-credit', detail: '' }, t, 'en')).toBe('The account has no credit left.');
});

test('a sentence beside its details says what is wrong and nothing of what the service said', async () => {
	const { t } = (await allWords('en')).shown.getState();
	const problem = { kind: 'no-credit', detail: 'top up', code: '402001' } as const;
	expect(problemSentence(problem, t, 'en')).toBe('The account has no credit left.');
});

test.each([
	[{ kind: 'no-credit', detail: 'top up', code: '402001' }, [{ detail: 'top up', code: '402001' }]],
	[{ kind: 'no-credit', detail: '' }, []],
	[{ kind: 'task-refused', field: 'a.b', detail: '' }, [{ field: 'a.b' }]],
	[{ kind: 'room-unreachable', reason: 'ICE failed' }, [{ detail: 'ICE failed' }]],
	[{ kind: 'bug', where: 'main' }, [{ detail: 'main' }]],
	[{ kind: 'microphone-denied' }, []],
	[
		{ kind: 'forbidden', detail: 'no', errors: [{ title: 'Forbidden', instance: 'req-1' }] },
		[{ title: 'Forbidden', instance: 'req-1' }],
	],
] satisfies readonly (readonly [Problem, unknown])[])('%j has its details', (problem, details) => {
	expect(detailsOf(problem)).toEqual(details);
});

test('names the code for support, and only if there is one', async () => {
	const { t } = (await allWords('en')).shown.getState();
	const problem = { kind: 'upload-refused', status: 403, detail: '' } as const;
	expect(problemWords({ ...problem, code: 'AccessDenied' }, t, 'en')).toContain(
		'Code for support: \u2068AccessDenied\u2069',
	);
	expect(problemWords(problem, t, 'en')).not.toContain('Code for support');
});

test('a service that refuses without a time is not asked again in no time', async () => {
	const { t } = (await allWords('en')).shown.getState();
	expect(problemWords({ kind: 'rate-limited', retryAfterMs: 0 }, t, 'en')).toMatch(/Try again in 1\s?s/);
});
