/** `npm run check`: types in every environment, lint and format, unused code and dependencies. */
import { spawnSync } from 'node:child_process';
import { takeEnvironment } from '#shared/lib/environment.ts';
import { readArguments } from './arguments.ts';

readArguments(import.meta.filename, { options: {} });

// The tools need no key.
takeEnvironment(process.env, (said) => process.stderr.write(said));

const checks: readonly (readonly [string, ...string[]])[] = [
	['node', 'scripts/types.ts'],
	['biome', 'check'],
	['knip'],
];

for (const [program, ...args] of checks) {
	console.log(`${program} ${args.join(' ')}`);
	const { status } = spawnSync(program, args, { stdio: 'inherit', shell: process.platform === 'win32' });
	if (status !== 0) process.exitCode = 1;
}
