import { expect, test } from 'vitest';
import { HEARING_HZ, type Heard, Hearing, likeliest, WINDOW_MS, withoutInventions } from './hearing.ts';
import { Lateness } from './lateness.ts';

/** Speech is loud and silence is not; the recogniser "hears" a word for each half second of loud sound. */
function stage(rules: Partial<Parameters<Hearing['follow']>[0]> = {}, lagWindows = 0) {
	const said: Heard[] = [];
	const decoded: number[] = [];
	let behind = false;
	let text: ((samples: Float32Array) => string) | null = null;
	/** Windows in a row that are silent. */
	let silent = 0;
	const hearing = new Hearing({
		detector: {
			hear(window) {
				silent = (window[0] ?? 0) === 0 ? silent + 1 : 0;
				return silent <= lagWindows;
			},
			lagMs: lagWindows * WINDOW_MS,
			reset() {},
		},
		recogniser: {
			decode(samples, languages) {
				decoded.push(samples.length / HEARING_HZ);
				let loud = 0;
				for (let at = 0; at < samples.length; at += 100) if (samples[at] !== 0) loud += 100 / HEARING_HZ;
				const words = Array.from({ length: Math.round(loud * 2) }, (_, index) => `w${index}`).join(' ');
				return { text: text?.(samples) ?? words, language: languages[0] ?? '' };
			},
		},
		heard: (heard) => said.push(heard),
		isBehind: () => behind,
	});
	hearing.follow({ languages: ['en'], silenceMs: 500, split: true, isLive: true, ...rules });
	const sound = (seconds: number, level: number) =>
		hearing.hear(new Float32Array(Math.round(seconds * HEARING_HZ)).fill(level));
	return {
		hearing,
		said,
		decoded,
		speak: (seconds: number, level = 0.3) => sound(seconds, level),
		silence: (seconds: number) => sound(seconds, 0),
		finals: () => said.filter(({ isFinal }) => isFinal),
		fallBehind: () => {
			behind = true;
		},
		hearAs: (heard: (samples: Float32Array) => string) => {
			text = heard;
		},
	};
}

test('a sentence grows while it is spoken, and is final once it has been quiet for as long as the task says', () => {
	const { said, finals, speak, silence } = stage();
	speak(0.45);
	expect(said).toEqual([]);
	speak(0.15);
	expect(said).toHaveLength(1);
	speak(0.9);
	expect(said).toHaveLength(2);
	silence(0.45);
	expect(finals()).toEqual([]);
	silence(0.1);
	expect(finals()).toMatchObject([{ sentence: 1, text: 'w0 w1 w2', language: 'en' }]);
	const [{ startS, endS } = { startS: 0, endS: 0 }] = finals();
	expect([startS, endS]).toEqual([expect.closeTo(0, 1), expect.closeTo(1.5, 1)]);
});

test.each([0, 2, 4])(
	'a pause counts from the end of speech, also when the detector reports it %i windows late',
	(lag) => {
		const { finals, speak, silence } = stage({}, lag);
		speak(1.504);
		silence(0.48);
		expect(finals()).toEqual([]);
		silence(0.032);
		expect(finals()).toMatchObject([{ text: 'w0 w1 w2', endS: 1.504 }]);
	},
);

test('what two decodings agree on is sure', () => {
	const { said, speak, hearAs } = stage();
	hearAs(() => 'Good morning two');
	speak(0.6);
	hearAs(() => 'Good Morning, to everybody');
	speak(1);
	expect(said.map(({ sure }) => sure)).toEqual(['', 'Good Morning,']);
});

test('the decoding made in the pause is the final one: it is not made twice', () => {
	const { decoded, speak, silence } = stage();
	speak(0.4);
	silence(0.6);
	expect(decoded).toHaveLength(1);
});

test('speech that goes on after a short pause is one sentence, decoded with what came after', () => {
	const { finals, speak, silence } = stage();
	speak(0.5);
	silence(0.3);
	speak(0.5);
	silence(0.6);
	expect(finals().map(({ text }) => text)).toEqual(['w0 w1']);
});

test('while more sound waits no partial text is made, but the final one is', () => {
	const { said, fallBehind, speak, silence } = stage();
	fallBehind();
	speak(3);
	silence(0.6);
	expect(said.map(({ isFinal }) => isFinal)).toEqual([true]);
});

test('long speech is cut where it is quietest, and nothing of it is lost', () => {
	const { finals, speak, silence } = stage();
	speak(4);
	speak(0.1, 0.001);
	speak(5);
	silence(0.6);
	expect(finals()).toHaveLength(2);
	expect(finals()[0]?.endS).toBeCloseTo(4.1, 0);
	expect(finals()[1]?.startS).toBeCloseTo(4.1, 0);
	const words = finals().flatMap(({ text }) => text.split(' '));
	expect(words.length).toBeGreaterThanOrEqual(17);
});

test('after a cut the rest is decoded from its own sound', () => {
	const { finals, speak, silence, hearAs } = stage();
	hearAs((samples) => `level ${samples[HEARING_HZ / 2]?.toFixed(1)}`);
	speak(6, 0.2);
	speak(0.1, 0.001);
	speak(3, 0.4);
	silence(0.6);
	expect(finals().map(({ text }) => text)).toEqual(['level 0.2', 'level 0.4']);
});

