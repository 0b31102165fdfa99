import fc from 'fast-check';
import { expect, test } from 'vitest';
import { captionRow, createFakeConversation } from '#test/support/fake-conversation.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import {
	createSpokenRows,
	finished,
	litRow,
	nothingSpoken,
	passed,
	type Spoken,
	voice,
} from './spoken-rows.ts';

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

test('an earlier final text of another target does not count as the sentence heard', () => {
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

/** Two seconds at the pace it begins with. */
const SENTENCE = 'x'.repeat(30);

function run(...steps: readonly ((spoken: Spoken) => Spoken)[]): readonly (string | null)[] {
	let spoken = nothingSpoken;
	return steps.map((step) => {
		spoken = step(spoken);
		return litRow(spoken);
	});
}
const final =
	(row: string, at: number, text = SENTENCE) =>
	(spoken: Spoken) =>
		finished(spoken, row, text, at);
const on = (at: number) => (spoken: Spoken) => voice(spoken, true, at);
const off = (at: number) => (spoken: Spoken) => voice(spoken, false, at);
const at = (ms: number) => (spoken: Spoken) => passed(spoken, ms);

test('a sentence is lit from when the voice sets in until it falls silent', () => {
	expect(run(final('a', 0), on(500), off(2500))).toEqual([null, 'a', null]);
});

test('each voice after silence is the next sentence', () => {
	expect(run(final('a', 0), final('b', 100), on(500), off(2500), on(4000))).toEqual([
		null,
		null,
		'a',
		null,
		'b',
	]);
});

test('a voice that goes on without a pause comes to the next sentence when the first must be over', () => {
	expect(run(final('a', 0), final('b', 0), on(0), at(1900), at(2000), at(3900), at(9000))).toEqual([
		null,
		null,
		'a',
		'a',
		'b',
		'b',
		'b',
	]);
});

test('a short pause within a sentence is not its end', () => {
	expect(run(final('a', 0), final('b', 0), on(0), off(500), on(700))).toEqual([null, null, 'a', null, 'a']);
	expect(run(final('a', 0), final('b', 0), on(0), off(300), on(1500))).toEqual([null, null, 'a', null, 'a']);
});

test('the parts of one row are one sentence, as long as both', () => {
	const steps = [final('a', 0), final('a', 0), final('b', 0), on(0), at(3999), at(4000)];
	expect(run(...steps).slice(3)).toEqual(['a', 'a', 'b']);
	// After 3.3 of four seconds it is nearly over.
	expect(run(final('a', 0), final('a', 0), final('b', 0), on(0), at(2000), off(3300), on(3800)).at(-1)).toBe(
		'b',
	);
	// A later part of an earlier row is its own sentence.
	expect(run(final('a', 0), final('b', 0), final('a', 0), on(0), at(2000), at(4000)).slice(3)).toEqual([
		'a',
		'b',
		'a',
	]);
});

test('of twelve that wait the first is heard next; of thirteen it will not be heard any more', () => {
	const waiting = (count: number) => Array.from({ length: count }, (_, index) => final(`r${index}`, 0));
	expect(run(...waiting(12), on(0)).at(-1)).toBe('r0');
	expect(run(...waiting(13), on(0)).at(-1)).toBe('r1');
});

test('another text does not end the sentence that is heard', () => {
	expect(run(final('a', 0), on(0), final('b', 100), at(1999), at(2000))).toEqual([null, 'a', 'a', 'a', 'b']);
});

test.each([
	['silence of 450 ms', [11_400, 11_850], 'b'],
	['a shorter one', [11_400, 11_849], 'a'],
	['one before seven tenths of it', [11_399, 11_849], 'a'],
	['one that lasts until it must be over', [11_000, 12_000], 'b'],
	['one that does not', [11_000, 11_999], 'a'],
] as const)('whether a pause ends a sentence of two seconds: %s', (_, [fromMs, toMs], then) => {
	expect(run(final('a', 0), final('b', 0), on(10_000), off(fromMs), on(toMs)).at(-1)).toBe(then);
});

test('a pause within a sentence moves its end', () => {
	const paused = [final('a', 0), final('b', 0), on(10_000), off(10_500), on(10_700)];
	expect(run(...paused, at(12_199), at(12_200)).slice(-2)).toEqual(['a', 'b']);
});

test('what is said twice changes nothing, nor does time in silence', () => {
	const speaking = on(0)(final('b', 0)(final('a', 0)(nothingSpoken)));
	expect(on(9000)(speaking)).toBe(speaking);
	const silent = off(500)(speaking);
	expect(off(900)(silent)).toBe(silent);
	expect(at(9000)(silent)).toBe(silent);
});

test('a voice that sets in before its text is final lights it as soon as it is', () => {
	expect(run(on(0), final('a', 300))).toEqual([null, 'a']);
});

test('the pace is learned from sentences that stand alone', () => {
	let spoken = nothingSpoken;
	for (let time = 0; time < 60_000; time += 6000) {
		spoken = voice(voice(finished(spoken, `r${time}`, SENTENCE, time), true, time), false, time + 3000);
	}
	expect(spoken.rate).toBeCloseTo(10, 0);
});

test.each([
	[1000, 22.5],
	[999, 15],
	[4000, 11.25],
	[4001, 15],
	[0, 15],
])('a sentence of two seconds that took %i ms makes the pace %d', (ms, rate) => {
	expect(off(7000 + ms)(on(7000)(final('a', 0)(nothingSpoken))).rate).toBeCloseTo(rate, 6);
});

test('a voice that falls silent while another sentence waits says nothing of the pace', () => {
	expect(off(3000)(on(0)(final('b', 0)(final('a', 0)(nothingSpoken)))).rate).toBe(15);
});

test('letters that are syllables take longer', () => {
	const length = (text: string) => {
		const { current } = voice(finished(nothingSpoken, 'a', text, 0), true, 0);
		return (current?.endsMs ?? 0) - (current?.sinceMs ?? 0);
	};
	expect(length('今日は雨')).toBeCloseTo((10 / 15) * 1000, 6);
	expect(length('abcd')).toBeCloseTo((4 / 15) * 1000, 6);
	// Even an empty text takes a little time.
	expect(length('')).toBeCloseTo((1 / 15) * 1000, 6);
});

test('whatever happens, no row is lit in silence, order is kept, and little is remembered', () => {
	const event = fc.record({
		what: fc.constantFrom('final', 'on', 'off', 'tick'),
		afterMs: fc.integer({ min: 0, max: 5000 }),
		length: fc.integer({ min: 0, max: 300 }),
	});
	fc.assert(
		fc.property(fc.array(event, { maxLength: 80 }), (events) => {
			let spoken = nothingSpoken;
			let now = 0;
			let next = 0;
			let last = -1;
			for (const { what, afterMs, length } of events) {
				now += afterMs;
				if (what === 'final') spoken = finished(spoken, String(next++), 'x'.repeat(length), now);
				else if (what === 'tick') spoken = passed(spoken, now);
				else spoken = voice(spoken, what === 'on', now);
				const lit = litRow(spoken);
				if (!spoken.active) expect(lit).toBeNull();
				if (lit !== null) {
					expect(Number(lit)).toBeGreaterThanOrEqual(last);
					last = Number(lit);
				}
				expect(spoken.waiting.length).toBeLessThanOrEqual(12);
				expect(spoken.rate).toBeGreaterThan(0);
			}
		}),
	);
});
