/**
 * `npm run pictures`: creates the pictures of the README and the documents. The animation is a conversation that the
 * built app interprets on this computer (models from `npm run test-models`, in DRAGOMAN_TEST_MODELS); the others are
 * states of `npm run looks`, and a guest's page. Needs ffmpeg. `-- --guest` creates only the guest's page.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openGuestServer } from '#main/guests/guest-server.ts';
import { createSystemClock } from '#main/system-clock.ts';
import { phrases } from '#sandbox/canned/phrases.ts';
import { wavOf } from '#shared/sound/wav.ts';
import { launchApp } from '#stand-in/drive/launch-app.ts';
import { openBrowser } from '#test/support/open-browser.ts';
import { promptsOf, testModels } from '#test/support/test-models.ts';
import { readArguments } from './arguments.ts';

const FOLDER = 'docs/pictures';
const ANIMATION = join(FOLDER, 'conversation.gif');
/** A larger animation would take too long to load with the README. */
const MOST_BYTES = 2_000_000;
const [WIDTH, HEIGHT] = [1000, 700];
/** Width of the animation, pixels. */
const SHOWN_WIDTH = 800;
const PER_SECOND = 6;
const LENGTH_MS = 28_000;
const LAST_S = 2.5;
const RATE = 16_000;

/** Pictures, and the states of `npm run looks` that they show. */
const states = { 'meeting.png': 'meeting', 'face.png': 'face-turn' };

const { values } = readArguments(import.meta.filename, {
	options: { guest: { type: 'boolean', default: false } },
});
if (!values.guest && testModels.missing) throw new Error(testModels.missing);
const folder = mkdtempSync(join(tmpdir(), 'dragoman-pictures-'));
try {
	if (!values.guest) lookAtStates();
	await lookAtGuest();
	if (!values.guest) await holdConversation();
} finally {
	rmSync(folder, { recursive: true, force: true });
}

function run(program: string, args: readonly string[]): void {
	const { status, error } = spawnSync(program, args, { stdio: ['ignore', 'inherit', 'inherit'] });
	if (status !== 0) throw new Error(`${program} failed`, { cause: error });
}

function lookAtStates(): void {
	const chosen = ['--states', Object.values(states).join(), '--sizes', '1000x760'];
	run(process.execPath, ['scripts/run.mjs', 'looks', ...chosen, '--themes', 'light', '--languages', 'en']);
	for (const [file, state] of Object.entries(states))
		copyFileSync(`out/looks/${state}-1000x760-light-en.png`, join(FOLDER, file));
}

/** Shows two sentences on a phone, read in Spanish. */
async function lookAtGuest(): Promise<void> {
	const server = await openGuestServer({ clock: createSystemClock(), changed() {} });
	const browser = await openBrowser();
	try {
		const piece = (kind: 'source' | 'translation', language: 'en' | 'es', text: string) => ({
			kind,
			language,
			text,
			final: true,
		});
		server.show({
			part: 0,
			rows: phrases.slice(0, 4).map(({ text }, key) => ({
				key,
				pieces: [piece('source', 'en', text.en), piece('translation', 'es', text.es)],
			})),
		});
		server.live(true);
		server.voices(['es']);
		const page = await browser.newPage({
			locale: 'en',
			viewport: { width: 390, height: 520 },
			deviceScaleFactor: 2,
		});
		await page.goto(server.address('127.0.0.1'));
		await page.locator('main p[lang="es"]').last().waitFor();
		await page.locator('#listen').waitFor();
		await page.screenshot({ path: join(FOLDER, 'guests.png') });
	} finally {
		await browser.close();
		await server.close();
	}
}

/** The microphone's input: a person speaks English with pauses, which is interpreted into Portuguese. */
function microphone(): string {
	const pause = Buffer.alloc(RATE * 2 * 2);
	// The window opens the microphone at Start; the interpreter needs a moment longer.
	const said = promptsOf(
		'en',
		'confbridge-begin-glorious-c',
		'ss-noservice',
		'vm-invalidpassword',
		'entr-num-rmv-blklist',
	);
	const pcm = Buffer.concat([
		pause,
		pause,
		...said.flatMap((one) => [pause, one.pcm]),
		Buffer.alloc(RATE * 2 * 60),
	]);
	const file = join(folder, 'microphone.wav');
	writeFileSync(file, wavOf(new Int16Array(pcm.buffer, pcm.byteOffset, pcm.length / 2), RATE));
	return file;
}

async function holdConversation(): Promise<void> {
	const app = await launchApp({
		host: 'chromium',
		headless: true,
		probe: false,
		width: WIDTH,
		height: HEIGHT,
		locale: 'en',
		colorScheme: 'light',
		microphone: microphone(),
		env: { DRAGOMAN_MODELS: testModels.folder },
		settings: {
			version: 1,
			interfaceLanguage: 'en',
			theme: 'light',
			service: 'local',
			speak: 'en',
			hear: ['pt'],
			setup: { offered: true, done: ['account', 'microphone', 'output', 'languages', 'rehearsal'] },
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
			await page.waitForTimeout(
				Math.max(0, (frames.length * 1000) / PER_SECOND - (performance.now() - began)),
			);
		}
		const list = frames.flatMap(({ name, atMs }, at) => {
			const next = frames[at + 1];
			const seconds = next ? (next.atMs - atMs) / 1000 : LAST_S;
			return [`file '${name}'`, `duration ${seconds.toFixed(3)}`];
		});
		writeFileSync(join(folder, 'frames.txt'), `${list.join('\n')}\nfile '${frames.at(-1)?.name}'\n`);
		const palette =
			'split[a][b];[a]palettegen=max_colors=96:stats_mode=full[p];[b][p]paletteuse=dither=none:diff_mode=rectangle';
		run('ffmpeg', [
			...['-y', '-loglevel', 'error', '-f', 'concat', '-i', join(folder, 'frames.txt')],
			...[
				'-vf',
				`fps=${PER_SECOND},scale=${SHOWN_WIDTH}:-1:flags=lanczos,${palette}`,
				'-loop',
				'0',
				ANIMATION,
			],
		]);
		const { size } = statSync(ANIMATION);
		console.log(`${ANIMATION}: ${frames.length} pictures, ${Math.round(size / 1000)} kB`);
		if (size > MOST_BYTES) process.exitCode = 1;
	} finally {
		await app.close();
	}
}
