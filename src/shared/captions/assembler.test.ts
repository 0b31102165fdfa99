import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TranscriptMessage } from '#shared/protocol/server-message.ts';
import { heardText } from '#test/support/heard-text.ts';
import { type Assembler, BUILT_ROWS, createAssembler } from './assembler.ts';

const message = (fields: Partial<TranscriptMessage>) =>
	heardText('a', { final: false, text: 'text', ...fields });

const translation = (fields: Partial<TranscriptMessage>) =>
	message({ kind: 'translation', language: 'es', ...fields });

function texts(segments: readonly { readonly text: string }[]): readonly string[] {
	return segments.map(({ text }) => text);
}

/** One sentence as the service sends it: partials, then the final, for the source and each translation. */
const sentences = fc
	.array(
		fc.record({
			partials: fc.nat({ max: 3 }),
			lengthS: fc.double({ min: 0.1, max: 5, noNaN: true }),
			parts: fc.nat({ max: 2 }),
			languages: fc.subarray(['es', 'fr', 'zh-hant']),
			timed: fc.boolean(),
			finished: fc.boolean(),
		}),
		{ maxLength: 5 },
	)
	.map((list) => {
		let atS = 0;
		return list.flatMap(({ partials, lengthS, parts, languages, timed, finished }, index) => {
			const startS = atS;
			atS += lengthS;
			const transcriptionId = `id${index}`;
			const spoken = { transcriptionId, startS, endS: atS };
			const told = languages.flatMap((language) =>
				Array.from({ length: parts }, (_, part) =>
					translation({
						...spoken,
						...(timed ? {} : { startS: null, endS: null }),
						language,
						partId: String(part),
						text: `${language} ${index} ${part}.`,
						final: true,
					}),
				),
			);
			const open = Array.from({ length: partials }, (_, n) => message({ ...spoken, text: `open ${n}` }));
			const final = message({ ...spoken, text: `source ${index}.`, final: true });
			return [...(finished ? open : []), final, ...told];
		});
	});

describe('the transcript', () => {
	test('is the same in whatever order its messages come, said once or three times', () => {
		const shuffled = sentences.chain((list) => {
			const thrice = [...list, ...list, ...list];
			return fc.tuple(fc.constant(list), fc.shuffledSubarray(thrice, { minLength: thrice.length }));
		});
		fc.assert(
			fc.property(shuffled, ([inOrder, disordered]) => {
				expect(transcriptOf(disordered)).toEqual(transcriptOf(inOrder));
			}),
			{ numRuns: 300 },
		);

		function transcriptOf(list: readonly TranscriptMessage[]) {
			const captions = createAssembler();
			captions.newEpoch(0, 250);
			for (const [index, each] of list.entries()) captions.receive(each, 60_000 + index);
			return captions.finals();
		}
	});

	test('lists every final once, with times that never go back and never below zero', () => {
		const arrivals = fc.array(fc.tuple(sentences, fc.integer({ min: -1000, max: 100_000 })), {
			maxLength: 4,
		});
		fc.assert(
			fc.property(arrivals, (streams) => {
				const captions = createAssembler();
				let nowMs = 0;
				const keys = new Set<string>();
				for (const [list, pauseMs] of streams) {
					captions.newEpoch(nowMs);
					for (const each of list) {
						const change = captions.receive(each, nowMs);
						if (change?.segment.final) keys.add(change.segment.key);
						nowMs += 100;
					}
					nowMs = Math.max(nowMs, pauseMs);
				}
				const finals = captions.finals();
				expect(new Set(finals.map(({ key }) => key))).toEqual(keys);
				expect(finals).toHaveLength(keys.size);
				for (const [index, segment] of finals.entries()) {
					expect(segment.startMs).toBeGreaterThanOrEqual(finals[index - 1]?.startMs ?? 0);
					expect(segment.endMs).toBeGreaterThanOrEqual(segment.startMs);
				}
			}),
		);
	});
});