test('long speech is not cut where the task forbids it, but never exceeds what Whisper hears', () => {
	const { decoded, finals, speak } = stage({ split: false });
	speak(27);
	expect(finals()).toEqual([]);
	speak(10);
	expect(finals()).toHaveLength(1);
	expect(Math.max(...decoded)).toBeLessThan(30);
});

test('a click is no sentence: nothing is decoded for it', () => {
	const { decoded, finals, speak, silence, hearAs } = stage();
	hearAs(() => 'Thank you.');
	speak(0.1);
	silence(0.12);
	silence(0.6);
	expect(finals().map(({ text }) => text)).toEqual(['']);
	expect(decoded.length).toBeLessThanOrEqual(1);
});

test('after a discard, speech is ignored until the next pause', () => {
	const { hearing, finals, speak, silence } = stage();
	speak(1);
	hearing.discard();
	speak(2);
	silence(0.6);
	expect(finals()).toEqual([]);
	speak(1);
	silence(0.6);
	expect(finals()).toMatchObject([{ sentence: 2, text: 'w0 w1' }]);
});

test('after a reset the next sound is a sentence of its own', () => {
	const { hearing, finals, speak, silence } = stage();
	speak(1);
	hearing.reset();
	speak(0.5);
	silence(0.6);
	expect(finals()).toMatchObject([{ text: 'w0' }]);
});

test('of a file no text is made before its sentence has ended', () => {
	const { said, decoded, speak, silence } = stage({ isLive: false });
	speak(2);
	silence(0.3);
	speak(2);
	silence(0.6);
	expect(said).toMatchObject([{ isFinal: true }]);
	expect(decoded).toHaveLength(1);
});

test.each([true, false])(
	'decodes a sentence with only the beginning of the pause after it (live: %s)',
	(isLive) => {
		const { decoded, speak, silence } = stage({ isLive, silenceMs: 2000 });
		speak(0.4);
		silence(2.1);
		expect(decoded).toEqual([expect.closeTo(0.624, 1)]);
	},
);

test('another language counts from the next sentence on', () => {
	const { hearing, finals, speak, silence } = stage();
	speak(1);
	hearing.follow({ languages: ['es'], silenceMs: 500, split: true, isLive: true });
	speak(1);
	silence(0.6);
	speak(1);
	silence(0.6);
	expect(finals().map(({ language }) => language)).toEqual(['en', 'es']);
});

test('a new stream counts its time and its sentences from its start', () => {
	const { hearing, finals, speak, silence } = stage();
	speak(1);
	silence(3);
	hearing.begin();
	speak(1);
	silence(0.6);
	expect(finals()).toMatchObject([{ sentence: 1 }, { sentence: 1, startS: expect.closeTo(0, 1) }]);
});

test('finishing confirms the open sentence at once, and nothing twice', () => {
	const { hearing, finals, speak } = stage();
	speak(1);
	hearing.finish();
	hearing.finish();
	expect(finals()).toMatchObject([{ text: 'w0 w1' }]);
});

test.each([
	['[BLANK_AUDIO]', ''],
	['(music)', ''],
	['♪ ♪', ''],
	['...', ''],
	['Thank you. Thank you. Thank you. Thank you.', ''],
	['the the the the', ''],
	['No, no, no, that is mine.', 'No, no, no, that is mine.'],
	['[laughter] Good morning.', 'Good morning.'],
	['x'.repeat(200), ''],
])('of %j it keeps %j', (heard, kept) => {
	expect(withoutInventions(heard, 3)).toBe(kept);
});

test('late by more than two seconds for ten seconds is too slow: said once in a conversation', () => {
	const lateness = new Lateness();
	const late = (ms: number, atS: number) => lateness.isSlow(ms, atS * 1000);
	expect([late(2001, 0), late(2001, 9.9)]).toEqual([false, false]);
	// A moment in time begins it anew.
	expect([late(2000, 10), late(2001, 11), late(2001, 20.9)]).toEqual([false, false, false]);
	expect([late(2001, 21), late(9000, 40)]).toEqual([true, false]);
	lateness.begin();
	expect([late(2001, 41), late(2001, 51)]).toEqual([false, true]);
	lateness.begin();
	const given = (ms: number, atS: number) => lateness.given(ms, atS * 1000);
	// 20 s come at once, and then a second in each second: as fast as they are heard, it is not slow.
	given(20_000, 60);
	for (let atS = 61; atS <= 80; atS += 1) {
		given(1000, atS);
		expect(late(19_000, atS)).toBe(false);
	}
	// What waits more grows out of what waited: slow.
	expect([late(21_100, 81), late(21_100, 92)]).toEqual([false, true]);
	lateness.begin();
	given(20_000, 100);
	expect([late(20_000, 100), late(0, 104)]).toEqual([false, false]);
	// Once caught up, only what is spoken now counts.
	for (let atS = 101; atS <= 115; atS += 1) given(1000, atS);
	expect([late(2001, 115), late(2001, 126)]).toEqual([false, true]);
});

test.each([
	['es', ['en', 'es'], 'es'],
	['it', ['en', 'es'], 'es'],
	['la', ['en', 'pt'], 'pt'],
	['nl', ['fr', 'de'], 'de'],
	['th', ['en', 'pt'], 'pt'],
	['th', ['en'], 'en'],
])('a sentence taken for %s, where only %s may be spoken, is %s', (found, languages, likely) => {
	expect(likeliest(found, languages)).toBe(likely);
});
