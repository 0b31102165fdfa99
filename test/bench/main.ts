/**
 * `npm run bench [-- NAME…] [--long] [--rounds N] [--docs]`: the measurements of `test/bench/README.md`, all or those
 * named: start, mouth-to-ear, socket, start-up, captions, cost, stop, lag, echo, line, line-texts, bad-day, local. Each writes its
 * result to `out/bench`; `--docs` also writes the results into the page. No test checks these figures: times depend on
 * the machine, so the programs compared take turns within one run.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { readArguments } from '#scripts/arguments.ts';
import { buildWhenNeeded } from '#scripts/build.ts';
import { startUp } from './app-start-up.ts';
import { day } from './bad-day.ts';
import { lineTexts } from './bad-line-texts.ts';
import { line } from './bad-line-voice.ts';
import type { Bench, BenchResult } from './bench.ts';
import { pageOf, type Written } from './bench.ts';
import { captions } from './captions.ts';
import { start } from './conversation-start.ts';
import { stop } from './conversation-stop.ts';
import { cost } from './cost.ts';
import { lag } from './delay-shown.ts';
import { echo } from './echo-detection.ts';
import { local } from './local.ts';
import { mouthToEar } from './mouth-to-ear.ts';
import { socket } from './socket-delay.ts';

const benches: readonly Bench[] = [
	start,
	mouthToEar,
	socket,
	startUp,
	captions,
	cost,
	stop,
	lag,
	echo,
	line,
	lineTexts,
	day,
	local,
];
const FOLDER = 'out/bench';
const PAGE = 'test/bench/README.md';

const { values, positionals, refuse, whole } = readArguments(import.meta.filename, {
	allowPositionals: true,
	options: {
		long: { type: 'boolean', default: false },
		rounds: { type: 'string' },
		docs: { type: 'boolean', default: false },
		'docs-only': { type: 'boolean', default: false },
	},
});
const names = benches.map(({ name }) => name);
for (const name of positionals)
	if (!names.includes(name)) refuse(`No bench is called ${name}; there are ${names.join(', ')}.`);
const rounds = values.rounds === undefined ? undefined : whole('rounds', values.rounds);

if (!(await buildWhenNeeded())) process.exit(1);
mkdirSync(FOLDER, { recursive: true });
const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
const load = () => Number((loadavg()[0] ?? 0).toFixed(1));
const asked = benches.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
for (const bench of values['docs-only'] ? [] : asked) {
	console.error(`\n── ${bench.title} ──`);
	const loadBefore = load();
	const result: BenchResult = await bench.run({
		long: values.long,
		rounds,
		say: (text) => console.error(text),
	});
	const written: Written = {
		at: new Date().toISOString().slice(0, 16),
		commit,
		machine: `${cpus().length} × ${(cpus()[0]?.model ?? 'CPU').replaceAll(/\((?:R|TM)\)| Processor/g, '')}, ${Math.round(totalmem() / 2 ** 30)} GiB`,
		load: [loadBefore, load()],
		...result,
	};
	writeFileSync(join(FOLDER, `${bench.name}.json`), `${JSON.stringify(written, null, '\t')}\n`);
	console.log(`\n${result.markdown}\n`);
	for (const { id, goal, measured, reached } of result.goals) {
		const mark = reached === null ? '?' : reached ? 'yes' : 'NO';
		console.log(`${id.padEnd(4)} ${mark.padEnd(4)} ${goal}: ${measured}`);
	}
}

if (values.docs || values['docs-only']) {
	const latest = benches.map((bench) => {
		const file = join(FOLDER, `${bench.name}.json`);
		return { bench, written: existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Written) : null };
	});
	writeFileSync(PAGE, pageOf(latest, readFileSync(PAGE, 'utf8')));
}
// Browsers and servers are closed; do not wait for sockets that are still closing.
process.exit();
