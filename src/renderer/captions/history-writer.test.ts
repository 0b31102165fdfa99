import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Segment } from '#shared/captions/segment.ts';
import { exportedSegments, type HistoryCaption } from '#shared/host/history.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createHistoryWriter, createLegJournals, type HistoryWriter } from './history-writer.ts';

function segment(n: number, text = `text ${n}`, fields: Partial<Segment> = {}): Segment {
	const id = `t${n}`;
	const place = { transcriptionId: id, partId: '0', startMs: n * 10, endMs: n * 10 + 5 };
	return { key: `source|${id}|0|`, kind: 'source', language: 'en', text, final: true, ...place, ...fields };
}

const said = { typed: false };

/** A history in main that can be made to fail. */
function createRig() {
	const clock = createManualClock();
	const asked: string[] = [];
	const kept = new Map<string, Map<string, HistoryCaption>>();
	const ended: string[] = [];
	let problem: Problem | null = null;
	let answerMs = 0;

	function answer(name: string, input: { id?: string | null; captions?: readonly HistoryCaption[] }) {
		asked.push(name);
		if (problem) return err(problem);
		const id = input.id ?? `c${kept.size}`;
		if (name === 'history.begin' && !input.id) kept.set(id, new Map());
		const all = kept.get(id);
		if (!all) return err({ kind: 'not-found', what: 'conversation' } as const);
		for (const one of input.captions ?? []) all.set(one.key, one);
		if (name === 'history.end') ended.push(id);
		if (name === 'history.erase') kept.delete(id);
		return ok({ id });
	}

	const journal = createHistoryWriter({
		clock,
		random: () => 1,
		host: {
			ask: (name, input) =>
				new Promise((done) => {
					const say = () => done(answer(name, input as never) as Result<never, Problem>);
					if (answerMs > 0) clock.after(answerMs, say);
					else say();
				}),
		},
	});
	return {
		clock,
		asked,
		ended,
		journal,
		fail(next: Problem | null) {
			problem = next;
		},
		slow(ms: number) {
			answerMs = ms;
		},
		kept,
		lose: () => kept.clear(),
		/** The file begins anew: what was in it is gone, and so far main knows the conversation. */
		breakFile() {
			for (const all of kept.values()) all.clear();
		},
		textsOf: (id: string) => [...(kept.get(id)?.values() ?? [])].map(({ text }) => text),
		ids: () => [...kept.keys()],
	};
}

