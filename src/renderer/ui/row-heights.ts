/** Heights of many rows with fast sums: `offset` and `indexAt` cost log n, `set` and `grow` likewise. */
export interface RowHeights {
	readonly count: number;
	/** Adds rows with the estimated height at the end, or removes rows from the end. */
	resize(count: number): void;
	/** Sets a measured height, px. Returns the difference to the previous height. */
	set(index: number, height: number): number;
	/** px from the top of row 0 to the top of row `index`; `offset(count)` is the total height. */
	offset(index: number): number;
	/** Index of the row at this distance from the top, px; clamped to the existing rows. */
	indexAt(px: number): number;
}

/** `estimate`: height of every row not measured yet, px. */
export function createRowHeights(estimate: number): RowHeights {
	let count = 0;
	let capacity = 1024;
	let heights = new Float64Array(capacity);
	/** Fenwick tree over `heights`: node i sums the rows (i - lowest bit of i, i]. */
	let tree = new Float64Array(capacity + 1);

	function add(index: number, by: number): void {
		for (let i = index + 1; i <= capacity; i += i & -i) tree[i] = (tree[i] ?? 0) + by;
	}

	function put(index: number, height: number): number {
		const by = height - (heights[index] ?? 0);
		if (by !== 0) {
			heights[index] = height;
			add(index, by);
		}
		return by;
	}

	function enlarge(): void {
		const old = heights;
		capacity *= 2;
		heights = new Float64Array(capacity);
		tree = new Float64Array(capacity + 1);
		for (let index = 0; index < count; index++) put(index, old[index] ?? 0);
	}

	function offset(index: number): number {
		let sum = 0;
		for (let i = Math.min(index, count); i > 0; i -= i & -i) sum += tree[i] ?? 0;
		return sum;
	}

	return {
		get count() {
			return count;
		},
		resize(next) {
			while (count > next) {
				count -= 1;
				put(count, 0);
			}
			while (count < next) {
				if (count === capacity) enlarge();
				put(count, estimate);
				count += 1;
			}
		},
		set: (index, height) => (index < count ? put(index, height) : 0),
		offset,
		indexAt(px) {
			let at = 0;
			let rest = px;
			for (let step = capacity; step > 0; step >>= 1) {
				const next = at + step;
				if (next <= capacity && (tree[next] ?? 0) <= rest) {
					at = next;
					rest -= tree[next] ?? 0;
				}
			}
			return Math.max(0, Math.min(at, count - 1));
		},
	};
}
