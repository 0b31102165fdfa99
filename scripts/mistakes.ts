/**
 * Puts mistakes into the code, one at a time and in memory, and checks whether a test fails: how the promises
 * (`promises.ts`) and the faults (`faults.ts`) are proven. No file is ever changed, so nothing has to be restored.
 */
import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { createVitest, type TestModule, type TestUserConfig } from 'vitest/node';
import { patternOf, projectOf } from './test-name.ts';

/** One mistake, and the test that must fail with it. */
export interface Mistake {
	/** From the root of the repository. */
	readonly file: string;
	/** Occurs in the file exactly once. */
	readonly from: string;
	readonly to: string;
	/** A test file that runs in plain Node or in the browser; not one of the built app. */
	readonly test: string;
	/** A part of the whole name of the test that fails, with `%s` and the like for what varies. */
	readonly name: string;
}

/**
 * `seen`: its test failed with it and passed without it. `left out`: its test skipped itself, because something is
 * missing here. `unseen`: anything else, and why.
 */
export type Outcome =
	| { readonly outcome: 'seen' }
	| { readonly outcome: 'left out' }
	| { readonly outcome: 'unseen'; readonly why: string };

const PLAIN = 'plain';

/** A mistake may cause an endless loop, which no test timeout ends: after this long without progress it is given up, ms. */
const STALLED_MS = 60_000;
/** Mistakes in one Vitest run; if one hangs, it holds up no more than these. */
const AT_ONCE = 40;

/** Why a mistake cannot be put in; null when it can. */
export function misfit({ file, from, to }: Mistake): string | null {
	const found = readFileSync(file, 'utf8').split(from).length - 1;
	if (found !== 1) return `its text is ${found === 0 ? 'not there any more' : `there ${found} times`}`;
	return from === to ? 'it changes nothing' : null;
}

type Project = NonNullable<TestUserConfig['projects']>[number];

interface Run {
	readonly states: ReadonlySet<string>;
	/** Whether the test file was loaded without an error. */
	readonly isLoaded: boolean;
	/** False if it hangs. */
	readonly hasEnded: boolean;
}

/** What its test did without the mistake, and with it. */
export interface Runs {
	readonly plain: Run;
	readonly mistaken: Run;
}

type Tests = { browser?: { instances?: readonly object[] } };

