/**
 * `npm run moving-picture`: holds a conversation with the sandbox in the built app, captures the window several
 * times a second, and makes the README's animation from the pictures. Needs ffmpeg.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSandbox } from '#sandbox/sandbox.ts';
import { launchApp } from '#stand-in/drive/launch-app.ts';
import { longMicrophone } from '#test/support/app-steps.ts';
import { readArguments } from './arguments.ts';

const PICTURE = 'docs/pictures/conversation.gif';
/** A larger picture would take too long to load with the README. */
const MOST_BYTES = 2_000_000;
const [WIDTH, HEIGHT] = [1000, 700];
/** Width of the animation, pixels. */
const SHOWN_WIDTH = 800;
const PER_SECOND = 6;
const LENGTH_MS = 20_000;
const LAST_S = 2.5;

/** All steps of Setup, marked as done. */
const SETUP = ['account', 'microphone', 'output', 'languages', 'rehearsal'];

readArguments(import.meta.filename, {});
const folder = mkdtempSync(join(tmpdir(), 'dragoman-picture-'));
const sandbox = await startSandbox();
const { api, key } = sandbox.addresses;
const app = await launchApp({
	host: 'chromium',
	headless: true,
	probe: false,
	width: WIDTH,
	height: HEIGHT,
	locale: 'en',
	colorScheme: 'light',
	microphone: longMicrophone(),
	env: { DRAGOMAN_API_URL: api, DRAGOMAN_API_KEY: key },
	settings: {
		version: 1,
		interfaceLanguage: 'en',
		theme: 'light',
		setup: { offered: true, done: [...SETUP] },
	},
});
try {
	const { page } = app;
	const start = page.getByRole('button', { name: 'Start', exact: true });
	await start.waitFor();
	const frames: { readonly name: string; readonly atMs: number }[] = [];
	const began = performance.now();
	const take = async () => {
		const atMs = performance.now() - began;
		const name = `${String(frames.length).padStart(4, '0')}.png`;
		await page.screenshot({ path: join(folder, name), animations: 'allow' });
		frames.push({ name, atMs });
	};
	await take();
	await start.click();
	for (let at = 0; at < LENGTH_MS; at = performance.now() - began) {
		await take();
		await page.waitForTimeout(Math.max(0, (frames.length * 1000) / PER_SECOND - (performance.now() - began)));
	}
	const list = frames.flatMap(({ name, atMs }, at) => {
		const next = frames[at + 1];
		const seconds = next ? (next.atMs - atMs) / 1000 : LAST_S;
		return [`file '${name}'`, `duration ${seconds.toFixed(3)}`];
	});
	writeFileSync(join(folder, 'frames.txt'), `${list.join('\n')}\nfile '${frames.at(-1)?.name}'\n`);
	const palette =
		'split[a][b];[a]palettegen=max_colors=96:stats_mode=full[p];[b][p]paletteuse=dither=none:diff_mode=rectangle';
	const made = spawnSync(
		'ffmpeg',
		[
			...['-y', '-loglevel', 'error', '-f', 'concat', '-i', join(folder, 'frames.txt')],
			...['-vf', `fps=${PER_SECOND},scale=${SHOWN_WIDTH}:-1:flags=lanczos,${palette}`, '-loop', '0', PICTURE],
		],
		{ stdio: ['ignore', 'inherit', 'inherit'] },
	);
	if (made.error) throw new Error('ffmpeg is not installed', { cause: made.error });
	const { size } = statSync(PICTURE);
	console.log(`${PICTURE}: ${frames.length} pictures, ${Math.round(size / 1000)} kB`);
	if (made.status !== 0 || size > MOST_BYTES) process.exitCode = 1;
} finally {
	await app.close();
	await sandbox.close();
	rmSync(folder, { recursive: true, force: true });
}
