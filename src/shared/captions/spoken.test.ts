import fc from 'fast-check';
import { expect, test } from 'vitest';
import { finished, litRow, nothingSpoken, passed, type Spoken, voice } from './spoken.ts';

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

test('letters that are syllables take longer', () => {
	const length = (text: string) => {
		const { current } = voice(finished(nothingSpoken, 'a', text, 0), true, 0);
		return (current?.endsMs ?? 0) - (current?.sinceMs ?? 0);
	};
	expect(length('今日は雨')).toBeGreaterThan(2 * length('abcd'));
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
