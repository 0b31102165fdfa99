import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { machineChecks } from './machine-checks.ts';
import type { DiagnosisParts } from './parts.ts';

test('the free space is known before the folder is there, and looking does not make it', async () => {
	const root = await mkdtemp(join(tmpdir(), 'dragoman-machine-'));
	try {
		const folder = join(root, 'config', 'Dragoman');
		const disk = machineChecks({ folder } as DiagnosisParts).find(({ name }) => name === 'disk');
		const outcome = await disk?.run(new AbortController().signal);
		expect(['diskFree', 'diskLow']).toContain(outcome?.says);
		expect(outcome?.problem).toBeNull();
		expect(existsSync(folder)).toBe(false);
	} finally {
		await rm(root, { recursive: true, force: true });
	}
});
