import { expect, test } from 'vitest';
import { readBareQueueLevel, readBufferStats } from './queue-level.ts';

const level = (current: unknown, max?: unknown) => ({
	current_queue_level_ms: current,
	max_queue_level_ms: max,
});
const many = (count: number) =>
	Object.fromEntries(
		Array.from({ length: count }, (_, index) => [
			`${String.fromCharCode(97 + (index % 26))}${String.fromCharCode(97 + Math.floor(index / 26))}`,
			level(index),
		]),
	);

test.each([
	['nobody waits', {}, []],
	[
		'with and without a limit',
		{ es: level(5, 20_000), FR: level(0) },
		[
			['es', { currentMs: 5, maxMs: 20_000 }],
			['fr', { currentMs: 0, maxMs: null }],
		],
	],
	[
		'no number, or one below nothing',
		{ es: level('5'), fr: level(-1), de: level(Number.NaN), it: level(1, -1) },
		[['it', { currentMs: 1, maxMs: null }]],
	],
	[
		'codes of three parts',
		{ 'zh-hant-tw': level(1), zh_hans: level(2), fil: level(3) },
		[
			['zh-hant-tw', { currentMs: 1, maxMs: null }],
			['zh_hans', { currentMs: 2, maxMs: null }],
			['fil', { currentMs: 3, maxMs: null }],
		],
	],
])('levels of the data channel: %s', (_, message, levels) => {
	expect(readBareQueueLevel(message)).toEqual(new Map(levels as [string, never][]));
});

test.each([
	['a name that is no code', { message: level(1) }],
	['a code with too many parts', { 'zh-hant-tw-x1': level(1) }],
	['a code with a space before it', { ' es': level(1) }],
	['one letter', { e: level(1) }],
	['a value that is no object', { es: 5 }],
	['a list', { es: [level(1)] }],
	['one wrong among right ones', { es: level(1), fr: null }],
])('with %s it is something else', (_, message) => {
	expect(readBareQueueLevel(message)).toBeNull();
});

test('128 languages are levels, one more is not; of statistics the first 128 are read', () => {
	expect(readBareQueueLevel(many(128))?.size).toBe(128);
	expect(readBareQueueLevel(many(129))).toBeNull();
	expect(readBufferStats({ stats: many(128) })?.size).toBe(128);
	expect(readBufferStats({ stats: many(129) })?.size).toBe(128);
});

test('statistics leave out what is no language, and are none without a list of them', () => {
	expect(readBufferStats({ timestamp: 1, stats: { ES: level(7), timestamp: level(1), fr: 'x' } })).toEqual(
		new Map([['es', { currentMs: 7, maxMs: null }]]),
	);
	for (const none of [{}, { stats: null }, { stats: [] }, null, 'x'])
		expect(readBufferStats(none)).toBeNull();
});
