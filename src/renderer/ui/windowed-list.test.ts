import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRowHeights } from './windowed-list.tsx';

test('sums and finds like a plain list of heights, whatever happened before', () => {
	const change = fc.oneof(
		fc.record({ resize: fc.nat(3000) }),
		fc.record({ index: fc.nat(3000), height: fc.integer({ min: 1, max: 400 }) }),
	);
	fc.assert(
		fc.property(fc.array(change, { maxLength: 30 }), fc.nat(200_000), (changes, px) => {
			const rows = createRowHeights(50);
			let model: number[] = [];
			for (const one of changes) {
				if ('resize' in one) {
					rows.resize(one.resize);
					model = Array.from({ length: one.resize }, (_, index) => model[index] ?? 50);
				} else {
					rows.set(one.index, one.height);
					if (one.index < model.length) model[one.index] = one.height;
				}
			}
			const total = model.reduce((sum, height) => sum + height, 0);
			expect(rows.offset(model.length)).toBe(total);
			let at = 0;
			let top = 0;
			while (at < model.length - 1 && top + (model[at] ?? 0) <= px) {
				top += model[at] ?? 0;
				at += 1;
			}
			expect(rows.indexAt(px)).toBe(at);
			expect(rows.offset(rows.indexAt(px))).toBe(top);
		}),
	);
});

test('an empty list has row 0 at every px', () => {
	expect(createRowHeights(50).indexAt(1000)).toBe(0);
});
