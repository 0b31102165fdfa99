import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createPacer, KEPT_MS, type Pacer } from './pacer.ts';

const PER_MS = 24;
const speech = (ms: number) => new Int16Array(ms * PER_MS).fill(5000);
const pause = (ms: number) => new Int16Array(ms * PER_MS);

/** A pacer under a clock of its own: what left, when. */
function stage(pacer: Pacer = createPacer(), startMs = 0) {
	let now = startMs;
	const sent: { readonly atMs: number; readonly chunk: Int16Array }[] = [];
	const drain = () => {
		for (let chunk = pacer.take(now); chunk; chunk = pacer.take(now)) sent.push({ atMs: now, chunk });
	};
	return {
		pacer,
		sent,
		loudMs: () =>
			sent.reduce((sum, { chunk }) => sum + chunk.filter((sample) => sample !== 0).length / PER_MS, 0),
		enter: (phase: Parameters<Pacer['enter']>[0]) => pacer.enter(phase, now),
		/** `make` is what is captured in each 20 ms; null = nothing at all. */
		pass(ms: number, make: ((pieceMs: number) => Int16Array) | null = null) {
			for (let passed = 0; passed < ms; passed += 20) {
				now += 20;
				if (make) pacer.push(make(20), now);
				drain();
			}
		},
	};
}