describe('one caption', () => {
	test('is replaced as a whole until it is final, then never again', () => {
		const captions = createAssembler();
		const said = (text: string, final = false) => captions.receive(message({ text, final }), 0)?.segment.text;
		expect([said('hello every'), said('hello every'), said('hello everyone')]).toEqual([
			'hello every',
			undefined,
			'hello everyone',
		]);
		expect([said('Hello.', true), said('hello ever'), said('Hello!', true)]).toEqual([
			'Hello.',
			undefined,
			undefined,
		]);
		expect(texts(captions.finals())).toEqual(['Hello.']);
	});

	test('of the source stays one when it is heard as another language', () => {
		const captions = createAssembler();
		const first = captions.receive(message({ language: 'es', text: 'no' }), 0);
		const then = captions.receive(message({ language: 'en', text: 'no' }), 0);
		expect(then).toMatchObject({
			row: 0,
			added: false,
			segment: { language: 'en', key: first?.segment.key },
		});
		expect(captions.rowCount).toBe(1);
	});
});

describe('rows', () => {
	test('hold a source and its translations, by language and part, whichever came first', () => {
		const captions = createAssembler();
		captions.receive(translation({ partId: '10', text: 'es 10' }), 0);
		captions.receive(translation({ language: 'de', text: 'de 0' }), 0);
		captions.receive(message({ text: 'source' }), 0);
		captions.receive(translation({ partId: '2', text: 'es 2' }), 0);
		captions.receive(message({ transcriptionId: 'b', text: 'next' }), 0);
		expect(captions.rowCount).toBe(2);
		expect(captions.rowAt(0)?.source?.text).toBe('source');
		expect(texts(captions.rowAt(0)?.translations ?? [])).toEqual(['de 0', 'es 2', 'es 10']);
		expect(captions.rowAt(2)).toBeUndefined();
	});

	test('hold their pieces by number, then by name, whichever came first', () => {
		const captions = createAssembler();
		for (const partId of ['b', '10', '1', 'a', '9', '01'])
			captions.receive(translation({ partId, text: partId, final: true }), 0);
		const pieces = captions.rowAt(0)?.translations.map(({ partId }) => partId) ?? [];
		const numbered = pieces.filter((name) => /\d/.test(name));
		expect(numbered).toEqual(['01', '1', '9', '10']);
		expect(pieces.indexOf('a')).toBeLessThan(pieces.indexOf('b'));
	});

	test('of mine say nothing of whose they are', () => {
		const captions = createAssembler();
		captions.receive(message({ final: true }), 0);
		captions.lose(100, 1000);
		for (const one of captions.finals()) expect(one).not.toHaveProperty('leg');
		expect(captions.rowAt(0)).not.toHaveProperty('leg');
	});

	test('as many as are kept stay the same objects; one more drops the one not asked for the longest, which is built again alike', () => {
		const captions = createAssembler();
		for (let row = 0; row <= BUILT_ROWS; row += 1)
			captions.receive(message({ transcriptionId: `${row}`, final: true }), row);
		const ask = (upTo: number) => Array.from({ length: upTo }, (_, row) => captions.rowAt(row));
		const first = ask(BUILT_ROWS);
		for (const [row, again] of ask(BUILT_ROWS).entries()) expect(again).toBe(first[row]);
		captions.rowAt(BUILT_ROWS);
		expect(captions.rowAt(1)).toBe(first[1]);
		const again = captions.rowAt(0);
		expect(again).not.toBe(first[0]);
		expect(again).toEqual(first[0]);
		// The first one was in the way of the third, because the second was asked for meanwhile.
		expect(captions.rowAt(1)).toBe(first[1]);
		expect(captions.rowAt(2)).not.toBe(first[2]);
	});
});

