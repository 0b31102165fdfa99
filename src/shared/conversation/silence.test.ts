import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
	NAMED_WITHIN_MS,
	noSigns,
	type Sign,
	type Signs,
	type SilentStage,
	sign,
	silentStage,
} from './silence.ts';

/** Simulates a leg second by second. */
function createDay(first: Partial<Signs> = {}) {
	let signs: Signs = { ...noSigns, ...first };
	let nowMs = 0;
	let sent = 0;
	const said: (SilentStage | null)[] = [];
	const take = (what: Sign) => {
		signs = sign(signs, what, nowMs);
	};
	take({ type: 'source', open: true });
	take({ type: 'live', live: true });
	return {
		take,
		said,
		/** A tenth of a second, with its signs. */
		tick({ sound = true, speech = false, packets = true, heard = [] as readonly Sign[] } = {}) {
			nowMs += 100;
			take({ type: 'level', sound, speech, ms: 100 });
			for (const what of heard) take(what);
			if (nowMs % 1000 !== 0) return;
			const before = sent;
			if (packets) sent += 50;
			take({ type: 'packets', sent, before });
			said.push(silentStage(signs, nowMs));
		},
		stage: () => silentStage(signs, nowMs),
	};
}

type Day = ReturnType<typeof createDay>;
type Tick = Parameters<Day['tick']>[0];

function live(day: Day, ms: number, tick: Tick = {}): void {
	for (let at = 0; at < ms; at += 100) day.tick(tick);
}

/** A phrase that goes well: spoken, understood, translated, heard. */
function phrase(day: Day, ms: number): void {
	live(day, ms / 2, { speech: true });
	live(day, ms / 2, { speech: true, heard: [{ type: 'transcript' }] });
	day.tick({ heard: [{ type: 'transcript' }, { type: 'translation' }] });
	live(day, 800);
	day.tick({ heard: [{ type: 'voice-active', active: true }] });
	live(day, ms);
	day.tick({ heard: [{ type: 'voice-active', active: false }] });
}

describe('within eight seconds the silent stage is named', () => {
	const speaking: Tick = { speech: true };
	const cases: readonly [string, SilentStage, (day: Day) => void, Partial<Signs>?][] = [
		['a microphone that gives nothing', 'microphone', (day) => live(day, NAMED_WITHIN_MS, { sound: false })],
		['sound, but nobody speaks at the beginning', 'speech', (day) => live(day, NAMED_WITHIN_MS)],
		['no packets leave', 'packets', (day) => live(day, NAMED_WITHIN_MS, { packets: false })],
		['speech is sent and no words come back', 'transcript', (day) => live(day, NAMED_WITHIN_MS, speaking)],
		[
			'words come back and no voice',
			'voice',
			(day) => {
				live(day, 1000, speaking);
				day.tick({ heard: [{ type: 'transcript' }, { type: 'translation' }] });
				live(day, NAMED_WITHIN_MS);
			},
		],
		[
			'words come back and the line has no room for the voice',
			'line',
			(day) => {
				live(day, 1000, speaking);
				const heard: readonly Sign[] = [
					{ type: 'transcript' },
					{ type: 'translation' },
					{ type: 'wants-voice', wants: true, held: true },
				];
				day.tick({ heard });
				live(day, NAMED_WITHIN_MS);
			},
		],
		[
			'the voice speaks at volume 0',
			'output',
			(day) => phrase(day, 3000),
			{ outputOff: 'volume', outputOffMs: 0 },
		],
		[
			'somebody speaks into the muted microphone',
			'muted',
			(day) => {
				day.take({ type: 'muted', muted: true });
				live(day, 500, { sound: false });
				day.take({ type: 'spoke-while-muted' });
			},
		],
		[
			'the microphone dies in the middle of a conversation',
			'microphone',
			(day) => {
				phrase(day, 3000);
				live(day, NAMED_WITHIN_MS, { sound: false });
			},
		],
		[
			'the interpreter dies in the middle of a conversation',
			'transcript',
			(day) => {
				phrase(day, 3000);
				live(day, 20_000);
				live(day, NAMED_WITHIN_MS, speaking);
			},
		],
	];
	it.each(cases)('%s: %s', (_, stage, happen, first) => {
		const day = createDay(first);
		happen(day);
		expect(day.stage()).toBe(stage);
	});
});

