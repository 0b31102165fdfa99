import { type ReactNode, type Ref, useImperativeHandle, useLayoutEffect, useReducer, useRef } from 'react';
import styles from './windowed-list.module.css';

export interface WindowedListHandle {
	toEnd(): void;
	/** Brings this row to the top of the view. */
	toRow(index: number): void;
}

export interface WindowedListProps {
	readonly label: string;
	/** Number of rows; only the rows in view, and a few above and below, are rendered. */
	readonly count: number;
	/** Assumed height of rows not rendered yet, px. */
	readonly estimate: number;
	readonly row: (index: number) => ReactNode;
	/** Called when the end of the list scrolls into or out of view. */
	readonly onAtEnd?: (atEnd: boolean) => void;
	/** Initial position; default `end`. */
	readonly from?: 'start' | 'end';
	readonly ref?: Ref<WindowedListHandle>;
}

/** Rows rendered beyond each edge, so that scrolling by keyboard or wheel shows no gap. */
const AROUND = 4;
/** Maximum number of rows rendered at once, whatever their measured height. */
const MOST_ROWS = 40;
/** A scroll position within this distance of the end counts as the end, px. */
const NEAR_END = 32;

/** A long list with rows of any height. Stays at the end, unless the user scrolls up to read. */
export function WindowedList({ label, count, estimate, row, onAtEnd, from = 'end', ref }: WindowedListProps) {
	const scroller = useRef<HTMLDivElement>(null);
	const list = useRef<HTMLOListElement>(null);
	const heights = useRef(createRowHeights(estimate));
	const atEnd = useRef(from === 'end');
	/** The last scroll position, px: a lower one means that the user has scrolled up. */
	const lastTop = useRef(0);
	/** The last height of the view, px: if the height has changed, the browser may have scrolled, not the user. */
	const lastHeight = useRef(0);
	/** The focused row, which remains rendered however far the list is scrolled. */
	const focused = useRef<number | null>(null);
	/** The requested row, kept at the top until its neighbours are measured or the user scrolls. */
	const wanted = useRef<number | null>(null);
	const [, render] = useReducer((n: number) => n + 1, 0);

	heights.current.resize(count);
	const view = scroller.current;
	const viewHeight = view?.clientHeight ?? 800;
	const top = atEnd.current
		? Math.max(0, heights.current.offset(count) - viewHeight)
		: (view?.scrollTop ?? 0);
	const last = Math.min(count, heights.current.indexAt(top + viewHeight) + 1 + AROUND);
	const first = Math.max(0, last - MOST_ROWS, heights.current.indexAt(top) - AROUND);

	function stick(element: HTMLElement): void {
		setRoom('');
		element.scrollTop = element.scrollHeight;
		lastTop.current = element.scrollTop;
	}

	/** Reserves height if too few rows fill the view at this position; else the browser would scroll back. */
	function setRoom(height: string): void {
		if (list.current) list.current.style.minBlockSize = height;
	}

	/** Keeps the same row at the top when the view becomes higher or lower. */
	function resized(element: HTMLElement): void {
		const height = element.clientHeight;
		if (height === lastHeight.current) return;
		lastHeight.current = height;
		if (atEnd.current) return;
		setRoom(`${lastTop.current + height}px`);
		element.scrollTop = lastTop.current;
	}

	function toEnd(): void {
		atEnd.current = true;
		const element = scroller.current;
		if (element) stick(element);
		onAtEnd?.(true);
		render();
	}

	function toRow(index: number): void {
		const element = scroller.current;
		if (!element) return;
		atEnd.current = false;
		setRoom('');
		// Rows are measured only once rendered, so correct the position until the neighbouring rows are measured.
		wanted.current = index;
		element.scrollTop = heights.current.offset(index);
		lastTop.current = element.scrollTop;
		render();
	}
	useImperativeHandle(ref, () => ({ toEnd, toRow }));

	useLayoutEffect(() => {
		const element = scroller.current;
		const rows = list.current;
		if (!element || !rows) return;
		let changed = false;
		for (const child of rows.children) {
			const index = Number(child.getAttribute('data-index'));
			const before = heights.current.offset(index + 1) <= element.scrollTop;
			const by = heights.current.set(index, child.getBoundingClientRect().height);
			if (by === 0) continue;
			changed = true;
			// Rows above the view may turn out taller than estimated: keep the rows in view in place.
			if (before && !atEnd.current) element.scrollTop += by;
		}
		if (atEnd.current) stick(element);
		else if (wanted.current !== null) {
			element.scrollTop = heights.current.offset(wanted.current);
			lastTop.current = element.scrollTop;
			if (!changed) wanted.current = null;
		}
		if (changed) render();
		// Runs after every render: any may change a height, and measuring the rows in view is cheap.
	});

	// biome-ignore lint/correctness/useExhaustiveDependencies: `resized` reads nothing but refs
	useLayoutEffect(() => {
		const element = scroller.current;
		const rows = list.current;
		if (!element || !rows) return;
		const observer = new ResizeObserver(() => {
			resized(element);
			render();
		});
		observer.observe(element);
		observer.observe(rows);
		return () => observer.disconnect();
	}, []);

	function scrolled(): void {
		const element = scroller.current;
		if (!element) return;
		resized(element);
		const isKept = !atEnd.current && list.current?.style.minBlockSize !== '';
		if (isKept && element.scrollTop === lastTop.current) return;
		setRoom('');
		const near = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END;
		const backwards = element.scrollTop < lastTop.current - 1;
		lastTop.current = element.scrollTop;
		const now = near || (atEnd.current && !backwards);
		if (now !== atEnd.current) {
			atEnd.current = now;
			onAtEnd?.(now);
		}
		render();
	}

	const indices = Array.from({ length: Math.max(0, last - first) }, (_, n) => first + n);
	const kept = focused.current;
	const isAway = kept !== null && kept < count && (kept < first || kept >= last);
	if (isAway && kept < first) indices.unshift(kept);
	else if (isAway) indices.push(kept);
	return (
		<section
			ref={scroller}
			className={styles.scroller}
			onScroll={scrolled}
			// biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard (WCAG 2.1.1)
			tabIndex={0}
			aria-label={label}
		>
			<ol
				ref={list}
				className={styles.list}
				onBlur={() => {
					focused.current = null;
				}}
				style={{
					paddingBlockStart: heights.current.offset(first),
					paddingBlockEnd: heights.current.offset(count) - heights.current.offset(last),
				}}
			>
				{indices.map((index) => (
					<li
						key={index}
						data-index={index}
						// Includes focus in a dialog that a row opens: React's events bubble through its own tree.
						onFocus={() => {
							focused.current = index;
						}}
						aria-setsize={count}
						aria-posinset={index + 1}
						{...(isAway &&
							index === kept && {
								className: styles.away,
								style: { insetBlockStart: heights.current.offset(index) },
							})}
					>
						{row(index)}
					</li>
				))}
			</ol>
		</section>
	);
}

/** Heights of many rows: each operation takes O(log n). `estimate`: height of an unmeasured row, px. */
export function createRowHeights(estimate: number) {
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
		get count(): number {
			return count;
		},
		/** Adds rows with the estimated height at the end, or removes rows from the end. */
		resize(next: number): void {
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
		/** Sets a measured height, px. Returns the difference to the previous height. */
		set: (index: number, height: number): number => (index < count ? put(index, height) : 0),
		/** px from the top of row 0 to the top of row `index`; `offset(count)` is the total height. */
		offset,
		/** Index of the row at this distance from the top, px; clamped to the existing rows. */
		indexAt(px: number): number {
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
