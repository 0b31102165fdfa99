import { expect, test } from 'vitest';
import { createManualClock } from '#test/support/manual-clock.ts';
import { NotHere, SmokeReport, takeSmoke } from './report.ts';

test('what works says what was seen, what throws says why, and what is not there is no failure', async () => {
	const rows = await takeSmoke(
		[
			{ name: 'works', look: () => 'it is there' },
			{ name: 'works late', look: async () => 'it came' },
			{
				name: 'fails',
				look() {
					throw new Error('it is broken');
				},
			},
			{ name: 'fails late', look: () => Promise.reject('a word') },
			{ name: 'is not there', look: () => Promise.reject(new NotHere('no such thing')) },
			{
				name: 'is not in the stand-in',
				look() {
					throw new Error('not in the stand-in: Menu.getApplicationMenu');
				},
			},
		],
		createManualClock(),
	);
	expect(rows).toEqual([
		{ name: 'works', state: 'yes', seen: 'it is there' },
		{ name: 'works late', state: 'yes', seen: 'it came' },
		{ name: 'fails', state: 'no', seen: 'it is broken' },
		{ name: 'fails late', state: 'no', seen: 'a word' },
		{ name: 'is not there', state: 'not here', seen: 'no such thing' },
		{
			name: 'is not in the stand-in',
			state: 'not here',
			seen: 'not in the stand-in: Menu.getApplicationMenu',
		},
	]);
	expect(SmokeReport.parse(JSON.parse(JSON.stringify(rows)))).toEqual(rows);
});

test('a check that never answers is a failure after 15 s, and the next one is asked', async () => {
	const clock = createManualClock();
	const taken = takeSmoke(
		[
			{ name: 'hangs', look: () => new Promise(() => {}) },
			{ name: 'works', look: () => 'it is there' },
		],
		clock,
	);
	let isDone = false;
	void taken.then(() => {
		isDone = true;
	});
	await clock.run(14_999);
	expect(isDone).toBe(false);
	await clock.run(1);
	expect((await taken).map(({ name, state }) => [name, state])).toEqual([
		['hangs', 'no'],
		['works', 'yes'],
	]);
	expect(clock.pending).toBe(0);
});