describe('a new stream', () => {
	test('may use the same ids again without touching what was said before', () => {
		const captions = createAssembler();
		captions.newEpoch(0);
		captions.receive(message({ text: 'before.', final: true }), 100);
		captions.newEpoch(5000);
		captions.receive(message({ text: 'after.', final: true }), 6000);
		expect(captions.finals().map(({ transcriptionId, text }) => [transcriptionId, text])).toEqual([
			['a', 'before.'],
			['a~1', 'after.'],
		]);
	});

	test('leaves no text open that can no longer change', () => {
		const captions = createAssembler();
		captions.receive(message({ text: 'cut off' }), 0);
		captions.newEpoch(1000);
		expect(captions.open()).toEqual([]);
		expect(texts(captions.segments())).toEqual(['cut off']);
	});
});

describe('ids that begin again without a word from the service', () => {
	const said = (text: string, final = true) => message({ text, final, startS: null, endS: null });

	test.each([
		[20_000, 1],
		[20_001, 2],
	])('another text %s ms after a final with its id: %s rows', (afterMs, rows) => {
		const captions = createAssembler();
		captions.receive(said('One.'), 1000);
		captions.receive(said('Tw', false), 1000 + afterMs);
		captions.receive(said('Two.'), 1000 + afterMs);
		captions.receive(translation({ text: 'Dos.', final: true }), 1000 + afterMs);
		expect(captions.rowCount).toBe(rows);
		expect(captions.rowAt(rows - 1)?.translations).toHaveLength(1);
		expect(texts(captions.finals())).toEqual(rows === 1 ? ['One.', 'Dos.'] : ['One.', 'Two.', 'Dos.']);
	});

	test('the same text, an empty one or one of the same time is still the final, however late', () => {
		const captions = createAssembler();
		captions.receive(message({ text: 'One.', final: true, startS: 1, endS: 2 }), 2000);
		for (const again of [
			message({ text: 'One.', final: true, startS: 5, endS: 6 }),
			message({ text: '', final: true, startS: 5, endS: 6 }),
			message({ text: 'One, or two.', final: true, startS: 1, endS: 2.5 }),
		])
			expect(captions.receive(again, 60_000)).toBeNull();
		expect(captions.rowCount).toBe(1);
	});
});

describe('two streams, one after the other', () => {
	test('are told apart although they use the same ids; the first finishes what it began', () => {
		const captions = createAssembler();
		captions.receive(message({ text: 'One sen' }), 1000);
		captions.handOver(2000);
		captions.receive(message({ text: 'Two' }), 2500);
		captions.receive(message({ text: 'One sentence.', final: true }), 2600, 'former');
		captions.receive(message({ text: 'Two sentences.', final: true }), 3000);
		captions.receive(translation({ text: 'Una.', final: true }), 3100, 'former');
		captions.receive(translation({ text: 'Dos.', final: true }), 3200);
		const rows = Array.from({ length: captions.rowCount }, (_, index) => captions.rowAt(index));
		expect(rows.map((row) => [row?.source?.text, row?.translations[0]?.text])).toEqual([
			['One sentence.', 'Una.'],
			['Two sentences.', 'Dos.'],
		]);
		expect(captions.endFormer()).toEqual([]);
	});

	test('each have a clock of their own', () => {
		const captions = createAssembler();
		captions.receive(message({ startS: 0, endS: 1 }), 1000);
		captions.handOver(60_000);
		captions.receive(message({ startS: 0, endS: 1, final: true }), 61_000);
		captions.receive(
			message({ startS: 58, endS: 59.5, transcriptionId: 'b', final: true }),
			61_000,
			'former',
		);
		expect(captions.finals().map(({ startMs }) => startMs)).toEqual([58_000, 60_000]);
	});

	test('the first leaves what it did not finish cut off, and what comes of it later is not taken for the second’s', () => {
		const captions = createAssembler();
		captions.receive(message({ text: 'Cut' }), 1000);
		captions.handOver(2000);
		captions.receive(message({ text: 'Whole' }), 2500);
		expect(texts(captions.endFormer())).toEqual(['Cut']);
		expect(texts(captions.open())).toEqual(['Whole']);
		expect(captions.receive(message({ text: 'Cut off.', final: true }), 3000, 'former')).toBeNull();
		expect(captions.endFormer()).toEqual([]);
		expect(captions.rowCount).toBe(2);
	});

	test('both end where another one begins', () => {
		const captions = createAssembler();
		captions.receive(message({ text: 'One' }), 1000);
		captions.handOver(2000);
		captions.receive(message({ text: 'Two' }), 2500);
		expect(texts(captions.newEpoch(3000))).toEqual(['One', 'Two']);
		expect(captions.receive(message({ text: 'One.', final: true }), 3000, 'former')).toBeNull();
		expect(captions.receive(message({ text: 'Three.', final: true }), 4000)?.added).toBe(true);
	});
});

