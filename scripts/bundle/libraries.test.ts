import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { announcer, insteadOf, livekitSource, ownI18n, unreached } from './libraries.ts';

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
		const manager = /Data(?:Track|Stream)Manager/.exec(path)?.[0];
		if (!manager) continue;
		const name = path.includes('Incoming') ? 'incoming' : 'outgoing';
		const called = ['src/room/Room.ts', 'src/room/participant/LocalParticipant.ts']
			.flatMap((file) => [...textOf(file).matchAll(new RegExp(`(\\w+)${manager}\\s*\\.(\\w+)\\(`, 'g'))])
			.filter(([, whose = '', method]) => whose.toLowerCase().endsWith(name) && method !== 'on')
			.map(([, , method]) => method);
		expect(called.length).toBeGreaterThan(3);
		for (const method of called) expect(instead, `${method} of ${path}`).toContain(`\t${method}() {`);
	}
});

const file = 'node_modules/react-aria/dist/private/live-announcer/LiveAnnouncer.mjs';

test('the announcer of the library installed here is changed, and nothing else is', () => {
	const code = readFileSync(file, 'utf8');
	expect(announcer.transform(code, `/x/${file}?v=1`)).toContain('this.assertiveLog.replaceChildren()');
	expect(announcer.transform(code, `/x/${file}`)).not.toContain('innerHTML');
	expect(announcer.transform("a.innerHTML = ''", '/x/node_modules/other/LiveAnnouncer.mjs')).toBeNull();
});

test.each(["a.textContent = ''", "a.innerHTML = ''; b.innerHTML = '<b>'"])(
	'one that no longer reads as expected fails the build: %s',
	(code) => {
		expect(() => announcer.transform(code, file)).toThrow('scripts/bundle/libraries.ts');
	},
);

const intl = (name: string) => `/x/node_modules/react-aria/dist/intl/combobox/${name}.mjs`;

test('words of languages that the window is not shown in are English', () => {
	expect(insteadOf(intl('nl-NL'))).toBe("export { default } from './en-US.mjs';");
	for (const ours of ['de-DE', 'ja-JP', 'en-US']) expect(insteadOf(intl(ours))).toBeNull();
	expect(insteadOf('/x/node_modules/react-aria/dist/private/combobox/useComboBox.mjs')).toBeNull();
	expect(insteadOf('/x/src/shared/i18n/intl/ko-KR.mjs')).toBeNull();
	expect(insteadOf('/x/src/renderer/main.tsx')).toBeNull();
});

test('what asks for the locale data of the browser at once is replaced, under both kinds of path, and nothing else', () => {
	const i18n = (name: string) => `/x/node_modules/react-aria/dist/private/i18n/${name}.mjs`;
	expect(ownI18n(i18n('useDefaultLocale'))).toContain('useDefaultLocale');
	expect(ownI18n(i18n('utils').replaceAll('/', '\\'))).toContain('isRTL');
	expect(ownI18n(i18n('I18nProvider'))).toBeNull();
	expect(ownI18n('/x/src/private/i18n/utils.mjs')).toBeNull();
});
