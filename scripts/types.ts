/** `npm run types [-- FOLDER…]`: types in every environment, or in those of the folders named (`src/main`). */
import { spawn } from 'node:child_process';
import { readArguments } from './arguments.ts';

/** One TypeScript project per environment, so that each gets only the types it may use. */
export const projects = [
	'src/shared',
	'src/main',
	'src/preload',
	'src/renderer',
	'src/renderer/sound/worklets',
	'src/sandbox',
	'src/stand-in',
	'src/demo',
	'test',
];

function check(project: string): Promise<number> {
	return new Promise((done) => {
		// Only files that changed since the last run are checked again.
		const known = `node_modules/.cache/types/${project.replaceAll('/', '-')}.tsbuildinfo`;
		const child = spawn(
			'node_modules/.bin/tsc',
			['-p', project, '--incremental', '--tsBuildInfoFile', known],
			{ stdio: 'inherit' },
		);
		child.on('close', (code) => done(code ?? 1));
	});
}

if (import.meta.main) {
	const { positionals: only, refuse } = readArguments(import.meta.filename, {
		options: {},
		allowPositionals: true,
	});
	const unknown = only.find((one) => !projects.includes(one));
	if (unknown !== undefined) refuse(`There is no folder ${unknown}; there are ${projects.join(', ')}.`);
	const statuses: number[] = [];
	for (const project of only.length > 0 ? only : projects) statuses.push(await check(project));
	process.exitCode = statuses.some((status) => status !== 0) ? 1 : 0;
}
