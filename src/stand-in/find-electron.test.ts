import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { fetchElectron, findElectron } from './find-electron.ts';

const made: string[] = [];
afterEach(() => {
	for (const folder of made.splice(0)) rmSync(folder, { recursive: true });
});

/** A package whose installer provides a program and records what it was given. */
function pretendPackage() {
	const folder = mkdtempSync(join(tmpdir(), 'dragoman-electron-'));
	made.push(folder);
	writeFileSync(
		join(folder, 'install.js'),
		`const fs = require('node:fs');
		fs.writeFileSync(__dirname + '/given.json', JSON.stringify(process.env));
		fs.mkdirSync(__dirname + '/dist');
		fs.writeFileSync(__dirname + '/dist/program', '');
		fs.writeFileSync(__dirname + '/path.txt', 'program');`,
	);
	return { folder, given: () => JSON.parse(readFileSync(join(folder, 'given.json'), 'utf8')) };
}

test('the installer of Electron gets the way to the network, and neither key nor token', () => {
	const { folder, given } = pretendPackage();
	const secrets = { DRAGOMAN_API_KEY: 'k', DRAGOMAN_VOICE_TOKEN: 't', LIVEKIT_API_SECRET: 's' };
	const env = { ...secrets, HTTPS_PROXY: 'http://proxy.example:3128', NODE_TLS_REJECT_UNAUTHORIZED: '0' };
	expect(fetchElectron(env, folder)).toBe(join(folder, 'dist', 'program'));
	expect(given().HTTPS_PROXY).toBe('http://proxy.example:3128');
	expect(Object.keys(given()).filter((name) => name in secrets || name.startsWith('NODE_TLS'))).toEqual([]);
});

test('an installed copy has Electron in the cache, and its own folder stays as it was', () => {
	const { folder: source } = pretendPackage();
	const cache = mkdtempSync(join(tmpdir(), 'dragoman-electron-'));
	made.push(cache);
	const folder = join(cache, 'electron-1');
	const [own, program] = [readdirSync(source), join(folder, 'dist', 'program')];
	expect(fetchElectron({}, source, folder)).toBe(program);
	expect(findElectron({}, folder)).toBe(program);
	expect(JSON.parse(readFileSync(join(folder, 'given.json'), 'utf8')).NODE_PATH).toBe(tmpdir());
	expect(readdirSync(source)).toEqual(own);
});
