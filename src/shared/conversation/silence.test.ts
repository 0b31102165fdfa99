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

describe('each limit', () => {
	const NOW_MS = 100_000;
	/** Everything goes well: live and open since 0, all of it heard a moment ago. */
	const well: Signs = {
		...noSigns,
		liveMs: 0,
		openMs: 0,
		watched: true,
		soundMs: 99_000,
		speechMs: 99_000,
		sentMs: 99_500,
		countedMs: NOW_MS,
		transcriptMs: 99_000,
	};
	const off = { outputOff: 'muted', voiceMs: 99_000 } as const;

	it.each<[string, Partial<Signs>, SilentStage | null]>([
		['nothing is wrong', {}, null],
		['nothing is live', { liveMs: null, soundMs: null, sentMs: null }, null],
		['spoken into it 8 s ago', { muted: true, speechWhileMutedMs: 92_000 }, null],
		['spoken into it since', { muted: true, speechWhileMutedMs: 92_001 }, 'muted'],
		['silent for 7 s', { soundMs: 93_000 }, 'microphone'],
		['silent for less', { soundMs: 93_001 }, null],
		['silent since it was opened 7 s ago', { openMs: 93_000, soundMs: null }, 'microphone'],
		['silent since it was opened later', { openMs: 93_001, soundMs: null }, null],
		['silent, and live for 7 s', { liveMs: 93_000, soundMs: null }, 'microphone'],
		['silent, and live for less', { liveMs: 93_001, soundMs: null }, null],
		['silent, and not open', { openMs: null, soundMs: null }, null],
		['silent, and nobody measures', { watched: false, soundMs: null }, null],
		['a computer that plays nothing', { source: 'system', soundMs: null }, null],
		['nobody spoke for 7 s', { openMs: 93_000, speechMs: null, transcriptMs: null }, 'speech'],
		['nobody spoke for less', { openMs: 93_001, speechMs: null, transcriptMs: null }, null],
		['speech that was not understood yet', { transcriptMs: null }, null],
		['words without speech that we heard', { speechMs: null }, null],
		['no packet for 6 s', { sentMs: 94_000 }, 'packets'],
		['no packet for less', { sentMs: 94_001 }, null],
		['no packet, counted 2.5 s ago', { sentMs: 94_000, countedMs: 97_500 }, 'packets'],
		['no packet, counted before', { sentMs: 94_000, countedMs: 97_499 }, null],
		['no packet, and none was counted', { sentMs: 94_000, countedMs: null }, null],
		['no words for 7 s', { unheardSinceMs: 93_000, unheardSpeechMs: 1500 }, 'transcript'],
		['no words for less', { unheardSinceMs: 93_001, unheardSpeechMs: 1500 }, null],
		['no words for a cough', { unheardSinceMs: 93_000, unheardSpeechMs: 1499 }, null],
		['all speech was understood', { unheardSinceMs: null, unheardSpeechMs: 1500 }, null],
		[
			'no finished words for 20 s',
			{ onlyFinals: true, unheardSinceMs: 80_000, unheardSpeechMs: 1500 },
			'transcript',
		],
		[
			'no finished words for less',
			{ onlyFinals: true, unheardSinceMs: 80_001, unheardSpeechMs: 1500 },
			'captions',
		],
		['no voice for 7 s', { unvoicedMs: 93_000 }, 'voice'],
		['no voice for less', { unvoicedMs: 93_001 }, null],
		['no voice, and none is wanted', { unvoicedMs: 93_000, wantsVoice: false }, null],
		['turned off from the start', { ...off, liveMs: 5000, outputOffMs: 5000 }, 'output'],
		['turned off on purpose', { ...off, liveMs: 5000, outputOffMs: 5001 }, null],
		['turned off, and nothing was said', { ...off, outputOffMs: 0, voiceMs: null }, null],
	])('%s', (_, over, stage) => {
		expect(silentStage({ ...well, ...over }, NOW_MS)).toBe(stage);
	});

	it('what is told again changes nothing', () => {
		for (const what of [
			{ type: 'live', live: true },
			{ type: 'muted', muted: false },
			{ type: 'output', off: null },
		] as const)
			expect(sign(well, what, NOW_MS)).toBe(well);
	});

	it('another microphone is measured anew, and is not open while muted', () => {
		const anew = { ...well, openMs: NOW_MS, watched: false, soundMs: null };
		expect(sign(well, { type: 'source', open: true }, NOW_MS)).toEqual(anew);
		expect(sign(well, { type: 'source', open: false }, NOW_MS)).toEqual({ ...anew, openMs: null });
		const muted = { ...well, muted: true };
		expect(sign(muted, { type: 'source', open: true }, NOW_MS)).toEqual({
			...anew,
			muted: true,
			openMs: null,
		});
	});

	it('packets that do not grow were sent when they last grew', () => {
		expect(sign(well, { type: 'packets', sent: 5, before: 5 }, NOW_MS + 1)).toEqual({
			...well,
			countedMs: NOW_MS + 1,
		});
	});

	it.each([
		[NOW_MS - 4999, null],
		[NOW_MS - 5000, NOW_MS],
		[null, NOW_MS],
	])('a voice at %s has spoken a text that comes at 100 s, or it is awaited', (voiceMs, unvoicedMs) => {
		const before = { ...well, voiceMs };
		expect(sign(before, { type: 'translation' }, NOW_MS)).toEqual({ ...before, unvoicedMs });
	});

	it('the loudspeaker is off since it was turned off, and the line is what it is', () => {
		const muted = sign(well, { type: 'output', off: 'muted' }, NOW_MS);
		expect(muted).toEqual({ ...well, outputOff: 'muted', outputOffMs: NOW_MS });
		expect(sign(muted, { type: 'output', off: 'muted' }, NOW_MS + 1)).toBe(muted);
		expect(sign(muted, { type: 'output', off: null }, NOW_MS + 1)).toEqual(well);
		expect(sign(well, { type: 'only-finals', only: true }, NOW_MS)).toEqual({ ...well, onlyFinals: true });
	});

	it.each([
		['3 s after a cough is one with it', 97_000, 1499, [90_000, 1599]],
		['later is heard anew', 96_999, 1499, [NOW_MS, 100]],
		['later is one with what was no cough', 96_999, 1500, [90_000, 1600]],
	])('speech %s', (_, speechMs, unheardSpeechMs, [unheardSinceMs, heardMs]) => {
		const before = { ...well, speechMs, unheardSinceMs: 90_000, unheardSpeechMs };
		expect(sign(before, { type: 'level', sound: true, speech: true, ms: 100 }, NOW_MS)).toEqual({
			...before,
			soundMs: NOW_MS,
			speechMs: NOW_MS,
			unheardSinceMs,
			unheardSpeechMs: heardMs,
		});
	});

	it('speech is none while nothing is live, or it is muted', () => {
		for (const over of [{ liveMs: null }, { muted: true }]) {
			const before = { ...well, ...over };
			expect(sign(before, { type: 'level', sound: true, speech: true, ms: 100 }, NOW_MS)).toEqual({
				...before,
				soundMs: NOW_MS,
			});
		}
	});
});
