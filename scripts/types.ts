import { spawn } from 'node:child_process';

/** One TypeScript project per environment, so that each gets only the types it may use. */
export const projects = [
	'src/shared',
	'src/main',
	'src/preload',
	'src/renderer',
	'src/renderer/audio/worklets',
	'src/sandbox',
	'src/stand-in',
	'src/demo',
	'test',
];

function check(project: string): Promise<number> {
	return new Promise((done) => {
		const child = spawn('node_modules/.bin/tsc', ['-p', project], { stdio: 'inherit' });
		child.on('close', (code) => done(code ?? 1));
	});
}

if (import.meta.main) {
	const only = process.argv.slice(2);
	const statuses: number[] = [];
	for (const project of only.length > 0 ? only : projects) statuses.push(await check(project));
	process.exitCode = statuses.some((status) => status !== 0) ? 1 : 0;
}
