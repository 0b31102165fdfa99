/**
 * `npm run soak`: hours of use in one sitting, with faults from a seed; ends with what was found, in `out/soak/`.
 *
 * - `conversation`: an hour under fake time for each of several seeds (`--seeds 8`)
 * - `app`: the built app against the sandbox for ten minutes of real time (`--minutes N`, `--long` = 8 hours); what
 *   the window showed when something was found is in `app-finding.png`
 *
 * `npm run soak -- app --minutes 10 --seed 7` runs one of them; without a name both. The status is 1 when
 * something was found.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readArguments } from '#scripts/arguments.ts';
import { buildWhenNeeded } from '#scripts/build.ts';
import { soakApp } from './app.ts';
import { soakConversation } from './conversation.ts';
import type { SoakSummary } from './watch.ts';

const { values, positionals, refuse, whole, seedOf } = readArguments(import.meta.filename, {
	allowPositionals: true,
	options: {
		seed: { type: 'string' },
		seeds: { type: 'string', default: '8' },
		minutes: { type: 'string', default: '10' },
		long: { type: 'boolean' },
	},
});
const OUT = 'out/soak';
const PICTURE = join(OUT, 'app-finding.png');
const parts = ['conversation', 'app'];
const unknown = positionals.find((name) => !parts.includes(name));
if (unknown) refuse(`No part is called ${unknown}; there are ${parts.join(', ')}.`);
const wanted = positionals.length > 0 ? positionals : parts;
const seed = seedOf(values.seed);
const seeds = whole('seeds', values.seeds);
const minutes = whole('minutes', values.minutes);
const say = (text: string) => console.log(text);
mkdirSync(OUT, { recursive: true });
rmSync(PICTURE, { force: true });
console.log(`seed ${seed}`);

async function conversations(): Promise<SoakSummary> {
	const reports = [];
	for (let more = 0; more < seeds; more += 1) {
		const report = await soakConversation(seed + more, 60);
		const { minutes: lived, finals, sessions, findings } = report;
		say(
			`seed ${report.seed}: ${lived.toFixed(0)} min, ${finals} finals, ${sessions} sessions, ${findings.length} findings`,
		);
		reports.push(report);
	}
	const findings = reports.flatMap((report) => report.findings.map((what) => `seed ${report.seed}: ${what}`));
	const rows = reports.map(
		({ seed: one, minutes: lived, finals, sessions, requests, longestMs, baseline }) =>
			`| ${one} | ${lived.toFixed(0)} | ${finals} | ${sessions} | ${requests} | ${(longestMs.starting ?? 0) / 1000} | ${baseline.timers} | ${baseline.listeners} |`,
	);
	const head =
		'| seed | minutes | finals | sessions | requests | longest start, s | timers at rest | listeners at rest |';
	return {
		findings,
		data: reports,
		markdown: [head, '|---|---|---|---|---|---|---|---|', ...rows].join('\n'),
	};
}

const runs: Readonly<Record<string, () => Promise<SoakSummary>>> = {
	conversation: conversations,
	app: () => soakApp({ seed, minutes: values.long ? 480 : minutes, say, picture: PICTURE }),
};
if (wanted.includes('app') && !(await buildWhenNeeded())) process.exit(1);
for (const name of wanted) {
	console.log(`\n── ${name} ──`);
	const { findings, data, markdown } = (await runs[name]?.()) ?? {
		findings: ['did not run'],
		data: null,
		markdown: '',
	};
	const found = findings.length > 0 ? findings.map((what) => `- ${what}`).join('\n') : 'Nothing was found.';
	writeFileSync(join(OUT, `${name}.json`), `${JSON.stringify({ seed, findings, data }, null, '\t')}\n`);
	writeFileSync(join(OUT, `${name}.md`), `# Soak: ${name}\n\nSeed ${seed}.\n\n${markdown}\n\n${found}\n`);
	console.log(`${markdown}\n${found}`);
	if (findings.length > 0) process.exitCode = 1;
}