describe('the journal', () => {
	test('writes nothing until something is said, then each text at once, and the end', async () => {
		const { journal, clock, asked, textsOf, ended } = createRig();
		journal.begin('solo');
		await clock.run(1000);
		expect(asked).toEqual([]);
		journal.take(segment(1), said);
		await clock.run(0);
		expect(textsOf('c0')).toEqual(['text 1']);
		journal.take(segment(1), said);
		await clock.run(0);
		expect(asked).toEqual(['history.begin', 'history.append']);
		journal.end();
		journal.take(segment(2), said);
		await journal.settled();
		expect([ended, textsOf('c0')]).toEqual([['c0'], ['text 1']]);
	});

	test('whose words they are is kept with its mark, and read again also beside a mark that is no longer made', async () => {
		const { journal, clock, kept } = createRig();
		journal.begin('meeting');
		journal.take(segment(1), said);
		journal.take(segment(2, 'theirs'), { ...said, leg: 'incoming' });
		await clock.run(0);
		const all = [...(kept.get('c0')?.values() ?? [])];
		expect(all.map(({ mark }) => mark)).toEqual(['', 'incoming']);
		const before = all.map((caption) => ({ ...caption, mark: `${caption.mark} late`.trim() }));
		for (const read of [all, before])
			expect(exportedSegments(read).map(({ leg }) => leg)).toEqual([undefined, 'incoming']);
	});

	test('what was typed is kept with its mark', async () => {
		const { journal, clock, kept } = createRig();
		journal.begin('solo');
		journal.take(segment(1), { typed: true });
		journal.take(segment(2), said);
		await clock.run(0);
		expect([...(kept.get('c0')?.values() ?? [])].map(({ mark }) => mark)).toEqual(['typed', '']);
	});

	test('a conversation in which nothing is said is never heard of', async () => {
		const { journal, asked } = createRig();
		journal.begin('solo');
		journal.end();
		await journal.settled();
		expect(asked).toEqual([]);
	});

	test('while an answer is awaited the next texts gather, and go together', async () => {
		const { journal, clock, asked, slow, textsOf } = createRig();
		slow(50);
		journal.begin('solo');
		for (let n = 0; n < 5; n++) journal.take(segment(n), said);
		journal.take(segment(4, 'text 4, with better times', { startMs: 1 }), said);
		await clock.run(200);
		expect(asked).toEqual(['history.begin', 'history.append']);
		expect(textsOf('c0').at(-1)).toBe('text 4, with better times');
	});

	test('a history that cannot be written is tried again, less and less often, and nothing is lost', async () => {
		const { journal, clock, asked, fail, textsOf } = createRig();
		fail({ kind: 'storage-failed', what: 'history.sqlite' });
		journal.begin('solo');
		for (let n = 0; n < 450; n++) journal.take(segment(n), said);
		await clock.run(600_000);
		expect(asked.length).toBeGreaterThan(10);
		expect(asked.length).toBeLessThan(40);
		fail(null);
		await clock.run(30_000);
		expect(textsOf('c0')).toHaveLength(450);
	});

	test('it is given up some minutes after the conversation has ended', async () => {
		const { journal, clock, fail } = createRig();
		fail({ kind: 'storage-failed', what: 'history.sqlite' });
		journal.begin('solo');
		journal.take(segment(1), said);
		journal.end();
		let settled = false;
		void journal.settled().then(() => {
			settled = true;
		});
		await clock.run(60_000);
		expect(settled).toBe(false);
		await clock.run(600_000);
		expect([settled, clock.pending]).toEqual([true, 0]);
	});

	test('a text that came again while it was being written is written again', async () => {
		const { journal, clock, slow, textsOf } = createRig();
		journal.begin('solo');
		journal.take(segment(1, 'one'), said);
		await clock.run(0);
		slow(100);
		journal.take(segment(2, 'two'), said);
		await clock.run(50);
		journal.take(segment(2, 'two and more'), said);
		await clock.run(1000);
		expect(textsOf('c0')).toEqual(['one', 'two and more']);
	});

	test('after a file that broke everything is handed over once more', async () => {
		const { journal, clock, fail, textsOf, breakFile } = createRig();
		journal.begin('solo');
		journal.take(segment(1), said);
		await clock.run(0);
		breakFile();
		fail({ kind: 'history-unreadable', keptAs: 'x' });
		journal.take(segment(2), said);
		await clock.run(0);
		fail(null);
		await clock.run(1000);
		expect(textsOf('c0').sort()).toEqual(['text 1', 'text 2']);
	});

	test('what the user has erased while it ran is not written again', async () => {
		const { journal, clock, lose, asked } = createRig();
		journal.begin('solo');
		journal.take(segment(1), said);
		await clock.run(0);
		lose();
		journal.take(segment(2), said);
		journal.take(segment(3), said);
		await clock.run(100_000);
		const before = asked.length;
		journal.take(segment(4), said);
		journal.end();
		await journal.settled();
		expect(asked).toHaveLength(before);
	});

	test('cleared captions are erased, and what is said afterwards is another conversation', async () => {
		const { journal, clock, ids, textsOf } = createRig();
		journal.begin('solo');
		journal.take(segment(1), said);
		await clock.run(0);
		journal.forget();
		journal.take(segment(2), said);
		await clock.run(0);
		expect(ids().map(textsOf)).toEqual([['text 2']]);
		journal.end();
		await journal.settled();
		journal.forget();
		await journal.settled();
		expect(ids()).toEqual([]);
	});

	test('whatever fails in between, in the end each conversation has exactly what was said in it', async () => {
		const step = fc.oneof(
			{ weight: 6, arbitrary: fc.record({ do: fc.constant('take' as const), n: fc.nat({ max: 30 }) }) },
			{ weight: 1, arbitrary: fc.record({ do: fc.constantFrom('begin' as const, 'end' as const) }) },
			{ weight: 3, arbitrary: fc.record({ do: fc.constant('wait' as const), n: fc.nat({ max: 150 }) }) },
			{ weight: 2, arbitrary: fc.record({ do: fc.constantFrom('fail' as const, 'heal' as const) }) },
		);
		await fc.assert(
			fc.asyncProperty(
				fc.array(step, { minLength: 10, maxLength: 40 }),
				fc.nat({ max: 500 }),
				async (steps, latencyMs) => {
					const rig = createRig();
					rig.slow(latencyMs);
					const expected: Map<number, string>[] = [];
					let texts: Map<number, string> | null = null;
					for (const [at, one] of steps.entries()) {
						if (one.do === 'begin') {
							rig.journal.begin('solo');
							texts = new Map();
							expected.push(texts);
						} else if (one.do === 'end') {
							rig.journal.end();
							texts = null;
						} else if (one.do === 'take') {
							// Few keys, so that most come again with another text.
							const n = one.n % 5;
							rig.journal.take(segment(n, `text ${at}`), said);
							texts?.set(n, `text ${at}`);
						} else if (one.do === 'wait') await rig.clock.run(one.n);
						else rig.fail(one.do === 'fail' ? { kind: 'history-busy' } : null);
					}
					rig.fail(null);
					await rig.clock.run(120_000);
					const wanted = expected.map((one) => [...one.values()].sort()).filter((one) => one.length > 0);
					const found = rig.ids().map((id) => rig.textsOf(id).sort());
					expect(found.sort()).toEqual(wanted.sort());
				},
			),
			{ numRuns: 60 },
		);
	});
});

