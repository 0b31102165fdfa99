import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { runBuild } from './build.ts';

let folder: string | null = null;
afterEach(() => {
	vi.unstubAllEnvs();
	if (folder) rmSync(folder, { recursive: true });
});

test('the builder inherits neither key nor token', async () => {
	for (const name of ['DRAGOMAN_API_KEY', 'DRAGOMAN_VOICE_TOKEN', 'LIVEKIT_API_SECRET'])
		vi.stubEnv(name, `canary of ${name}`);
	folder = mkdtempSync(join(tmpdir(), 'dragoman-build-'));
	const script = join(folder, 'builder.mjs');
	writeFileSync(script, 'console.log(JSON.stringify(process.env))');
	const { status, output } = await runBuild(script);
	expect(status).toBe(0);
	expect(JSON.parse(output).PATH).toBe(process.env.PATH);
	expect(output).not.toContain('canary');
});
