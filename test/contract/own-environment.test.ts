import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';

/* Every program that may be given a key, until its end: what its children would inherit, and which variables it obeys. */

const SECRETS = ['DRAGOMAN_API_KEY', 'DRAGOMAN_VOICE_TOKEN', 'LIVEKIT_API_SECRET'];

function run(file: string, args: readonly string[]) {
	const { stdout, stderr } = spawnSync(
		process.execPath,
		['--import', resolve('test/support/environment-at-end.mjs'), resolve(file), ...args],
		{
			encoding: 'utf8',
			env: {
				PATH: process.env.PATH,
				DRAGOMAN_SHELL: 'stand-in',
				NODE_TLS_REJECT_UNAUTHORIZED: '0',
				...Object.fromEntries(SECRETS.map((name) => [name, 'canary-of-a-secret'])),
			},
		},
	);
	const left = /at the end: (.*)/.exec(stdout)?.[1]?.split(' ') ?? [];
	return { left, said: stdout + stderr };
}

const programs: readonly (readonly [name: string, file: string, args: readonly string[]])[] = [
	['the command line', 'src/main/cli/index.ts', ['--help']],
	['the demo', 'src/demo/main.ts', ['--headless', '--input', '/nowhere.wav']],
	['the sandbox', 'src/sandbox/main.ts', ['--no-such-option']],
];

test.for(programs)(
	'%s leaves no secret to the programs it starts, and checks certificates whatever the environment wishes',
	{ timeout: 30_000 },
	([, file, args]) => {
		const { left, said } = run(file, args);
		expect(left).toContain('PATH');
		expect(left.filter((name) => SECRETS.includes(name))).toEqual([]);
		expect(left).not.toContain('NODE_TLS_REJECT_UNAUTHORIZED');
		expect(said.match(/NODE_TLS_REJECT_UNAUTHORIZED=0 is not obeyed/g)).toHaveLength(1);
		expect(said).not.toContain('canary-of-a-secret');
	},
);

// Electron, or the app within it, is given the environment whole and takes the rest out itself.
test.runIf(process.platform === 'linux')(
	'the start of the app obeys no such wish either, nor hands it on',
	() => {
		const { left, said } = run('src/stand-in/start.ts', []);
		expect(said).toContain('There is no display');
		expect(left).not.toContain('NODE_TLS_REJECT_UNAUTHORIZED');
		expect(said.match(/NODE_TLS_REJECT_UNAUTHORIZED=0 is not obeyed/g)).toHaveLength(1);
	},
);
