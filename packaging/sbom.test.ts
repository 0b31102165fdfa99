import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sbomOf } from './sbom.ts';

const root = join(import.meta.dirname, '..');
const { version } = JSON.parse(readFileSync(join(root, 'node_modules/react/package.json'), 'utf8'));
const { version: fonts } = JSON.parse(
	readFileSync(join(root, 'node_modules/@fontsource-variable/noto-sans/package.json'), 'utf8'),
);
const shipped = [
	{ name: '@fontsource-variable/noto-sans', version: fonts, licence: 'OFL-1.1', text: '' },
	{ name: 'react', version, licence: 'MIT', text: '' },
	{ name: 'made-up', version: '1.0.0', licence: '(MIT OR Apache-2.0)', text: '' },
];

interface Bom {
	readonly bomFormat: string;
	readonly specVersion: string;
	readonly components: readonly {
		readonly name: string;
		readonly purl: string;
		readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
		readonly licenses: readonly object[];
	}[];
	readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
}

test('the bill of materials names what is shipped, Electron with it, as it was locked', () => {
	const bom = sbomOf(root, shipped, { electron: '45.4.1' }) as unknown as Bom;
	expect([bom.bomFormat, bom.specVersion]).toEqual(['CycloneDX', '1.6']);
	expect(bom.components.map(({ purl }) => purl)).toEqual([
		`pkg:npm/%40fontsource-variable/noto-sans@${fonts}`,
		`pkg:npm/react@${version}`,
		'pkg:npm/made-up@1.0.0',
		'pkg:npm/electron@45.4.1',
	]);
	for (const { name, hashes } of bom.components.filter((one) => one.name !== 'made-up'))
		expect([name, hashes]).toEqual([
			name,
			[{ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) }],
		]);
	expect(bom.components[2]?.licenses).toEqual([{ expression: '(MIT OR Apache-2.0)' }]);
	expect(bom.dependencies[0]?.dependsOn).toHaveLength(4);
	expect(JSON.stringify(sbomOf(root, shipped, { electron: '45.4.1' }))).toBe(JSON.stringify(bom));
});
