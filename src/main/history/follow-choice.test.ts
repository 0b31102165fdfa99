import { expect, test } from 'vitest';
import { followChoice } from '#main/app/follow-changes.ts';

test('only another choice is told, not every setting', () => {
	let values: { history: 'ask' | 'days'; historyDays: number } = { history: 'ask', historyDays: 30 };
	let heard: () => void = () => {};
	let told = 0;
	const end = followChoice(
		{
			values: () => values,
			listen(tell) {
				heard = tell;
				return () => {
					heard = () => {};
				};
			},
		},
		{ choiceChanged: () => void told++ },
	);
	heard();
	expect(told).toBe(0);
	values = { history: 'days', historyDays: 30 };
	heard();
	heard();
	expect(told).toBe(1);
	values = { history: 'days', historyDays: 7 };
	heard();
	expect(told).toBe(2);
	end();
	values = { history: 'ask', historyDays: 7 };
	heard();
	expect(told).toBe(2);
});