test('after a conversation that never came to be, the one before is still the one that is forgotten', async () => {
	const rig = createRig();
	rig.journal.begin('solo');
	rig.journal.take(segment(1), said);
	rig.journal.end();
	await rig.clock.run(10);
	rig.journal.begin('meeting');
	rig.journal.end();
	rig.journal.forget();
	await rig.journal.settled();
	expect(rig.asked).toContain('history.erase');
	expect(rig.ids()).toEqual([]);
});

test('a conversation that goes on after its end is the same one, as often as it does', async () => {
	const { journal, clock, ids, ended, textsOf, asked } = createRig();
	journal.begin('solo');
	journal.take(segment(1), said);
	for (const n of [2, 3]) {
		journal.end();
		// Once before main has answered, once long after.
		if (n === 3) await clock.run(1000);
		journal.goOn('solo');
		journal.take(segment(n), said);
		await clock.run(1000);
	}
	journal.end();
	await journal.settled();
	expect(ids()).toEqual(['c0']);
	expect(textsOf('c0')).toEqual(['text 1', 'text 2', 'text 3']);
	expect(ended.at(-1)).toBe('c0');
	expect(asked.at(-1)).toBe('history.end');
});

test('one in which nothing was said goes on as itself, not as the one before it', async () => {
	const { journal, clock, ids, textsOf } = createRig();
	for (const n of [1, 2]) {
		journal.begin('solo');
		if (n === 1) journal.take(segment(1), said);
		journal.end();
		await clock.run(1000);
	}
	journal.goOn('solo');
	journal.take(segment(2), said);
	await clock.run(1000);
	expect(ids().map(textsOf)).toEqual([['text 1'], ['text 2']]);
});

test('of one that was erased in the history before it goes on, nothing more is kept', async () => {
	const { journal, clock, ids, lose } = createRig();
	journal.begin('solo');
	journal.take(segment(1), said);
	journal.end();
	await clock.run(1000);
	lose();
	journal.goOn('solo');
	journal.take(segment(2), said);
	journal.end();
	await journal.settled();
	expect(ids()).toEqual([]);
});

