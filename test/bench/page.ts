import type { Bench, BenchResult } from './bench.ts';

/** A result as it lies in `out/bench`. */
export interface Written extends BenchResult {
	readonly at: string;
	readonly commit: string;
	readonly machine: string;
	/** Load average over a minute, before and after. */
	readonly load: readonly [number, number];
}

interface Latest {
	readonly bench: Bench;
	readonly written: Written;
}

const HEAD = `# Benchmarks

Nothing here is asserted by a test: times depend on the machine. Run it yourself:

\`\`\`
npm run bench                          # everything, enough to see a change
npm run bench -- start mouth-to-ear    # only these
npm run bench -- --long                # the counts the goals ask for
npm run bench -- --docs                # and write this page anew
\`\`\`

Arms take turns within one run, so that a slow machine is slow for all; **ratios carry over to other machines,
milliseconds do not**. A figure is a median with the 95 % interval of a bootstrap. Every single value is in
\`out/bench/*.json\`.`;

const LEGEND = `**P** is speed and cost, **R** a bad day (its four hours are reckoned from minutes of it, see [there](#a-bad-day)), **F** and a
number that row of [faults.md](faults.md). The median decides; where its interval reaches over the goal the last column says so,
and *cannot tell* stands only where nothing could be measured: too little was lost, or the machine was too busy.`;

/** The page from the latest result of each measurement. */
export function pageOf(latest: readonly Latest[]): string {
	const goals = latest.flatMap(({ written }) => written.goals);
	const parts = [HEAD];
	if (goals.length > 0) parts.push(goalsOf(goals));
	for (const { bench, written } of latest) {
		parts.push(
			`## ${bench.title}`,
			bench.about.trim(),
			`Measured ${written.at} UTC at ${written.commit} on ${written.machine}, load ${written.load[0]} before and ${written.load[1]} after.`,
			...Object.keys(written.plots ?? {}).map((name) => `![${name}](pictures/bench/${name}.svg)`),
			written.markdown.trim(),
		);
	}
	return `${parts.join('\n\n')}\n`;
}

function goalsOf(goals: readonly BenchResult['goals'][number][]): string {
	const number = (id: string) => Number.parseInt(id.slice(1), 10);
	const rows = [...goals]
		.sort((one, other) => number(one.id) - number(other.id))
		.map(({ id, goal, measured, reached, because }) => {
			const verdict = reached === null ? 'cannot tell' : reached ? 'yes' : '**no**';
			return `| ${id} | ${goal} | ${measured} | ${verdict} | ${because ?? ''} |`;
		});
	return [
		'## Goals',
		'',
		LEGEND,
		'',
		'| | asked | measured | reached | what stands in the way |',
		'| --- | --- | --- | --- | --- |',
		...rows,
	].join('\n');
}