describe('a text that comes again', () => {
	test('with another end is another version; as it was it is none', () => {
		const captions = createAssembler();
		captions.newEpoch(0, 0);
		captions.receive(message({ startS: 0, endS: 1 }), 1000);
		expect(captions.receive(message({ startS: 0, endS: 1 }), 2000)).toBeNull();
		expect(captions.receive(message({ startS: 0, endS: 2 }), 2000)?.segment.endMs).toBe(2000);
	});
});

describe('a typed text', () => {
	test.each([
		[true, { kind: 'source', partId: '0' }],
		[false, { kind: 'translation', partId: '0' }],
	])(
		'is what was said (translated: %s) or what is heard, and no longer open once it is settled',
		(translate, is) => {
			const captions = createAssembler();
			const ids = [1, 2].map((at) => captions.type({ text: `${at}`, language: 'en', translate }, at));
			expect(new Set(ids).size).toBe(2);
			expect(captions.segments()).toMatchObject([is, is]);
			expect(texts(captions.open())).toEqual(['1', '2']);
			captions.settleTyped(ids[0] ?? '', { is: 'refused', problem: { kind: 'cancelled' } }, null);
			expect(texts(captions.open())).toEqual(['2']);
			// Anything that still comes under its id is not part of it.
			const late = { transcriptionId: ids[0] ?? '', text: 'late' };
			expect(
				captions.receive(message({ kind: translate ? 'source' : 'translation', ...late }), 3),
			).toBeNull();
		},
	);
});

