import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { builderConfig } from './config.ts';
import { DECIDED, fuseProblems, fusesOf, packagedFuseProblems, SENTINEL } from './fuses.ts';

/** As Electron ships its program, before anything is decided. */
const SHIPPED = '101100011';
/** As ours must be. */
const OURS = '010011001';

/** A program with these fuses somewhere in it. */
function program(wire: string, layout = 1, copies = 1): Buffer {
	const one = Buffer.concat([
		Buffer.from('code of the program'),
		SENTINEL,
		Buffer.from([layout, wire.length]),
		Buffer.from(wire),
		Buffer.from('more of it'),
	]);
	return Buffer.concat(Array(copies).fill(one));
}

test('all nine fuses are decided, and read off the program', () => {
	expect(Object.keys(DECIDED)).toHaveLength(9);
	expect(fuseProblems(fusesOf(program(OURS)))).toEqual([]);
	expect(fuseProblems(fusesOf(program(OURS, 1, 2)))).toEqual([]);
	// A fuse that Electron has removed cannot be abused.
	expect(fuseProblems(fusesOf(program('r10011001')))).toEqual([]);
});

test('what they change is sealed again where there is no certificate: Apple silicon runs nothing else', () => {
	const config = builderConfig({ root: '/r', output: '/o', electronDist: '' } as never);
	expect(config.electronFuses).toMatchObject({ resetAdHocDarwinSignature: true });
});

test('a program as it is downloaded must not be shipped', () => {
	expect(fuseProblems(fusesOf(program(SHIPPED)))).toEqual([
		'fuse runAsNode is on',
		'fuse enableCookieEncryption is off',
		'fuse enableNodeOptionsEnvironmentVariable is on',
		'fuse enableNodeCliInspectArguments is on',
		'fuse enableEmbeddedAsarIntegrityValidation is off',
		'fuse onlyLoadAppFromAsar is off',
		'fuse grantFileProtocolExtraPrivileges is on',
	]);
});

test('a fuse too many, one too few and a layout nobody knows are told', () => {
	expect(fuseProblems(fusesOf(program(`${OURS}1`)))).toEqual(['fuse 9 is not decided']);
	expect(fuseProblems(fusesOf(program(OURS.slice(0, 8))))).toEqual(['fuse wasmTrapHandlers is missing']);
	expect(fuseProblems(fusesOf(program(OURS, 2)))).toEqual(['the packaged program has no fuses']);
	expect(fuseProblems(fusesOf(Buffer.from('nothing')))).toEqual(['the packaged program has no fuses']);
});

test('one of two copies that is not as decided is enough', () => {
	const both = Buffer.concat([program(OURS), program(`1${OURS.slice(1)}`)]);
	expect(fuseProblems(fusesOf(both))).toEqual(['fuse runAsNode is on']);
});

test('the program is found in the folder of a package', () => {
	const folder = mkdtempSync(join(tmpdir(), 'dragoman-fuses-'));
	onTestFinished(() => rmSync(folder, { recursive: true }));
	writeFileSync(join(folder, 'icudtl.dat'), SENTINEL);
	writeFileSync(join(folder, 'dragoman'), Buffer.concat([Buffer.alloc(20_000_000), program(SHIPPED)]));
	expect(packagedFuseProblems(folder)).toContain('fuse runAsNode is on');
});
