/**
 * `npm run promises [-- --only TEXT]`: for each promise of the README and of docs/security.md (`test/promises/`) one mistake
 * is put into the code, in memory, and its test must fail. `--only`: those whose promise or file has TEXT in it. The
 * status is 1 where a mistake was not seen, where the text it changes is not there any more, or where the test fails
 * without it, too.
 */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { createVitest, type TestModule, type TestUserConfig } from 'vitest/node';
import { promises } from '#test/promises/all.ts';
import type { Promised } from '#test/promises/promise.ts';
import { notRun } from '#test/support/not-run.ts';
import { readArguments } from './arguments.ts';
import { patternOf } from './fault-rows.ts';

const PLAIN = 'plain';

const { values, refuse } = readArguments(import.meta.filename, {
	options: { only: { type: 'string', default: '' } },
});
const only = values.only.toLowerCase();
const wanted = promises.filter(({ promise, file }) =>
	[promise, file].some((text) => text.toLowerCase().includes(only)),
);
if (wanted.length === 0) refuse(`No promise and no file has "${values.only}" in it.`);

/** Why it cannot be put in; null when it can. */
function misfit({ file, from, to }: Promised): string | null {
	const found = readFileSync(file, 'utf8').split(from).length - 1;
	if (found !== 1) return `its text is ${found === 0 ? 'not there any more' : `there ${found} times`}`;
	return from === to ? 'it changes nothing' : null;
}

type Project = NonNullable<TestUserConfig['projects']>[number];

/** A project of its own for each mistake: its modules are loaded apart from those of the others. */
function project(name: string, tests: readonly Promised[], mistake?: Promised): Project {
	const path = mistake && resolve(mistake.file);
	const isChanged = (id: string) => id.split('?')[0] === path;
	return {
		plugins: [
			{
				name: 'promises',
				enforce: 'pre',
				// What is unchanged is transformed once for all projects; what is changed is kept for none.
				api: { vitest: { ignoreFsModuleCache: true } },
				configureVitest({ defineCacheKeyGenerator }) {
					defineCacheKeyGenerator(({ id }) => (isChanged(id) ? false : ''));
				},
				transform: (code, id) =>
					mistake && isChanged(id)
						? { code: code.replace(mistake.from, () => mistake.to), map: null }
						: undefined,
			},
		],
		test: {
			name,
			include: [...new Set(tests.map(({ test }) => test))],
			setupFiles: ['test/support/seed.ts'],
			env: { DRAGOMAN_TEST_SEED: '1' },
		},
	};
}

const begun = performance.now();
const misfits = wanted.map(misfit);
const fitting = wanted.filter((_, at) => misfits[at] === null);
const ended: { readonly project: string; readonly module: TestModule }[] = [];
const vitest = await createVitest({
	config: false,
	watch: false,
	maxWorkers: availableParallelism(),
	reporters: [{ onTestModuleEnd: (module) => void ended.push({ project: module.project.name, module }) }],
	projects: [
		project(PLAIN, fitting),
		...fitting.map((one) => project(String(wanted.indexOf(one)), [one], one)),
	],
});

for (const { name, config } of vitest.projects) {
	const tests = name === PLAIN ? fitting : wanted.slice(Number(name), Number(name) + 1);
	config.testNamePattern = new RegExp(tests.map((one) => patternOf(one.name)).join('|'));
}
await vitest.start();

/** What became of the tests of that name in a project. */
function ran(name: string, { test, name: title }: Promised) {
	const found = ended.find(({ project, module }) => project === name && module.relativeModuleId === test);
	const pattern = new RegExp(patternOf(title));
	const mine = [...(found?.module.children.allTests() ?? [])].filter((one) => pattern.test(one.name));
	const states = new Set(mine.map((one) => one.result().state));
	return { states, isLoaded: found !== undefined && found.module.errors().length === 0 };
}

/** Why it counts as unseen; null when its test failed with it, and with it alone. */
function verdict(one: Promised, at: number): string | null {
	if (misfits[at]) return misfits[at];
	const { states } = ran(PLAIN, one);
	if (states.size === 0) return `${one.test} has no test "${one.name}"`;
	if (states.has('failed')) return `${one.test} fails without it, too`;
	if (!states.has('passed')) return null;
	const mistaken = ran(String(at), one);
	if (!mistaken.isLoaded) return `${one.test} cannot be loaded with it: no test has seen it`;
	return mistaken.states.has('failed') ? null : `${one.test} does not see it`;
}

const unseen = wanted.flatMap((one, at) => {
	const why = verdict(one, at);
	return why === null ? [] : [{ ...one, why }];
});
for (const { promise, file, why, from, to } of unseen)
	console.log(`SURVIVED: ${promise}\n  ${file}: ${why}\n  - ${from.trim()}\n  + ${to.trim()}`);
const left = fitting.filter((one) => ![...ran(PLAIN, one).states].some((state) => state !== 'skipped'));
for (const { promise } of left.filter((one) => ran(PLAIN, one).states.size > 0))
	notRun(`the mistake against "${promise}"`, 'its test leaves itself out here');
const seconds = Math.round((performance.now() - begun) / 1000);
console.log(`${wanted.length - unseen.length} of ${wanted.length} mistakes were seen, in ${seconds} s`);
await vitest.close();
// Vitest has an idea of its own: to it a test that fails is a failure.
process.exitCode = unseen.length > 0 ? 1 : 0;
