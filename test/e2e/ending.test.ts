import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { watchCommand } from '#test/support/ending.ts';

const scratch = mkdtempSync(join(tmpdir(), 'dragoman-ending-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const aside = { skip: process.platform !== 'linux' };

test('npm run bench ends on SIGTERM for npm alone, with its browsers', aside, async () => {
	const watched = watchCommand('npm', ['run', 'bench', '--', 'captions']);
	await watched.runs(/chrom\S* .*--type=renderer/);
	watched.child.kill('SIGTERM');
	await watched.gone();
});

test('npm run demo does so too, after it has ended its session', aside, async () => {
	const out = join(scratch, 'demo');
	const watched = watchCommand('npm', ['run', 'demo', '--', '--headless', '--out', out]);
	await watched.runs(/chrom\S* .*--type=renderer/);
	watched.child.kill('SIGTERM');
	await watched.gone();
	expect(watched.said()).not.toMatch(/^ {4}at /m);
});