test('one that continues a kept one says so with its first words, and one that is cleared says it again', async () => {
	const begun: unknown[] = [];
	const given = ['kept', 'other'];
	const clock = createManualClock();
	const journal = createHistoryWriter({
		clock,
		takeContinued: () => given.shift() ?? null,
		host: {
			async ask(name, input) {
				if (name === 'history.begin') begun.push(input);
				return ok({ id: `c${begun.length}` }) as Result<never, Problem>;
			},
		},
	});
	journal.begin('solo');
	journal.end();
	// Nothing was said: the next one continues it.
	journal.begin('solo');
	journal.take(segment(1), said);
	await clock.run(10);
	journal.forget();
	journal.take(segment(2), said);
	await clock.run(10);
	expect(begun).toMatchObject([{ continues: 'kept' }, { continues: 'kept' }]);
	journal.end();
	journal.begin('solo');
	journal.take(segment(3), said);
	await clock.run(10);
	expect(begun.at(-1)).toMatchObject({ continues: 'other' });
	// Cleared after its end, and gone on with.
	journal.end();
	journal.forget();
	journal.goOn('solo');
	journal.take(segment(4), said);
	await clock.run(10);
	expect(begun.at(-1)).toMatchObject({ continues: 'other' });
	journal.end();
	journal.begin('solo');
	journal.take(segment(5), said);
	// Asked for while this one runs: it is for the next.
	given.push('late');
	journal.take(segment(6), said);
	await clock.run(10);
	expect(begun.at(-1)).not.toHaveProperty('continues');
	journal.end();
	journal.begin('solo');
	journal.take(segment(8), said);
	await clock.run(10);
	expect(begun.at(-1)).toMatchObject({ continues: 'late' });
});

test('one that was cleared goes on as another', async () => {
	const { journal, clock, ids, textsOf } = createRig();
	journal.begin('solo');
	journal.take(segment(1), said);
	journal.end();
	journal.forget();
	await clock.run(1000);
	journal.goOn('solo');
	journal.take(segment(2), said);
	await clock.run(1000);
	expect(ids().map(textsOf)).toEqual([['text 2']]);
});

test('while a conversation runs in which nothing was said yet, the one before is not touched', async () => {
	const rig = createRig();
	rig.journal.begin('solo');
	rig.journal.take(segment(1), said);
	rig.journal.end();
	rig.journal.begin('meeting');
	rig.journal.forget();
	rig.journal.end();
	await rig.journal.settled();
	expect(rig.ids()).toHaveLength(1);
});

describe('both directions', () => {
	function setUpLegs() {
		const did: string[] = [];
		const journal: HistoryWriter = {
			begin: (mode) => void did.push(`begin ${mode}`),
			goOn: (mode) => void did.push(`go on ${mode}`),
			take: ({ text }, { typed, leg }) => void did.push(`${leg} ${typed ? 'typed' : 'said'} ${text}`),
			end: () => void did.push('end'),
			forget: () => void did.push('forget'),
			settled: async () => void did.push('settled'),
		};
		return { did, ...createLegJournals(journal) };
	}

	const text = (words: string) => ({ text: words }) as Segment;
	test('two legs are one conversation: begun with the first, ended with the last, each text with its leg', () => {
		const { did, outgoing, incoming } = setUpLegs();
		outgoing.begin('meeting');
		incoming.begin('meeting');
		outgoing.take(text('a'), said);
		incoming.take(text('b'), said);
		outgoing.end();
		incoming.take(text('c'), said);
		incoming.end();
		incoming.end();
		expect(did).toEqual(['begin meeting', 'outgoing said a', 'incoming said b', 'incoming said c', 'end']);
	});

	test('a leg that comes back belongs to the conversation that still runs', () => {
		const { did, outgoing, incoming } = setUpLegs();
		outgoing.begin('meeting');
		incoming.begin('meeting');
		incoming.end();
		incoming.goOn('meeting');
		outgoing.end();
		incoming.end();
		expect(did).toEqual(['begin meeting', 'end']);
		// Both have ended: it goes on with the first, and is still one.
		incoming.goOn('meeting');
		outgoing.goOn('meeting');
		outgoing.end();
		incoming.end();
		expect(did.slice(2)).toEqual(['go on meeting', 'end']);
	});

	test('a leg that begins twice without an end begins another conversation', () => {
		const { did, outgoing, incoming } = setUpLegs();
		outgoing.begin('meeting');
		incoming.begin('meeting');
		outgoing.begin('solo');
		incoming.end();
		outgoing.end();
		expect(did).toEqual(['begin meeting', 'begin solo', 'end']);
	});

	test('either leg may forget the conversation, and ask whether all of it is kept', async () => {
		const { did, outgoing, incoming } = setUpLegs();
		outgoing.forget();
		await incoming.settled();
		expect(did).toEqual(['forget', 'settled']);
	});
});
