/** Options of a measurement. */
export interface BenchOptions {
	/** Use the counts the goals ask for; otherwise just enough to see a change. */
	readonly long: boolean;
	/** Rounds or calls of each arm, if given by `--rounds`. */
	readonly rounds: number | undefined;
	/** Reports progress. */
	say(text: string): void;
}

/**
 * A goal and what was measured against it. `L`: this computer, `P1` to `P19`: speed and cost, `R16`: a bad day, `F` and a number: that row of
 * `test/faults/README.md`.
 */
export interface Goal {
	readonly id: string;
	/** The goal, in words. */
	readonly goal: string;
	/** The figure, with its interval. */
	readonly measured: string;
	/** Null: could not be measured (too few events, nothing to compare with, or a busy machine). */
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
}

/** A benchmark. It measures all programs compared ("arms") in turns within one run. */
export interface Bench {
	readonly name: string;
	readonly title: string;
	/** How it is measured and what to expect: Markdown for the reader of `test/bench/README.md`. */
	readonly about: string;
	run(options: BenchOptions): Promise<BenchResult>;
}

/** A result as stored in `out/bench`. */
export interface Written extends BenchResult {
	readonly at: string;
	readonly commit: string;
	readonly machine: string;
	/** Load average over a minute, before and after. */
	readonly load: readonly [number, number];
}

interface Latest {
	readonly bench: Pick<Bench, 'title' | 'about'>;
	/** Null: not run here, so its section of the page stays. */
	readonly written: Written | null;
}

const HEAD = `# Benchmarks

How quick Dragoman is, what it costs in processor time, memory and network, and how it gets through a bad day. It is compared with a
bare page (livekit-client alone), the vendor's JavaScript SDK and a blank window. No test asserts these figures. Run it yourself:

\`\`\`
npm run bench                          # everything, briefly
npm run bench -- start mouth-to-ear    # only these
npm run bench -- --long                # the counts the goals ask for
npm run bench -- --docs                # and write this page
\`\`\`

The programs compared (arms) take turns within one run. **Ratios carry over to other machines, milliseconds do not.** A figure is a
median (95 % bootstrap interval). Single values: \`out/bench/*.json\`.`;

const LEGEND = `**L** is [this computer](#on-this-computer), **P** speed and cost, **R** [a bad day](#a-bad-day), **F** and a number that row of [the faults](../faults/README.md). The median decides.
*Wide*: the interval crosses the goal. *Cannot tell*: too little lost, or the machine too busy.`;

/** Writes the page from the latest result of each benchmark. Sections of others are taken from the page `before`. */
export function pageOf(latest: readonly Latest[], before: string): string {
	const sections = new Map(
		before.split(/^## /m).map((text) => [text.split('\n', 1)[0] ?? '', `## ${text}`.trim()]),
	);
	const goals = latest.flatMap(({ written }) => written?.goals ?? []);
	const isWhole = latest.every(({ written }) => written);
	const rows = [...goals.map(rowOf), ...(isWhole ? [] : rowsWithout(goals, sections.get('Goals') ?? ''))];
	const parts = [HEAD];
	if (rows.length > 0) parts.push(goalsOf(rows));
	for (const { bench, written } of latest) {
		const section = written ? sectionOf(bench, written) : sections.get(bench.title);
		if (section) parts.push(section);
	}
	return `${parts.join('\n\n')}\n`;
}

function sectionOf(bench: Latest['bench'], written: Written): string {
	return [
		`## ${bench.title}`,
		bench.about.trim(),
		`Measured ${written.at} UTC, commit ${written.commit}, ${written.machine}, load ${written.load.join('…')}.`,
		written.markdown,
	].join('\n\n');
}

function rowOf({ id, goal, measured, reached, because }: BenchResult['goals'][number]): string {
	const verdict = reached === null ? 'cannot tell' : reached ? 'yes' : '**no**';
	return `| ${id} | ${goal} | ${measured} | ${because === undefined ? verdict : `${verdict}: ${because}`} |`;
}

/** Rows of an older table whose goals are not among these. */
function rowsWithout(goals: BenchResult['goals'], table: string): readonly string[] {
	const asked = new Set(goals.map(({ id, goal }) => `| ${id} | ${goal} |`));
	return (table.match(/^\| [A-Z]\d*[a-z]? \|.*\|$/gm) ?? []).filter(
		(row) => !asked.has(/^\|[^|]*\|[^|]*\|/.exec(row)?.[0] ?? ''),
	);
}

function goalsOf(rows: readonly string[]): string {
	// A letter alone comes first.
	const number = (row: string) => Number.parseInt(row.slice('| P'.length), 10) || 0;
	const reached = rows.filter((row) => / \| yes[^|]* \|$/.test(row));
	return [
		'## Goals',
		'',
		`**${reached.length} of ${rows.length} goals are reached.** ${LEGEND}`,
		'',
		'| | asked | measured | reached |',
		'| --- | --- | --- | --- |',
		...rows.toSorted((one, other) => number(one) - number(other)),
	].join('\n');
}