describe('times', () => {
	const spanOf = (captions: Assembler, index = 0) => {
		const { startMs, endMs } = captions.segments()[index] ?? { startMs: -1, endMs: -1 };
		return [startMs, endMs];
	};

	test("are the service's, moved to where its stream began", () => {
		const captions = createAssembler();
		captions.newEpoch(0, 2000);
		captions.receive(message({ startS: 0.5, endS: 1.5 }), 9000);
		expect(spanOf(captions)).toEqual([2500, 3500]);
	});

	test("that cannot be this stream's do not move the others", () => {
		const captions = createAssembler();
		captions.receive(message({ startS: 1_790_615_783, endS: 1_790_615_785, final: true }), 2000);
		captions.receive(message({ transcriptionId: 'b', startS: 1, endS: 2, final: true }), 3000);
		expect(captions.finals().map(({ startMs, endMs }) => [startMs, endMs])).toEqual([
			[2000, 2000],
			[2000, 3000],
		]);
	});

	test('go on from now when the clock of the stream stood still in a pause', () => {
		const captions = createAssembler();
		captions.receive(message({ startS: 1, endS: 2, final: true }), 3000);
		captions.receive(message({ transcriptionId: 'b', startS: 2, endS: 4, final: true }), 605_000);
		captions.receive(message({ transcriptionId: 'c', startS: 5, endS: 6, final: true }), 606_500);
		expect([spanOf(captions, 0), spanOf(captions, 1), spanOf(captions, 2)]).toEqual([
			[2000, 3000],
			[602_500, 604_500],
			[605_500, 606_500],
		]);
	});

	test.each([
		['five seconds before Start', 5000, 10, [0, 5000]],
		['earlier', 5000, 10.001, [5000, 5000]],
	])('of a stream that seems to have begun %s', (_, nowMs, endS, span) => {
		const captions = createAssembler();
		captions.receive(message({ startS: 0, endS, final: true }), nowMs);
		expect(spanOf(captions)).toEqual(span);
	});

	test.each([
		[20_000, [2000, 3000]],
		[20_001, [22_001, 23_001]],
	])('of a text that seems to be %i ms late', (lateMs, span) => {
		const captions = createAssembler();
		captions.receive(message({ startS: 0, endS: 1, final: true }), 1000);
		captions.receive(message({ transcriptionId: 'b', startS: 2, endS: 3, final: true }), 3000 + lateMs);
		expect(spanOf(captions, 1)).toEqual(span);
	});

	test('of a stream whose beginning is known are counted from there, whenever they come', () => {
		const captions = createAssembler();
		captions.newEpoch(0, 1000);
		captions.receive(message({ startS: 1, endS: 2, final: true }), 9000);
		captions.receive(message({ transcriptionId: 'b', startS: 2, endS: 60, final: true }), 40_000);
		expect([spanOf(captions, 0), spanOf(captions, 1)]).toEqual([
			[2000, 3000],
			[3000, 45_000],
		]);
	});

	test('without an end last until they came; more than five seconds ahead are not believed', () => {
		const captions = createAssembler();
		captions.newEpoch(0, 0);
		captions.receive(message({ startS: 1, endS: null, final: true }), 4000);
		captions.receive(message({ transcriptionId: 'b', startS: 10, endS: null, final: true }), 5000);
		captions.receive(message({ transcriptionId: 'c', startS: 11.001, endS: null, final: true }), 6000);
		expect(captions.segments().map(({ startMs, endMs }) => [startMs, endMs])).toEqual([
			[1000, 4000],
			[6000, 6000],
			[10_000, 10_000],
		]);
	});

	test('of a stream whose beginning nothing tells are those of arrival', () => {
		const captions = createAssembler();
		captions.receive(message({ startS: 1, endS: null, final: true }), 4000);
		expect(spanOf(captions)).toEqual([4000, 4000]);
	});

	test('of a translation without any are those of its source', () => {
		const captions = createAssembler();
		captions.newEpoch(0, 0);
		captions.receive(translation({ final: true }), 8000);
		captions.receive(message({ startS: 1, endS: 2, final: true }), 8000);
		expect(captions.segments().map(({ startMs, endMs }) => [startMs, endMs])).toEqual([
			[1000, 2000],
			[1000, 2000],
		]);
	});

	test('are those of arrival when there are no others, or only impossible ones', () => {
		const captions = createAssembler();
		captions.newEpoch(0, 0);
		captions.receive(message({ text: 'one', startS: 1_790_615_783, endS: 1_790_615_785 }), 4000);
		captions.receive(message({ text: 'one two', startS: 1_790_615_783, endS: 1_790_615_786 }), 4500);
		expect(spanOf(captions)).toEqual([4000, 4500]);
	});
});

describe('open texts', () => {
	test('are never more than 256, and none is lost for that', () => {
		const captions = createAssembler();
		for (let n = 0; n < 1000; n++) captions.receive(message({ transcriptionId: `id${n}`, text: `${n}` }), n);
		expect(captions.open()).toHaveLength(256);
		expect(captions.segments()).toHaveLength(1000);
		expect(captions.receive(message({ transcriptionId: 'id0', text: 'zero', final: true }), 2000)?.row).toBe(
			0,
		);
	});

	test('stay as they are at the end, except that a final may still come', () => {
		const captions = createAssembler();
		captions.receive(message({ text: 'half a sen' }), 0);
		expect(texts(captions.closeOpen())).toEqual(['half a sen']);
		expect(captions.receive(message({ text: 'half a sentence' }), 0)).toBeNull();
		expect(captions.segments()).toMatchObject([{ text: 'half a sen', final: false }]);
		expect(captions.receive(message({ text: 'Half a sentence.', final: true }), 0)?.segment.final).toBe(true);
		expect(captions.open()).toEqual([]);
	});
});

