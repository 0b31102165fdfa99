import { join } from 'node:path';
import { expect, test } from 'vitest';
import { problemsOf } from '#packaging/check.ts';
import { FUSES } from '#packaging/config.ts';
import { doubtfulLicences, shippedPackages } from '#packaging/licences.ts';
import { readPacked, stageApp } from '#packaging/stage.ts';

const root = join(import.meta.dirname, '..', '..');

test('what is shipped of the built app is its own, is complete and names its licences', () => {
	const shipped = shippedPackages(root);
	expect(shipped.map(({ name }) => name)).toEqual(
		expect.arrayContaining(['livekit-client', 'react', 'werift', 'ws', '@fontsource-variable/noto-sans']),
	);
	expect(doubtfulLicences(shipped)).toEqual([]);
	const files = readPacked(stageApp(root, shipped));
	expect(problemsOf(files)).toEqual([]);
	const notices = files.find(({ path }) => path === 'THIRD-PARTY-NOTICES.txt')?.text;
	for (const { name, version } of shipped) expect(notices).toContain(`${name} ${version}`);
});

test('no switch lets others use the program as Node', () => {
	expect(FUSES).toMatchObject({
		runAsNode: false,
		enableNodeOptionsEnvironmentVariable: false,
		enableNodeCliInspectArguments: false,
		onlyLoadAppFromAsar: true,
		enableEmbeddedAsarIntegrityValidation: true,
	});
});
