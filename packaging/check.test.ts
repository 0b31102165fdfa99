import { expect, test } from 'vitest';
import { type PackedFile, problemsOf } from './check.ts';

const file = (path: string, text: string | null = ''): PackedFile => ({ path, size: 1, text });
const whole: readonly PackedFile[] = [
	file('package.json', '{"name":"dragoman","main":"out/main/index.js"}'),
	file('LICENSE'),
	file('THIRD-PARTY-NOTICES.txt'),
	file('out/main/index.js', 'const url = "https://api.example/";'),
	file('out/main/sandbox.js'),
	file('out/main/ear-worker.js'),
	file('out/main/mouth-worker.js'),
	file('out/main/portal-bus.js'),
	file('out/preload/index.cjs'),
	file('out/renderer/index.html'),
	file('out/renderer/assets/noto-sans-BhzieyvS.woff2', null),
];

test('a package with nothing but its own files may be shipped', () => {
	expect(problemsOf(whole)).toEqual([]);
});

test.each([
	['out/main/index.js.map', '{}'],
	['out/main/cli.js', ''],
	['node_modules/vitest/index.js', ''],
	['src/main/host.ts', ''],
	['.env', 'DRAGOMAN_API_KEY=x'],
	['out/renderer/assets/../../x.js', ''],
])('%s does not belong there', (path, text) => {
	expect(problemsOf([...whole, file(path, text)])).toContain(`${path} does not belong there`);
});

test.each([
	['a reference to a source map', 'f();\n//# sourceMappingURL=index.js.map'],
	['a private key', '-----BEGIN RSA PRIVATE KEY-----\nMIIE'],
	['a path of the machine it was built on', 'const root = "/home/somebody/dragoman";'],
	[
		'a token',
		"x('eyJhbGciOiJIUzI1NiIsInR5cCI6.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6.SflKxwRJSMeKKF2QT4fwpMeJf36')",
	],
])('%s in a script is found', (what, text) => {
	const files = [...whole, file('out/main/chunks/a.js', text)];
	expect(problemsOf(files)).toEqual([`out/main/chunks/a.js holds ${what}`]);
});

test('a secret of the environment is found, and is not repeated', () => {
	const files = [...whole, file('out/main/chunks/a.js', 'key("sesame-open-4711")')];
	expect(problemsOf(files, ['sesame-open-4711'])).toEqual([
		'out/main/chunks/a.js holds a secret of the environment',
	]);
});

test('dependencies in the manifest would be installed or shipped', () => {
	const files = [file('package.json', '{"dependencies":{"ws":"1"},"scripts":{}}'), ...whole.slice(1)];
	expect(problemsOf(files)).toEqual(['package.json has dependencies: everything is bundled']);
});

test('a missing part is named', () => {
	expect(problemsOf(whole.filter(({ path }) => path !== 'out/preload/index.cjs'))).toEqual([
		'out/preload/index.cjs is missing',
	]);
});
