import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CaptionRow } from '#shared/captions/segment.ts';
import { FRAME_ROWS, OverlayFrame } from '#shared/overlay/frames.ts';
import { captionRow, lostRow } from '#test/support/fake-conversation.ts';
import { createFrames, type FrameSource } from './overlay-feed.ts';

function source(rows: readonly CaptionRow[], more: Partial<FrameSource> = {}): FrameSource {
	return { rows: rows.length, row: (index) => rows[index], sided: false, lit: [], ...more };
}
const many = (count: number) =>
	Array.from({ length: count }, (_, id) => captionRow(id, ['en', `said ${id}`], [['es', `dicho ${id}`]]));

test('a frame is the newest rows, and building it reads no others', () => {
	const rows = many(10_000);
	const read: number[] = [];
	const frame = createFrames()(
		source(rows, {
			row(index) {
				read.push(index);
				return rows[index];
			},
		}),
	);
	expect(frame.rows.map(({ key }) => key)).toEqual(rows.slice(-FRAME_ROWS).map((row) => row.transcriptionId));
	expect(read).toEqual(Array.from({ length: FRAME_ROWS }, (_, index) => 10_000 - FRAME_ROWS + index));
});

test('the end of what is unfinished is uncertain, the beginning once two versions agree on it', () => {
	const build = createFrames();
	const version = (text: string, final: boolean) =>
		build(source([captionRow(0, ['en', text], [], final)])).rows[0]?.pieces[0];
	expect(version('I want', false)).toMatchObject({ text: 'I want', steady: 0 });
	expect(version('I want to go', false)).toMatchObject({ text: 'I want to go', steady: 6 });
	expect(version('I want', false)).toMatchObject({ text: 'I want to go', steady: 6 });
	expect(version('I want.', true)).toMatchObject({ text: 'I want.', steady: 7, final: true });
});

test('whose words they are, what is heard, and what was lost', () => {
	const [first] = many(1);
	const rows = [{ ...first, leg: 'incoming' } as CaptionRow, lostRow(1, 4200)];
	const frame = createFrames()(source(rows, { sided: true, lit: ['t0'] }));
	expect(frame.rows[0]).toMatchObject({ side: 'theirs', lit: true });
	expect(frame.rows[1]).toMatchObject({ side: 'mine', lit: false, pieces: [{ kind: 'lost', lostMs: 4200 }] });
});

test('whatever is said, the frame is one the contract takes, and is a line of text without marks of direction', () => {
	fc.assert(
		fc.property(
			fc.array(fc.tuple(fc.string({ unit: 'grapheme', maxLength: 2000, size: 'max' }), fc.boolean()), {
				maxLength: 12,
			}),
			(texts) => {
				const rows = texts.map(([text, final], id) =>
					captionRow(id, ['en', `${text}\u202e\n`], [['ar', text]], final),
				);
				const frame = createFrames()(source(rows));
				expect(OverlayFrame.safeParse(frame).success).toBe(true);
				for (const { text, steady } of frame.rows.flatMap(({ pieces }) => pieces)) {
					expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069\n]/);
					expect(text.isWellFormed()).toBe(true);
					expect(steady).toBeLessThanOrEqual(text.length);
				}
			},
		),
		{ numRuns: 60 },
	);
});