describe('the pacer', () => {
	test('sends captured sound in chunks of 320 ms, each as soon as it is full', () => {
		const { enter, pass, sent } = stage();
		enter('flowing');
		pass(1280, speech);
		expect(sent.map(({ atMs }) => atMs)).toEqual([320, 640, 960, 1280]);
		expect(sent.every(({ chunk }) => chunk.length === 7680 && chunk.every((sample) => sample === 5000))).toBe(
			true,
		);
	});

	test('sends chunks of another length when asked to', () => {
		const { enter, pass, sent } = stage(createPacer({ chunkMs: 100 }));
		enter('flowing');
		pass(1000, speech);
		expect(sent).toHaveLength(10);
		expect(sent[0]?.chunk).toHaveLength(2400);
	});

	test('sends sound that can wait whole, its pauses too, however far ahead it is given', () => {
		const { enter, pass, sent, pacer } = stage(createPacer({ canWait: true }));
		enter('flowing');
		const talk = [speech(1000), pause(2000), speech(1000)].flatMap((part) => [...part]);
		for (let at = 0; at < talk.length; at += 2400) {
			while (pacer.waitingMs >= 640) pass(20);
			pacer.push(Int16Array.from(talk.slice(at, at + 2400)), 0);
		}
		pacer.finish();
		pass(2000);
		const left = sent.flatMap(({ chunk }) => [...chunk]);
		expect(left.slice(0, talk.length)).toEqual(talk);
		expect(pacer.counts).toMatchObject({ shortenedMs: 0, droppedMs: 0 });
	});

	test('sends a file as fast as it is heard, no more than 1.6 s ahead', () => {
		const pacer = createPacer({ canWait: true, asHeard: true });
		const sent = () => {
			let chunks = 0;
			while (pacer.take(0)) chunks += 1;
			return chunks;
		};
		pacer.enter('flowing', 0);
		pacer.push(speech(2400), 0);
		expect([sent(), pacer.dueMs()]).toEqual([5, null]);
		pacer.heard(1);
		expect(sent()).toBe(1);
		pacer.heard(0);
		pacer.heard(320);
		expect(sent()).toBe(0);
		pacer.heard(321);
		expect(sent()).toBe(1);
		pacer.finish();
		expect(sent()).toBe(0);
		pacer.heard(1600);
		expect([sent(), pacer.waitingMs]).toEqual([1, 0]);
		// Another socket begins from nothing.
		pacer.enter('holding', 0);
		pacer.push(speech(4800), 0);
		pacer.enter('flowing', 0);
		expect(sent()).toBe(5);
	});

	test('adds no silence to a file that is read or heard slowly', () => {
		const pacer = createPacer({ canWait: true, asHeard: true });
		pacer.enter('flowing', 0);
		pacer.push(speech(100), 0);
		expect([pacer.take(5000), pacer.dueMs()]).toEqual([null, null]);
		pacer.push(speech(220), 5000);
		expect(pacer.take(5000)).toEqual(speech(320));
		pacer.push(speech(10), 5000);
		pacer.finish();
		expect(pacer.take(5000)).not.toBeNull();
		expect(pacer.counts.silentChunks).toBe(0);
	});

	test('gives this computer what was said at once, whole, up to a minute of it, and what follows as it comes', () => {
		const { enter, pass, sent, pacer } = stage(createPacer({ chunkMs: 60, isHere: true }));
		enter('holding');
		const talk = [speech(39_000), pause(2000), speech(20_020)];
		for (const part of talk) pacer.push(part, 0);
		expect([pacer.waitingMs, pacer.counts.droppedMs]).toEqual([60_000, 1020]);
		enter('flowing');
		pass(20);
		expect([sent.length, pacer.counts.shortenedMs]).toEqual([1000, 0]);
		pass(120, speech);
		expect(sent.slice(1000).map(({ atMs }) => atMs)).toEqual([80, 140]);
		// A pause of the capture is filled with silence in real time, as usual.
		pass(2000);
		expect(pacer.counts.silentChunks).toBeGreaterThan(20);
		expect(pacer.counts.silentChunks).toBeLessThan(25);
	});

	test('sends what waits without more of it when flushed, once, and goes on in real time', () => {
		const { enter, pass, sent, pacer } = stage();
		enter('flowing');
		pass(420, speech);
		expect(sent).toHaveLength(1);
		pacer.flush();
		pass(220);
		expect(sent).toHaveLength(2);
		expect(pacer.waitingMs).toBe(0);
		expect(pacer.counts.silentChunks).toBe(0);
		pass(200, speech);
		expect(sent).toHaveLength(2);
		pass(120, speech);
		expect(sent).toHaveLength(3);
		// Nothing waits: nothing is sent for it.
		pacer.flush();
		pass(400);
		expect(sent).toHaveLength(3);
	});

	test('keeps nothing that is said before the task has run', () => {
		const { enter, pass, sent, pacer } = stage();
		pass(3000, speech);
		enter('flowing');
		pass(320, speech);
		expect(sent).toHaveLength(1);
		expect(pacer.counts.droppedMs).toBe(0);
	});

	test('sends silence while nothing is captured, one chunk per chunk, never ahead of the clock', () => {
		const { enter, pass, sent, pacer } = stage();
		enter('flowing');
		pass(10_000);
		expect(sent[0]?.atMs).toBe(640);
		const gaps = sent.slice(1).map(({ atMs }, index) => atMs - (sent[index]?.atMs ?? 0));
		expect(gaps.every((gap) => gap === 320)).toBe(true);
		expect(pacer.counts.silentChunks).toBe(sent.length);
	});

	test('what was begun when capture stopped leaves with the silence', () => {
		const { enter, pass, sent, loudMs } = stage();
		enter('flowing');
		pass(100, speech);
		pass(700);
		expect(sent).toHaveLength(1);
		expect(loudMs()).toBe(100);
	});

	test('sends what was said during a gap late, in real time, and the sound after it in order', () => {
		const { enter, pass, sent, loudMs, pacer } = stage();
		enter('flowing');
		pass(320, speech);
		enter('holding');
		pass(3000, speech);
		expect(sent).toHaveLength(1);
		enter('flowing');
		pass(6400, speech);
		expect(pacer.counts.droppedMs).toBe(0);
		const after = sent.slice(1);
		for (const [index, { atMs }] of after.entries())
			expect(atMs).toBeGreaterThanOrEqual(3320 + index * 320 - 60);
		expect(after.length * 320).toBeLessThanOrEqual(6400 + 320 + 60);
		expect(loudMs() + pacer.waitingMs).toBe(9720);
	});

	test.each([100, 320])(
		'what a block of the capture held up leaves at once in chunks of %i ms, and speech is on time again',
		(chunkMs) => {
			const { enter, pass, sent, pacer } = stage(createPacer({ chunkMs }));
			enter('flowing');
			pass(3200, speech);
			pass(500);
			const before = sent.length;
			pacer.push(speech(500), 3700);
			pass(20, speech);
			expect(sent.length - before).toBeGreaterThanOrEqual(Math.floor(500 / chunkMs));
			expect(pacer.waitingMs).toBeLessThan(chunkMs);
			pass(3200, speech);
			expect(pacer.waitingMs).toBeLessThan(chunkMs);
			expect([pacer.counts.droppedMs, pacer.counts.shortenedMs, pacer.counts.silentChunks]).toEqual([
				0, 0, 0,
			]);
		},
	);

	test('what a stall of seconds held back leaves at once as far as a second is owed, the rest in real time', () => {
		const pacer = createPacer();
		const left = (nowMs: number) => {
			let count = 0;
			while (pacer.take(nowMs)) count += 1;
			return count;
		};
		const capture = (fromMs: number, toMs: number) => {
			for (let now = fromMs + 20; now <= toMs; now += 20) pacer.push(speech(20), now);
		};
		pacer.enter('flowing', 0);
		capture(0, 320);
		expect(left(320)).toBe(1);
		capture(320, 3520);
		expect([left(3520), left(3799), left(3800), left(4119), left(4120)]).toEqual([4, 0, 1, 0, 1]);
	});

	test('told that it is too fast, it makes up for nothing any more', () => {
		const { enter, pass, sent, pacer } = stage(createPacer({ chunkMs: 100 }));
		enter('flowing');
		pass(1000, speech);
		pacer.warned('AUDIO_STREAM_TOO_FAST', 1000);
		pass(2240, speech);
		// The time of two chunks passes: too short for silence to be sent in their place.
		pass(620);
		const before = sent.length;
		pacer.push(speech(1000), 3860);
		pass(240, speech);
		expect(sent.length - before).toBe(1);
		pass(60, speech);
		expect(sent.length - before).toBe(2);
	});

	test('keeps the last 5 s of a longer gap and counts the rest', () => {
		const { enter, pass, pacer } = stage();
		enter('flowing');
		enter('holding');
		pass(12_000, speech);
		expect(pacer.waitingMs).toBe(KEPT_MS);
		expect(pacer.counts.droppedMs).toBe(7000);
	});

	test('makes up for the delay out of pauses, so that speech is on time again', () => {
		const { enter, pass, pacer, loudMs } = stage();
		enter('flowing');
		enter('holding');
		pass(3000, speech);
		enter('flowing');
		for (let turn = 0; turn < 6; turn += 1) {
			pass(1000, speech);
			pass(1000, pause);
		}
		expect(pacer.waitingMs).toBeLessThan(400);
		expect(pacer.counts.shortenedMs).toBeGreaterThan(2500);
		expect(pacer.counts.droppedMs).toBe(0);
		expect(loudMs()).toBe(9000);
	});

	test('leaves pauses as they are while nothing is late', () => {
		const { enter, pass, pacer } = stage();
		enter('flowing');
		pass(500, speech);
		pass(3000, pause);
		expect(pacer.counts.shortenedMs).toBe(0);
	});

	test('sends nothing while paused, and nothing old afterwards', () => {
		const { enter, pass, sent } = stage();
		enter('flowing');
		pass(100, speech);
		enter('paused');
		pass(5000, speech);
		expect(sent).toEqual([]);
		enter('flowing');
		pass(640, pause);
		expect(sent.flatMap(({ chunk }) => [...chunk]).every((sample) => sample === 0)).toBe(true);
	});

	test('told that it is too fast, it waits a chunk and takes longer ones', () => {
		const { enter, pass, sent, pacer } = stage(createPacer({ chunkMs: 100 }));
		enter('flowing');
		pass(1000, speech);
		pacer.warned('AUDIO_STREAM_TOO_FAST', 1000);
		expect(pacer.chunkMs).toBe(320);
		const before = sent.length;
		pass(320, speech);
		expect(sent).toHaveLength(before);
		pass(640, speech);
		expect(sent.length).toBeGreaterThan(before);
	});

	test('told that the stream stands still, it sends silence within the second', () => {
		const { enter, pass, sent, pacer } = stage(createPacer({ chunkMs: 100 }));
		enter('flowing');
		pass(300);
		pacer.warned('AUDIO_STREAM_STALLED', 300);
		pass(20);
		expect(sent).toHaveLength(1);
	});

	test('at the end the rest leaves, filled up with silence, and then nothing', () => {
		const { enter, pass, sent, loudMs, pacer } = stage();
		enter('flowing');
		pass(500, speech);
		pacer.finish();
		pass(2000);
		expect(sent).toHaveLength(2);
		expect(loudMs()).toBe(500);
		expect(pacer.dueMs()).toBeNull();
	});

	test('is never faster than real time, never holds more than it may, and loses nothing uncounted', () => {
		const moves = fc.array(
			fc.oneof(
				fc.record({ do: fc.constant('speak' as const), ms: fc.integer({ min: 1, max: 900 }) }),
				fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 2000 }) }),
				fc.record({ do: fc.constant('hold' as const), ms: fc.integer({ min: 1, max: 8000 }) }),
			),
			{ maxLength: 30 },
		);
		fc.assert(
			fc.property(moves, fc.constantFrom(100, 320), (list, chunkMs) => {
				const { pacer, enter, pass, sent, loudMs } = stage(createPacer({ chunkMs }));
				enter('flowing');
				let spokenMs = 0;
				for (const { do: what, ms } of list) {
					const rounded = Math.ceil(ms / 20) * 20;
					if (what === 'wait') pass(rounded);
					else {
						if (what === 'hold') enter('holding');
						pass(rounded, speech);
						spokenMs += rounded;
						enter('flowing');
					}
					expect(pacer.waitingMs).toBeLessThanOrEqual(KEPT_MS + 2 * chunkMs);
				}
				for (const [index, { atMs }] of sent.entries())
					expect(index * chunkMs).toBeLessThanOrEqual(atMs - (sent[0]?.atMs ?? 0) + 60);
				expect(loudMs() + pacer.waitingMs + pacer.counts.droppedMs).toBeCloseTo(spokenMs, 3);
			}),
			{ numRuns: 30 },
		);
	});
});

