import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TranscriptMessage } from '#shared/protocol/server-message.ts';
import { type Assembler, createAssembler } from './assembler.ts';

function message(fields: Partial<TranscriptMessage>): TranscriptMessage {
	return {
		type: 'transcript',
		kind: 'source',
		final: false,
		transcriptionId: 'a',
		partId: '0',
		language: 'en',
		text: 'text',
		startS: null,
		endS: null,
		...fields,
	};
}

const translation = (fields: Partial<TranscriptMessage>) =>
	message({ kind: 'translation', language: 'es', ...fields });

function texts(segments: readonly { readonly text: string }[]): readonly string[] {
	return segments.map(({ text }) => text);
}

/** One sentence as the service tells it: partials, then the final, for the source and each translation. */
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

	test('are the same object until something in them changes', () => {
		const captions = createAssembler();
		captions.receive(message({ text: 'one' }), 0);
		const before = captions.rowAt(0);
		captions.receive(message({ transcriptionId: 'b' }), 0);
		captions.receive(message({ text: 'one' }), 0);
		expect(captions.rowAt(0)).toBe(before);
		captions.receive(message({ text: 'two' }), 0);
		expect(captions.rowAt(0)).not.toBe(before);
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

	test('without a known beginning take the earliest that fits every message', () => {
		const captions = createAssembler();
		captions.receive(message({ startS: 0, endS: 1, final: true }), 5000);
		captions.receive(message({ transcriptionId: 'b', startS: 2, endS: 3, final: true }), 5500);
		captions.receive(message({ transcriptionId: 'c', startS: 3, endS: 4, final: true }), 9000);
		expect([spanOf(captions, 0), spanOf(captions, 1), spanOf(captions, 2)]).toEqual([
			[2500, 3500],
			[4500, 5500],
			[5500, 6500],
		]);
	});

	test('of a stream that counts on after a new task stay where they are', () => {
		const captions = createAssembler();
		captions.newEpoch(5000);
		captions.receive(message({ startS: 1, endS: 3 }), 6000);
		expect(spanOf(captions)).toEqual([4000, 6000]);
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
	test('are listed until their final comes', () => {
		const captions = createAssembler();
		captions.receive(message({ text: 'one' }), 0);
		captions.receive(translation({ text: 'uno' }), 0);
		captions.receive(message({ text: 'One.', final: true }), 0);
		expect(texts(captions.open())).toEqual(['uno']);
	});

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

	test('goes on when a word or the final comes after the pause', () => {
		const captions = createAssembler();
		captions.receive(message({ text: 'Could you' }), 0);
		captions.cutOff();
		captions.receive(message({ text: 'Could you please' }), 500);
		expect(cutOff(captions)).toBeUndefined();
		captions.cutOff();
		captions.receive(message({ text: 'Could you please wait?', final: true }), 900);
		expect(captions.rowAt(0)?.source).toMatchObject({ final: true });
		expect(cutOff(captions)).toBeUndefined();
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
		expect(captions.rowCount).toBe(4);
		expect(captions.rowAt(1)).toMatchObject({ source: null, lost: { startMs: 4680, endMs: 5680 } });
		expect(captions.rowAt(1)).toBe(captions.rowAt(1));
		expect(captions.finals().map(({ kind, text, endMs, startMs }) => [kind, text, endMs - startMs])).toEqual([
			['source', 'before', 0],
			['lost', '', 1000],
			['source', 'after', 0],
			['lost', '', 2000],
		]);
	});
});
