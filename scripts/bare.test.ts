import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findChromium } from '#stand-in/chromium.ts';
import { bareEnvironment } from './bare.ts';

const here = process.platform === 'linux' && process.arch === 'x64';
test.runIf(here)(
	'hides every program, font, cache and model but those of Node, npm and the usual',
	async () => {
		const folder = mkdtempSync(join(tmpdir(), 'bare-test-'));
		onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
		const env = await bareEnvironment(folder);
		if (!env) throw new Error('npm has no browser here');
		const programs = 'ffmpeg espeak-ng chromium pactl openssl ip go python3';
		const found = execFileSync('sh', ['-c', `command -v ${programs}; node --version`], {
			env,
			encoding: 'utf8',
		});
		expect(found).toBe(`${process.version}\n`);
		expect(env.DRAGOMAN_TEST_MODELS).toBe('');
		const browser = await findChromium({ env });
		expect(browser.kind).toBe('npm');
		const fonts = execFileSync('cat', [browser.env.FONTCONFIG_FILE ?? ''], { encoding: 'utf8' });
		expect([...fonts.matchAll(/<dir>(.*)<\/dir>/g)].every(([, one = '']) => one.startsWith(folder))).toBe(
			true,
		);
	},
	60_000,
);
