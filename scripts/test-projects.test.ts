import { existsSync, globSync } from 'node:fs';
import { expect, test } from 'vitest';
// biome-ignore lint/style/noRestrictedImports: the one file outside all folders that have a name
import config, { longest } from '../vitest.config.ts';

interface Project {
	readonly name: string;
	readonly include: readonly string[];
	readonly exclude?: readonly string[];
	readonly maxWorkers?: number;
	readonly fileParallelism?: boolean;
	readonly sequence?: { readonly groupOrder?: number };
}

const projects = (config.test?.projects ?? []).map((one) => (one as { test: Project }).test);

// Vitest refuses to begin otherwise, and `npm test` does not show it: each of its steps runs one project.
test.each(['e2e', 'integration'])('one command can run all projects of %s', (name) => {
	const workers = new Map<number, number | undefined>();
	for (const one of projects) {
		if (!one.name.startsWith(name) || one.fileParallelism === false) continue;
		const turn = one.sequence?.groupOrder ?? 0;
		expect(workers.get(turn) ?? one.maxWorkers, one.name).toBe(one.maxWorkers);
		workers.set(turn, one.maxWorkers);
	}
	expect(workers.size).toBeGreaterThan(0);
});

test('each file that is begun early because it takes long is there', () => {
	expect(longest.filter((file) => !existsSync(file))).toEqual([]);
});

const filesOf = (name: string) =>
	projects
		.filter((one) => one.name.startsWith(name))
		.flatMap(({ include, exclude = [] }) => globSync([...include], { exclude: [...exclude] }))
		.sort();

test.each(['e2e', 'integration'])('each file of %s is in one project', (name) => {
	expect(filesOf(name)).toEqual(globSync(`test/${name}/**/*.test.ts`).sort());
});

test('each other file is in one project of its kind', () => {
	const files = globSync('{src,packaging,scripts,test}/**/*.test.{ts,tsx}', {
		exclude: ['**/node_modules/**', 'test/{e2e,integration}/**'],
	});
	const isOfPage = (file: string) => /\.browser\.test\.tsx?$/.test(file);
	expect(filesOf('browser')).toEqual(files.filter(isOfPage).sort());
	expect(filesOf('node')).toEqual(files.filter((file) => !isOfPage(file)).sort());
});