describe('nothing is said', () => {
	it('of a voice that was held back, once it may come again', () => {
		const day = createDay();
		live(day, 1000, { speech: true });
		const held = (is: boolean): Sign => ({ type: 'wants-voice', wants: true, held: is });
		day.tick({ heard: [{ type: 'transcript' }, { type: 'translation' }, held(true)] });
		live(day, NAMED_WITHIN_MS);
		day.take(held(false));
		live(day, NAMED_WITHIN_MS);
		expect(day.stage()).toBeNull();
	});

	it('of the line, where nobody wants a voice', () => {
		const day = createDay();
		phrase(day, 3000);
		day.take({ type: 'wants-voice', wants: false, held: true });
		expect(day.stage()).toBeNull();
	});

	it('in any conversation that goes well, however long its pauses', () => {
		fc.assert(
			fc.property(
				fc.array(
					fc.record({
						phraseMs: fc.integer({ min: 5, max: 120 }),
						pauseMs: fc.integer({ min: 0, max: 900 }),
					}),
					{
						minLength: 1,
						maxLength: 8,
					},
				),
				(phrases) => {
					const day = createDay();
					for (const { phraseMs, pauseMs } of phrases) {
						phrase(day, phraseMs * 100);
						live(day, pauseMs * 100);
					}
					expect(day.said.filter((stage) => stage !== null)).toEqual([]);
				},
			),
			{ numRuns: 30 },
		);
	});

	it('about coughs and slammed doors, which are no speech', () => {
		const day = createDay();
		phrase(day, 2000);
		for (let times = 0; times < 20; times += 1) {
			live(day, 400, { speech: true });
			live(day, 6000);
		}
		expect(day.said.filter((stage) => stage !== null)).toEqual([]);
	});

	it('while it is paused, muted in silence, or not live', () => {
		const paused = createDay();
		paused.take({ type: 'live', live: false });
		live(paused, 60_000, { sound: false, packets: false });
		const muted = createDay();
		muted.take({ type: 'muted', muted: true });
		live(muted, 60_000, { sound: false });
		expect([...paused.said, ...muted.said].filter((stage) => stage !== null)).toEqual([]);
	});

	it('about a computer that plays nothing', () => {
		const day = createDay({ source: 'system' });
		live(day, 60_000, { sound: false });
		expect(day.said.filter((stage) => stage !== null)).toEqual([]);
	});

	it('about a voice that was turned off while it ran, or that nobody wants', () => {
		const turnedOff = createDay();
		phrase(turnedOff, 2000);
		turnedOff.take({ type: 'output', off: 'volume' });
		phrase(turnedOff, 2000);
		expect(turnedOff.stage()).toBeNull();
		const unwanted = createDay({ wantsVoice: false });
		live(unwanted, 2000, { speech: true, heard: [{ type: 'transcript' }, { type: 'translation' }] });
		live(unwanted, 30_000);
		expect(unwanted.stage()).toBeNull();
	});
});

it('what came right is not said any more, and each stage only when those before it give something', () => {
	const any = fc.record({ sound: fc.boolean(), speech: fc.boolean(), packets: fc.boolean() });
	fc.assert(
		fc.property(fc.array(any, { minLength: 1, maxLength: 30 }), (seconds) => {
			const day = createDay();
			for (const tick of seconds) live(day, 1000, tick);
			if (day.stage() === 'transcript') expect(seconds.some(({ speech }) => speech)).toBe(true);
			phrase(day, 3000);
			live(day, 1000);
			expect(day.stage()).toBeNull();
		}),
		{ numRuns: 50 },
	);
});