/** A separate project for each mistake, so that it has module instances of its own. */
function project(name: string, tests: readonly Mistake[], base: object, mistake?: Mistake): Project {
	const path = mistake && resolve(mistake.file);
	const isChanged = (id: string) => id.split('?')[0] === path;
	const { plugins = [], test = {}, ...rest } = base as { plugins?: unknown[]; test?: Tests };
	const { browser } = test;
	return {
		...rest,
		plugins: [
			...plugins,
			{
				name: 'mistake',
				enforce: 'pre',
				// Unchanged modules are transformed once for all projects; changed ones are not cached.
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
			...test,
			name,
			include: [...new Set(tests.map((one) => one.test))],
			...(browser
				? // Vitest writes into them, and a page has no environment.
					{ browser: { ...browser, instances: browser.instances?.map((one) => ({ ...one })) } }
				: { setupFiles: ['test/support/seed.ts'], env: { DRAGOMAN_TEST_SEED: '1' } }),
		},
	} as Project;
}

/** Runs the tests of all of them in one Vitest; `base`: the project that their tests belong to. */
async function runAll(mistakes: readonly Mistake[], atOnce: number, base: object): Promise<readonly Runs[]> {
	const ended: { readonly project: string; readonly module: TestModule }[] = [];
	let newsAt = performance.now();
	const workers: ChildProcess[] = [];
	const began = (message: unknown) => void workers.push((message as { process: ChildProcess }).process);
	subscribe('child_process', began);
	const vitest = await createVitest({
		config: false,
		watch: false,
		maxWorkers: atOnce,
		reporters: [
			{
				onTestModuleEnd(module) {
					newsAt = performance.now();
					ended.push({ project: module.project.name, module });
				},
			},
		],
		projects: [
			project(PLAIN, mistakes, base),
			...mistakes.map((one, at) => project(String(at), [one], base, one)),
		],
	});
	/** A project in a browser has the name of the browser behind its own. */
	const own = (name: string) => name.split(' ')[0] ?? name;
	for (const { name, config } of vitest.projects) {
		const tests = own(name) === PLAIN ? mistakes : mistakes.slice(Number(own(name)), Number(own(name)) + 1);
		config.testNamePattern = new RegExp(tests.map((one) => patternOf(one.name)).join('|'));
	}
	const isOver = Promise.withResolvers<void>();
	const looking = setInterval(() => {
		if (performance.now() - newsAt <= STALLED_MS) return;
		isOver.resolve();
		// In an endless loop it reacts to nothing else.
		for (const worker of workers) worker.kill('SIGKILL');
	}, 1000);
	await Promise.race([vitest.start(), isOver.promise]);
	clearInterval(looking);
	function ran(name: string, { test, name: title }: Mistake): Run {
		const found = ended.find(
			({ project: mine, module }) => own(mine) === name && module.relativeModuleId === test,
		);
		const pattern = new RegExp(patternOf(title));
		const mine = [...(found?.module.children.allTests() ?? [])].filter((one) =>
			pattern.test(one.fullName.replaceAll(' > ', ' ')),
		);
		return {
			states: new Set(mine.map((one) => one.result().state)),
			isLoaded: found !== undefined && found.module.errors().length === 0,
			hasEnded: found !== undefined,
		};
	}
	const runs = mistakes.map((one, at) => ({ plain: ran(PLAIN, one), mistaken: ran(String(at), one) }));
	unsubscribe('child_process', began);
	await vitest.close();
	// Vitest sets a failing status, but here tests are meant to fail.
	process.exitCode = 0;
	return runs;
}

const nothing: Run = { states: new Set(), isLoaded: false, hasEnded: false };
const NEVER_RAN: Runs = { plain: nothing, mistaken: nothing };

/** As `runAll`; if one mistake hangs, those it held up are run one by one. */
async function runPart(part: readonly Mistake[], workers: number, base: object): Promise<readonly Runs[]> {
	const runs: Runs[] = [];
	for (const [at, its] of (await runAll(part, workers, base)).entries()) {
		const one = part[at];
		const isOver = its.plain.hasEnded && its.mistaken.hasEnded;
		const again = isOver || !one || part.length === 1 ? [] : await runAll([one], workers, base);
		runs.push(again[0] ?? its);
	}
	return runs;
}

/** What came of a mistake, by what its test did. */
export function outcomeOf({ test, name }: Mistake, { plain, mistaken }: Runs): Outcome {
	const unseen = (why: string): Outcome => ({ outcome: 'unseen', why });
	if (plain.hasEnded && !mistaken.hasEnded) return unseen(`${test} never ends with it`);
	if (plain.states.size === 0) return unseen(`${test} has no test "${name}"`);
	if (plain.states.has('failed')) return unseen(`${test} fails without it, too`);
	if (!plain.states.has('passed')) return { outcome: 'left out' };
	if (!mistaken.isLoaded) return unseen(`${test} cannot be loaded with it: no test has seen it`);
	return mistaken.states.has('failed') ? { outcome: 'seen' } : unseen(`${test} does not see it`);
}

/**
 * What came of each mistake, in their order.
 * @throws Error for a mistake whose test runs the built app, which cannot be patched from here.
 */
export async function tryOut(mistakes: readonly Mistake[]): Promise<readonly Outcome[]> {
	const outcomes = new Map<Mistake, Outcome>();
	const groups = new Map<string, Mistake[]>();
	for (const one of mistakes) {
		const kind = projectOf(one.test);
		if (kind === 'e2e') throw new Error(`${one.test} is a test of the built app.`);
		const why = misfit(one);
		if (why !== null) outcomes.set(one, { outcome: 'unseen', why });
		else groups.set(kind, [...(groups.get(kind) ?? []), one]);
	}
	for (const [kind, mine] of groups) {
		const base = kind === 'browser' ? await browserProject() : {};
		// Tests in real time must not wait for the processor.
		const workers = kind === 'node' ? availableParallelism() : 1;
		for (let from = 0; from < mine.length; from += AT_ONCE) {
			const part = mine.slice(from, from + AT_ONCE);
			const runs = await runPart(part, workers, base);
			for (const [at, one] of part.entries()) outcomes.set(one, outcomeOf(one, runs[at] ?? NEVER_RAN));
		}
	}
	return mistakes.map((one) => outcomes.get(one) ?? { outcome: 'unseen', why: 'it was not tried' });
}

/** The project of vitest.config.ts with the tests that run in a browser. */
async function browserProject(): Promise<object> {
	const { default: config } = await import('../vitest.config.ts');
	const all = (config as TestUserConfig & { test?: { projects?: readonly Project[] } }).test?.projects ?? [];
	const found = all.find((one) => typeof one === 'object' && 'test' in one && one.test?.name === 'browser');
	if (typeof found !== 'object') throw new Error('vitest.config.ts has no project "browser".');
	return found;
}
