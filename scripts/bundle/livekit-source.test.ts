import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { livekitSource, unreached } from './livekit-source.ts';

const library = join(import.meta.dirname, '..', '..', 'node_modules', 'livekit-client');
const textOf = (path: string) => readFileSync(join(library, path), 'utf8');

async function codeOf(path: string): Promise<string> {
	const loaded = await livekitSource.load(join(library, path));
	return typeof loaded === 'string' ? loaded : (loaded?.code ?? '');
}

test('the library is its sources; nothing else is touched', async () => {
	expect(livekitSource.resolveId('livekit-client')).toBe(join(library, 'src', 'index.ts'));
	expect(livekitSource.resolveId('zod')).toBeNull();
	expect(await livekitSource.load(join(library, 'dist', 'livekit-client.esm.mjs'))).toBeNull();
	const adapter = livekitSource.resolveId('webrtc-adapter');
	expect(await livekitSource.load(adapter ?? '')).toBe('');
});

test('it knows its version, which it says to the server', async () => {
	const { version } = JSON.parse(textOf('package.json')) as { version: string };
	const code = await codeOf('src/version.ts');
	expect(code).toContain(`const v = '${version}';`);
	expect(code).not.toContain('import');
});

test('a field that a class only declares is not emptied when it is made', async () => {
	const path = 'src/room/participant/RemoteParticipant.ts';
	expect(textOf(path)).toMatch(/^ {2}trackPublications: Map/m);
	expect(await codeOf(path)).not.toMatch(/^\s*trackPublications;/m);
});

test('what stands for what rooms never reach has all that the rest calls', () => {
	for (const [path, instead] of Object.entries(unreached)) {
		expect(textOf(path), path).not.toBe('');
		if (!path.includes('DataTrackManager')) continue;
		const name = path.includes('Incoming') ? 'incoming' : 'outgoing';
		const called = ['src/room/Room.ts', 'src/room/participant/LocalParticipant.ts']
			.flatMap((file) => [...textOf(file).matchAll(/(\w+)DataTrackManager\s*\.(\w+)\(/g)])
			.filter(([, whose = '', method]) => whose.toLowerCase().endsWith(name) && method !== 'on')
			.map(([, , method]) => method);
		expect(called.length).toBeGreaterThan(3);
		for (const method of called) expect(instead, `${method} of ${path}`).toContain(`\t${method}() {`);
	}
});
