import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { bareEnvironment } from './bare.ts';

test('hides every program but Node, npm and the usual, and asks for the browser of npm', () => {
	const folder = mkdtempSync(join(tmpdir(), 'bare-test-'));
	onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
	const env = bareEnvironment(folder);
	expect(env).toMatchObject({ PATH: folder, DRAGOMAN_CHROMIUM: 'npm' });
	const found = execFileSync(
		'sh',
		['-c', 'command -v ffmpeg espeak-ng chromium pactl openssl ip go python3; node --version'],
		{
			env,
			encoding: 'utf8',
		},
	);
	expect(found).toBe(`${process.version}\n`);
});