describe('a text that was cut off', () => {
	const cutOff = (captions: Assembler) => captions.rowAt(0)?.source?.cutOff;

	test.each([
		['by a new stream', (captions: Assembler) => captions.newEpoch(1000)],
		['by a pause', (captions: Assembler) => captions.cutOff()],
		['by the end', (captions: Assembler) => captions.closeOpen()],
	])('%s is marked', (_, cut) => {
		const captions = createAssembler();
		captions.receive(message({ text: 'Could you' }), 0);
		expect(cutOff(captions)).toBeUndefined();
		expect(cut(captions)).toMatchObject([{ text: 'Could you', final: false, cutOff: true }]);
		expect(cutOff(captions)).toBe(true);
	});

	test('is not one that was typed, which says itself what became of it', () => {
		const captions = createAssembler();
		captions.type({ text: 'Hello', language: 'en', translate: true }, 0);
		expect([captions.cutOff(), captions.newEpoch(1000), cutOff(captions)]).toEqual([[], [], undefined]);
	});
});

describe('lost speech', () => {
	test('has a row of its own where it is missing, one for all that is lost in a row', () => {
		const captions = createAssembler();
		captions.receive(message({ text: 'before', final: true }), 1000);
		captions.lose(320, 5000);
		captions.lose(680, 5700);
		captions.receive(message({ transcriptionId: 'b', text: 'after', final: true }), 9000);
		captions.lose(2000, 20_000);
		captions.lose(0, 30_000);
		captions.receive(message({ transcriptionId: 'c', text: 'end', final: true }), 31_000);
		for (const ms of [0, -1]) captions.lose(ms, 32_000);
		captions.receive(
			message({ transcriptionId: 'c', kind: 'translation', text: 'fin', final: true }),
			33_000,
		);
		expect(captions.rowCount).toBe(5);
		expect(new Set([0, 1, 2, 3, 4].map((at) => captions.rowAt(at)?.transcriptionId)).size).toBe(5);
		expect(captions.rowAt(1)?.lost).toMatchObject({ key: 'lost|lost-1|0|', partId: '0', language: '' });
		expect(captions.rowAt(1)).toMatchObject({ source: null, lost: { startMs: 4680, endMs: 5680 } });
		expect(captions.rowAt(1)).toBe(captions.rowAt(1));
		expect(captions.finals().map(({ kind, text, endMs, startMs }) => [kind, text, endMs - startMs])).toEqual([
			['source', 'before', 0],
			['lost', '', 1000],
			['source', 'after', 0],
			['lost', '', 2000],
			['source', 'end', 0],
			['translation', 'fin', 0],
		]);
	});
});

describe('an empty text', () => {
	const said = (assembler: Assembler) => assembler.segments().map(({ text, final }) => [text, final]);

	test('makes no row, and takes no words away', () => {
		const assembler = createAssembler();
		expect(assembler.receive(message({ text: '' }), 0)).toBeNull();
		expect(assembler.receive(message({ text: ' ', final: true }), 0)).toBeNull();
		expect(assembler.rowCount).toBe(0);
		assembler.receive(message({ text: 'Hello' }), 0);
		assembler.receive(translation({ text: 'Hola' }), 0);
		for (const empty of [message({ text: '' }), translation({ text: '' })])
			expect(assembler.receive(empty, 0)).toBeNull();
		expect(said(assembler)).toEqual([
			['Hello', false],
			['Hola', false],
		]);
	});

	test('ends the text that was there, once; what is final stays as it is', () => {
		const assembler = createAssembler();
		assembler.receive(message({ text: 'um' }), 0);
		expect(assembler.receive(message({ text: '', final: true, language: 'de' }), 0)?.segment).toMatchObject({
			text: 'um',
			final: true,
			language: 'en',
		});
		expect(assembler.receive(message({ text: '', final: true }), 0)).toBeNull();
		expect(assembler.receive(message({ text: 'um again', final: true }), 0)).toBeNull();
		expect([said(assembler), assembler.open()]).toEqual([[['um', true]], []]);
	});
});
