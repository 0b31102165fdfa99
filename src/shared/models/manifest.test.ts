import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { chooseAmong } from './choose-models.ts';
import {
	modelById,
	models,
	modelsFor,
	neededFor,
	recogniserOf,
	translatorsOf,
	voiceFor,
} from './manifest.ts';

test('every model has a name of its own, and files that can be fetched and told apart', () => {
	expect(new Set(models.map(({ id }) => id)).size).toBe(models.length);
	for (const { id, files, licence } of models) {
		expect(id).toMatch(/^[\w.-]+$/);
		expect(licence).not.toBe('');
		expect(new Set(files.map(({ name }) => name)).size).toBe(files.length);
		for (const { name, urls, bytes, sha256 } of files) {
			expect(name).toMatch(/^[\w.-]+$/);
			expect(bytes).toBeGreaterThan(0);
			if (sha256 !== null) expect(sha256).toMatch(/^[0-9a-f]{64}$/);
			expect(urls.length).toBeGreaterThan(0);
			for (const url of urls) expect(URL.parse(url)?.protocol).toBe('https:');
		}
	}
});

test('files have the names by which the interpreter opens them', () => {
	const namesOf = (id: string) => modelById(id)?.files.map(({ name }) => name);
	expect(namesOf('silero-v5')).toEqual(['silero_vad_v5.onnx']);
	expect(namesOf('whisper-tiny.en')).toEqual([
		...['tiny.en-encoder.int8.onnx', 'tiny.en-decoder.int8.onnx', 'tiny.en-tokens.txt'],
	]);
	expect(namesOf('mozilla-en-pt')).toEqual([
		...['model.enpt.intgemm.alphas.bin', 'lex.50.50.enpt.s2t.bin', 'vocab.enpt.spm'],
	]);
	expect(namesOf('mozilla-en-zh')?.slice(2)).toEqual(['srcvocab.enzh.spm', 'trgvocab.enzh.spm']);
	expect(modelById('whisper-tiny')).toBeUndefined();
});

test.each([
	['en', 'pt', ['silero-v5', 'whisper-tiny.en', 'mozilla-en-pt']],
	['en-us', 'pt-br', ['silero-v5', 'whisper-tiny.en', 'mozilla-en-pt']],
	['pt', 'en', ['silero-v5', 'whisper-base', 'mozilla-pt-en']],
	['pt', 'es-mx', ['silero-v5', 'whisper-base', 'mozilla-pt-en', 'mozilla-en-es']],
	['zh', 'en-gb', ['silero-v5', 'whisper-base', 'mozilla-zh-en']],
	['pt', 'pt-br', ['silero-v5', 'whisper-base']],
	['en', 'zh-hant', null],
	['auto', 'en', null],
	['eu', 'en', null],
	['xx', 'yy', null],
] as const)('%s to %s needs %j', (from, to, needed) => {
	expect(neededFor(from, to)).toEqual(needed);
});

test('without the small model English is heard with that of many languages', () => {
	expect(neededFor('en', 'pt', { small: false })).toEqual(['silero-v5', 'whisper-base', 'mozilla-en-pt']);
});

test('the recogniser is the fastest installed one that understands the language', () => {
	const all = ['whisper-small', 'whisper-base', 'whisper-tiny.en'];
	expect(recogniserOf('en-gb', all)).toBe('whisper-tiny.en');
	expect(recogniserOf('en', ['whisper-small', 'whisper-base'])).toBe('whisper-base');
	expect(recogniserOf('de', all)).toBe('whisper-base');
	expect(recogniserOf('de', ['whisper-small'])).toBe('whisper-small');
	expect(recogniserOf('auto', all)).toBe('whisper-base');
	expect(recogniserOf('de', ['whisper-tiny.en'])).toBeNull();
	expect(recogniserOf('xx', all)).toBeNull();
});

test('translates through English where there is no way past it', () => {
	expect(translatorsOf('de', 'fr')).toEqual(['mozilla-de-en', 'mozilla-en-fr']);
	expect(translatorsOf('en', 'en-us')).toEqual([]);
	expect(translatorsOf('de', 'xx')).toBeNull();
});

test('a language has one voice at most, in every accent that is near enough', () => {
	const voices = models.filter(({ role }) => role === 'voice').flatMap(({ languages }) => languages);
	expect(new Set(voices).size).toBe(voices.length);
	expect(voiceFor('de')).toBe('piper-de_DE-thorsten-medium');
	expect(voiceFor(' EN-gb')).toBe('piper-en_US-joe-medium');
	expect(voiceFor('pt-br')).toBe('piper-pt_BR-faber-medium');
	expect(voiceFor('pt-eu')).toBeNull();
	expect(voiceFor('xx')).toBeNull();
	expect(voiceFor('')).toBeNull();
});

describe('the interpreter itself', () => {
	const absent = () => {
		throw new Error('not installed');
	};
	const linux = { platform: 'linux', arch: 'x64' };

	test('is needed, before the models, where npm has not installed its packages', () => {
		const here = modelsFor(linux, absent);
		expect(here.problem).toBeNull();
		expect(here.models[0]).toMatchObject({ id: 'interpreter', licence: expect.stringContaining('GPL') });
		expect(here.models.slice(1)).toEqual(models);
		expect(chooseAmong(here.models).neededFor('en', 'pt')).toEqual([
			...['interpreter', 'silero-v5', 'whisper-tiny.en', 'mozilla-en-pt'],
		]);
		expect(chooseAmong(here.models).neededFor('en', 'xx')).toBeNull();
	});

	test.each(['sherpa-onnx-node', 'sherpa-onnx-linux-x64', '@browsermt/bergamot-translator'])(
		'is needed where only %s is not installed',
		(missing) => {
			const here = modelsFor(linux, (file) => file === `${missing}/package.json` && absent());
			expect(here.models[0]?.id).toBe('interpreter');
		},
	);

	test('is no download where npm has installed its packages', () => {
		expect(modelsFor(linux, () => '')).toEqual({ models, problem: null });
		// Where npm would install them, if it had them for this system.
		expect(modelsFor({ platform: 'linux', arch: 'riscv64' }, () => '')).toEqual({ models, problem: null });
	});

	test('is no download for a system for which npm has none', () => {
		const reason = 'not made for linux-riscv64';
		expect(modelsFor({ platform: 'linux', arch: 'riscv64' }, absent)).toEqual({
			models,
			problem: { kind: 'sandbox-failed', local: true, reason },
		});
	});

	test.each([
		['linux', 'arm64', 'sherpa-onnx-linux-arm64'],
		['darwin', 'arm64', 'sherpa-onnx-darwin-arm64'],
		['win32', 'x64', 'sherpa-onnx-win-x64'],
	])('has the machine code for %s on %s, in the versions that a checkout has', (platform, arch, name) => {
		const files = modelsFor({ platform, arch }, absent).models[0]?.files ?? [];
		const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')).packages;
		expect(files.map((file) => file.package)).toContain(name);
		for (const { name: file, package: of = '' } of files)
			expect(file).toBe(`${of.replace(/^.*\//, '')}-${lock[`node_modules/${of}`].version}.tgz`);
	});
});
