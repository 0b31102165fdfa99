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
	expect(frames({ rows: [row('c', 'mine')] })).toMatchObject({ part: 0, rows: [{ key: 4, side: 'mine' }] });
});

test('captions of the previous conversation reach nobody, and their numbers are not given again', () => {
	const frames = createGuestFrames();
	const rows = [row('t1')];
	expect(frames({ rows }).rows).toHaveLength(1);
	const held: OverlayFrame = { rows, held: true };
	expect(frames(held)).toEqual({ part: 1, rows: [] });
	expect(frames(held)).toEqual({ part: 1, rows: [] });
	expect(numbers(frames, 't1')).toEqual([2]);
	expect(frames({ rows: [] })).toEqual({ part: 2, rows: [] });
	expect(numbers(frames, 't1')).toEqual([3]);
});

test('a page that has missed that captions were cleared, or replaced, learns it with the next ones', () => {
	const frames = createGuestFrames();
	// What was cleared before is told to nobody.
	const partOf = (begun: number, key = 't1') => {
		const { part, rows } = frames({ begun, rows: [row(key)] });
		return [part, ...rows.map((one) => one.key)];
	};
	expect(partOf(4)).toEqual([0, 1]);
	expect(partOf(4, 't2')).toEqual([0, 2]);
	expect(partOf(5)).toEqual([1, 3]);
	expect(partOf(5, 't2')).toEqual([1, 4]);
	expect(frames({ begun: 6, rows: [] })).toEqual({ part: 2, rows: [] });
	expect(partOf(6)).toEqual([2, 5]);
});

test('regions are left out, scripts are not, and a language that is known says its direction', () => {
	const frames = createGuestFrames();
	const told = (language: string) => {
		const [piece] = row('a').pieces;
		const rows = piece ? [{ ...row('a'), pieces: [{ ...piece, language }] }] : [];
		const one = frames({ rows }).rows[0]?.pieces[0];
		return [one?.language, one?.dir];
	};
	for (const code of ['es', 'es-la', 'es-ch', 'es-mx', 'es-eu']) expect(told(code)).toEqual(['es', 'ltr']);
	expect(told('zh-hant')).toEqual(['zh-Hant', 'ltr']);
	expect(told('ar-ae')).toEqual(['ar', 'rtl']);
	for (const code of ['', 'auto', 'no language']) expect(told(code)).toEqual(['und', undefined]);
});

test('of a long conversation the newest thousand rows are remembered, and one more is not', () => {
	const frames = createGuestFrames();
	for (let n = 1; n <= 1000; n += 1) numbers(frames, `t${n}`);
	expect(numbers(frames, 't1')).toEqual([1]);
	expect(numbers(frames, 't1001')).toEqual([1001]);
	expect(numbers(frames, 't2')).toEqual([2]);
	expect(numbers(frames, 't1')).toEqual([1002]);
});
