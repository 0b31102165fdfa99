import { expect, test } from 'vitest';
import { captionRow, createFakeConversation } from '#test/support/fake-conversation.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createSpokenRows } from './spoken-rows.ts';

function start(hear: readonly string[] = ['es']) {
	const clock = createManualClock();
	const [mine, theirs] = [createFakeConversation(), createFakeConversation()];
	let voiceOf = 'es';
	const choices = () => ({ hear: [...hear], voiceOf });
	const legs = [
		{ ...mine, choices },
		{ ...theirs, choices: () => null },
	];
	const rows = createSpokenRows({ legs, clock });
	const give = (language: string) => {
		voiceOf = language;
	};
	return { clock, mine, theirs, rows, give, lit: () => rows.store.getState().lit };
}
const sentence = 'x'.repeat(30);
const say = (id: number, final = true) => captionRow(id, ['en', `said ${id}`], [['es', sentence]], final);
const sayIn = (id: number, ...languages: readonly string[]) =>
	captionRow(
		id,
		['en', `said ${id}`],
		languages.map((language) => [language, sentence] as const),
	);

test('the row whose voice is heard is lit, the next one when it must be over, none in silence', () => {
	const { clock, mine, lit } = start();
	mine.show({ phase: 'live' });
	mine.putRow(say(0));
	mine.putRow(say(1));
	expect(lit()).toEqual([]);
	mine.show({ phase: 'live', voiceActive: true });
	expect(lit()).toEqual(['t0']);
	clock.advance(2000);
	expect(lit()).toEqual(['t1']);
	mine.show({ phase: 'live', voiceActive: false });
	expect(lit()).toEqual([]);
	expect(clock.pending).toBe(0);
});

test('an unfinished translation and another language are not what is heard', () => {
	const { mine, lit } = start();
	mine.show({ phase: 'live', voiceActive: true });
	mine.putRow(say(0, false), 0);
	expect(lit()).toEqual([]);
	mine.putRow(captionRow(1, ['en', 'a'], [['de', 'b']].concat([['es', 'c']]) as never), 1);
	expect(lit()).toEqual(['t1']);
});

test('a final of another target that comes first is not what is heard', () => {
	const { clock, mine, lit } = start(['es', 'de']);
	mine.show({ phase: 'live', voiceActive: true });
	mine.putRow(sayIn(0, 'de'));
	expect(lit()).toEqual([]);
	mine.putRow(sayIn(0, 'de', 'es'), 0);
	expect(lit()).toEqual(['t0']);
	mine.putRow(sayIn(1, 'es'));
	clock.advance(2000);
	expect(lit()).toEqual(['t1']);
});

test('the voice moves to another target: rows that were heard are not heard again', () => {
	const { clock, mine, give, lit } = start(['es', 'de']);
	mine.show({ phase: 'live', voiceActive: true });
	for (const id of [0, 1, 2]) {
		mine.putRow(sayIn(id, 'es', 'de'));
		clock.advance(2000);
	}
	expect(lit()).toEqual(['t2']);
	mine.show({ phase: 'live', voiceActive: false });
	clock.advance(1000);
	give('de');
	mine.putRow(sayIn(3, 'es', 'de'));
	mine.show({ phase: 'live', voiceActive: true });
	expect(lit()).toEqual(['t3']);
});

test('a target is found whether or not its region is named', () => {
	const { mine, give, lit } = start(['de', 'es-mx']);
	give('es-mx');
	mine.show({ phase: 'live', voiceActive: true });
	mine.putRow(say(0));
	expect(lit()).toEqual(['t0']);
});

test('both sides may be heard at once', () => {
	const { mine, theirs, lit } = start();
	for (const [leg, id] of [
		[mine, 1],
		[theirs, 2],
	] as const) {
		leg.show({ phase: 'live', voiceActive: true });
		leg.putRow(say(id));
	}
	expect(lit()).toEqual(['t1', 't2']);
});

test('a caption costs the same after ten thousand', () => {
	const { mine } = start();
	mine.show({ phase: 'live', voiceActive: true });
	let reads = 0;
	const { row } = mine.captions;
	Object.assign(mine.captions, {
		row(index: number) {
			reads += 1;
			return row(index);
		},
	});
	for (let id = 0; id < 10_000; id++) mine.putRow(say(id));
	reads = 0;
	mine.putRow(say(10_000));
	expect(reads).toBe(8);
});

test('cleared or ended, nothing is lit, and what waited is forgotten', () => {
	const { mine, lit } = start();
	mine.putRow(say(0));
	mine.captions.clear();
	mine.show({ phase: 'live', voiceActive: true });
	expect(lit()).toEqual([]);
	mine.putRow(say(1));
	expect(lit()).toEqual(['t1']);
	mine.show({ phase: 'idle' });
	expect(lit()).toEqual([]);
});
