import { expect, test } from 'vitest';
import { type SandboxGround, sandboxFlags } from './program.ts';

const ground: SandboxGround = {
	platform: 'linux',
	isRoot: false,
	hasUserNamespaces: () => true,
	hasHelper: () => false,
};

test.each<[string, Partial<SandboxGround>, boolean]>([
	['on Linux with user namespaces', {}, true],
	['without them, with the helper', { hasUserNamespaces: () => false, hasHelper: () => true }, true],
	['without either', { hasUserNamespaces: () => false }, false],
	['as root', { isRoot: true, hasHelper: () => true }, false],
	['on macOS', { platform: 'darwin', hasUserNamespaces: () => false }, true],
	['on Windows', { platform: 'win32', hasUserNamespaces: () => false }, true],
])('the browser keeps its sandbox wherever it can have it: %s', (_where, differs, keeps) => {
	expect(sandboxFlags('/usr/bin/chromium', { ...ground, ...differs })).toEqual(keeps ? [] : ['--no-sandbox']);
});
