import { expect, test } from 'vitest';
import type { FrameRow, OverlayFrame } from '#shared/overlay/frame.ts';
import { createGuestFrames } from './guest-frame.ts';

function row(key: string, side?: FrameRow['side']): FrameRow {
	const piece = { key: `source|${key}`, kind: 'source' as const, language: 'en', text: key, steady: 0 };
	return { key, ...(side && { side }), lit: false, pieces: [{ ...piece, final: true }] };
}

const numbers = (frames: ReturnType<typeof createGuestFrames>, ...keys: string[]) =>
	frames({ rows: keys.map((key) => row(key)) }).rows.map(({ key }) => key);

test('rows have numbers, the same for as long as they are known, whatever is put between them', () => {
	const frames = createGuestFrames();
	expect(numbers(frames, 'a', 'b')).toEqual([1, 2]);
	expect(numbers(frames, 'a', 'late', 'b')).toEqual([1, 3, 2]);
	expect(numbers(frames, 'c')).toEqual([4]);
	expect(numbers(frames, 'b', 'c')).toEqual([2, 4]);
	// Another side has joined meanwhile.
	expect(frames({ rows: [row('c', 'mine')] }).rows).toMatchObject([{ key: 4, side: 'mine' }]);
});

test('captions of the previous conversation reach nobody, and their numbers are not given again', () => {
	const frames = createGuestFrames();
	const rows = [row('t1')];
	expect(frames({ rows }).rows).toHaveLength(1);
	const held: OverlayFrame = { rows, held: true };
	expect(frames(held)).toEqual({ rows: [] });
	expect(numbers(frames, 't1')).toEqual([2]);
	expect(frames({ rows: [] })).toEqual({ rows: [] });
	expect(numbers(frames, 't1')).toEqual([3]);
});

test('of a long conversation the newest thousand rows are remembered, and one more is not', () => {
	const frames = createGuestFrames();
	for (let n = 1; n <= 1000; n += 1) numbers(frames, `t${n}`);
	expect(numbers(frames, 't1')).toEqual([1]);
	expect(numbers(frames, 't1001')).toEqual([1001]);
	expect(numbers(frames, 't2')).toEqual([2]);
	expect(numbers(frames, 't1')).toEqual([1002]);
});