describe('what waits', () => {
	const filled = (ms: number, level: number) => new Int16Array(ms * PER_MS).fill(level);
	const holding = (options = {}) => {
		const pacer = createPacer(options);
		pacer.enter('holding', 0);
		return pacer;
	};

	test('is counted to the last sample, and forgotten when nothing may be kept', () => {
		const pacer = holding();
		pacer.push(speech(30), 0);
		expect(pacer.waitingMs).toBe(30);
		pacer.enter('flowing', 0);
		expect(pacer.waitingMs).toBe(30);
		pacer.enter('paused', 0);
		expect(pacer.waitingMs).toBe(0);
		for (const forget of [() => pacer.enter('closed', 0), () => pacer.clear()]) {
			pacer.enter('holding', 0);
			pacer.push(speech(30), 0);
			forget();
			expect(pacer.waitingMs).toBe(0);
		}
	});

	test('has five seconds while the connection is away, and a chunk more while it flows', () => {
		const away = holding();
		away.push(speech(KEPT_MS), 0);
		expect(away.counts.droppedMs).toBe(0);
		away.push(speech(20), 0);
		expect([away.waitingMs, away.counts.droppedMs]).toEqual([KEPT_MS, 20]);
		const pacer = createPacer();
		pacer.enter('flowing', 0);
		pacer.push(speech(KEPT_MS + 340), 0);
		expect([pacer.waitingMs, pacer.counts.droppedMs]).toEqual([KEPT_MS + 320, 20]);
	});

	test('of a pause is 400 ms while it is late, and all of it while sound can wait', () => {
		const pacer = holding();
		pacer.push(pause(400), 0);
		expect(pacer.counts.shortenedMs).toBe(0);
		pacer.push(pause(600), 0);
		pacer.push(speech(20), 0);
		pacer.push(pause(420), 0);
		expect([pacer.waitingMs, pacer.counts.shortenedMs]).toEqual([820, 620]);
		const patient = holding({ canWait: true });
		patient.push(pause(1000), 0);
		expect([patient.waitingMs, patient.counts.shortenedMs]).toEqual([1000, 0]);
	});

	test('is late when it is more than a chunk and a frame', () => {
		const shortened = (ms: number) => {
			const pacer = createPacer();
			pacer.enter('flowing', 0);
			// A pause of 400 ms that leaves as it comes, then one frame behind so much that waits.
			for (let at = 20; at <= 400; at += 20) {
				pacer.push(pause(20), at);
				pacer.take(at);
			}
			pacer.push(pause(ms - 80), 400);
			return pacer.counts.shortenedMs;
		};
		expect([shortened(360), shortened(380)]).toEqual([0, 20]);
	});

	test.each([
		[130, 600],
		[131, 0],
	])('is a pause below 48 dB under full scale: at a level of %d %d ms go', (level, shortenedMs) => {
		const pacer = holding();
		pacer.push(filled(1000, level), 0);
		expect(pacer.counts.shortenedMs).toBe(shortenedMs);
	});
});

