/** Options of a measurement. */
export interface BenchOptions {
	/** The counts the goals ask for; otherwise enough to see a change. */
	readonly long: boolean;
	/** Rounds or calls of each arm, if the caller says so. */
	readonly rounds: number | undefined;
	/** Progress, for the one who waits. */
	say(text: string): void;
}

/**
 * A goal and what was measured against it. `P1` to `P19`: speed and cost, `R16`: a bad day, `F` and a number: that row of
 * `docs/faults.md`.
 */
export interface Goal {
	readonly id: string;
	/** The goal, in words. */
	readonly goal: string;
	/** What was seen, with its interval. */
	readonly measured: string;
	/** Null: nothing could be measured (too little to count, its anchor was not there, the machine was busy). */
	readonly reached: boolean | null;
	/** If it is not reached, what stands in the way; also whether the interval crosses the goal. */
	readonly because?: string;
}

export interface BenchResult {
	/** Tables, ratios first; headings from the third level down. */
	readonly markdown: string;
	/** Every single value, for further computation. */
	readonly data: unknown;
	readonly goals: readonly Goal[];
	/** SVG by file name without its ending. */
	readonly plots?: Readonly<Record<string, string>>;
}

/** One measurement: its arms side by side in one run. */
export interface Bench {
	readonly name: string;
	readonly title: string;
	/** How it is measured and what to expect: Markdown for the reader of `docs/benchmarks.md`. */
	readonly about: string;
	run(options: BenchOptions): Promise<BenchResult>;
}