describe('when the next chunk is due', () => {
	test('is never while nothing flows', () => {
		const pacer = createPacer();
		for (const phase of ['closed', 'holding', 'paused'] as const) {
			pacer.enter(phase, 0);
			pacer.push(speech(1000), 0);
			expect([pacer.dueMs(), pacer.take(10_000)]).toEqual([null, null]);
		}
	});

	test('is at once with a whole one, 640 ms after the last sound without', () => {
		const pacer = createPacer();
		pacer.enter('flowing', 1000);
		expect(pacer.dueMs()).toBe(1640);
		pacer.push(new Int16Array(0), 1200);
		expect(pacer.dueMs()).toBe(1640);
		pacer.push(speech(100), 1200);
		expect([pacer.dueMs(), pacer.take(1839)]).toEqual([1840, null]);
		const chunk = pacer.take(1840);
		expect(chunk?.filter((sample) => sample !== 0)).toHaveLength(100 * PER_MS);
		expect(pacer.counts).toMatchObject({ chunks: 1, silentChunks: 0 });
		// The next of silence is a chunk later.
		expect([pacer.dueMs(), pacer.take(2159)]).toEqual([2160, null]);
		expect(pacer.take(2160)?.every((sample) => sample === 0)).toBe(true);
		expect(pacer.counts).toMatchObject({ chunks: 2, silentChunks: 1 });
		pacer.push(speech(320), 2200);
		expect([pacer.dueMs(), pacer.take(2479)]).toEqual([2480, null]);
		expect(pacer.take(2480)).not.toBeNull();
	});

	test('is as before when it is told once more that it flows', () => {
		const pacer = createPacer();
		pacer.enter('flowing', 0);
		pacer.enter('flowing', 500);
		expect(pacer.dueMs()).toBe(640);
	});

	test('at the end is at once, and never again when all has left', () => {
		const pacer = createPacer();
		pacer.enter('flowing', 0);
		pacer.push(speech(10), 0);
		pacer.finish();
		expect(pacer.dueMs()).toBe(0);
		expect(pacer.take(0)).not.toBeNull();
		expect([pacer.dueMs(), pacer.take(5000)]).toEqual([null, null]);
		expect(pacer.counts).toMatchObject({ chunks: 1, silentChunks: 0 });
	});

	test('after a complaint about too little is at once where nothing came for two chunks, and not else', () => {
		for (const [code, silentMs, dueMs] of [
			['AUDIO_STREAM_TOO_SLOW', 640, 640],
			['AUDIO_STREAM_STALLED', 201, 201],
			['AUDIO_STREAM_STALLED', 200, 640],
			['SOMETHING_ELSE', 500, 640],
		] as const) {
			const pacer = createPacer({ chunkMs: 100 });
			pacer.enter('flowing', 0);
			pacer.warned(code, silentMs);
			expect([code, pacer.dueMs()]).toEqual([code, dueMs]);
		}
	});
});
