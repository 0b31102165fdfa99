import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { defaultSettings, type Settings } from '#shared/settings/schema.ts';
import {
	BARE_LABEL,
	BARE_PAIR,
	BARE_PRESSED,
	BARE_ROOT,
	BARE_START,
	type FirstPicture,
	firstPictureOf,
	withFirstPicture,
} from './first-picture.ts';
import { wordsFor } from './words.ts';

const picture: FirstPicture = {
	language: 'ar',
	theme: 'dark',
	motion: 'reduced',
	page: 'welcome',
	pair: ['', ''],
	start: null,
};

test('the page begins with the language, direction, theme and motion it will keep', () => {
	expect(withFirstPicture(`<!doctype html>\n${BARE_ROOT}\n<body>`, picture)).toBe(
		'<!doctype html>\n<html lang="ar" dir="rtl" data-theme="dark" data-motion="reduced" data-first="welcome">\n<body>',
	);
	expect(withFirstPicture(BARE_ROOT, { ...picture, language: 'de', page: 'live' })).toBe(
		'<html lang="de" dir="ltr" data-theme="dark" data-motion="reduced" data-first="live">',
	);
	expect(withFirstPicture(BARE_ROOT, { ...picture, theme: 'contrast' })).toContain(' data-contrast="more">');
});

test('of the words that the build names, those of the language are fetched with the page', () => {
	const link = (of: string) =>
		`\t\t<link rel="modulepreload" data-words="${of}" href="./assets/${of}-1.js">\n`;
	const page = (links: string) => `<head>\n${links}\t</head>`;
	const all = page(link('en') + link('ar') + link('ja'));
	expect(withFirstPicture(all, picture)).toBe(page(link('ar')));
	expect(withFirstPicture(page('\t\t<link rel="stylesheet" href="x">\n'), picture)).toContain('stylesheet');
});

test('the window’s page has each place once, and that of the captions over other windows stays as it is', () => {
	const read = (path: string) => readFileSync(`src/renderer/${path}`, 'utf8');
	for (const place of [BARE_ROOT, BARE_PAIR, BARE_START, BARE_LABEL, BARE_PRESSED])
		expect(read('index.html').split(place)).toHaveLength(2);
	const full = { ...picture, start: { label: 'x', pressed: 'y' } };
	expect(withFirstPicture(read('overlay/index.html'), full)).toBe(read('overlay/index.html'));
});

test('languages and Start are text, whatever they are called', () => {
	const page = `${BARE_PAIR}<button${BARE_START}<svg></svg>${BARE_LABEL}<span${BARE_PRESSED}`;
	expect(withFirstPicture(page, picture)).toBe(page);
	const named = {
		...picture,
		pair: ['<b>$&', ''] as const,
		start: { label: "A & B$'", pressed: '<script>' },
	};
	expect(withFirstPicture(page, named)).toBe(
		'<i dir="auto">&lt;b&gt;$&amp;</i><i dir="auto"></i><button><svg></svg>A &amp; B$\'</button><span popover="manual">&lt;script&gt;</span>',
	);
});

const account = { service: 'service', key: { present: true } } as Parameters<
	typeof firstPictureOf
>[0]['account'];
const known = (settings: Partial<Settings> = {}, changed: object = {}) =>
	firstPictureOf({
		settings: { ...defaultSettings, ...settings },
		account: { ...account, ...changed },
		locales: ['fr-CA', 'de'],
		words: wordsFor('fr', []),
	});

test('it has the languages as the window names them, and Start in the same words', () => {
	expect(known({ theme: 'dark', motion: 'reduced' })).toEqual({
		language: 'fr',
		theme: 'dark',
		motion: 'reduced',
		page: 'live',
		pair: ['English · Anglais', 'Español · Espagnol'],
		start: { label: 'Démarrer', pressed: 'En cours…' },
	});
	expect(known({ interfaceLanguage: 'de' })).toMatchObject({
		language: 'de',
		pair: ['English · Englisch', 'Español · Spanisch'],
	});
});

test('a language to be detected, and none at all, are left empty', () => {
	expect(known({ speak: 'auto' }).pair[0]).toBe('');
	expect(known({ mode: 'captions', translateCaptions: false }).pair[1]).toBe('');
	expect(known({ mode: 'listen', listenDetect: true }).pair[1]).toBe('');
	expect(known({ hear: [], voiceOf: '' }).pair[1]).toBe('');
	expect(known({ mode: 'type' }).pair).toEqual(['', '']);
});

test('Start can be pressed with a key or the sandbox, where there is something to start', () => {
	const none = { key: { present: false } };
	expect(known({}, none).start).toBeNull();
	expect(known({ mode: 'type' }).start).toBeNull();
	expect(known({}, { ...none, service: 'sandbox', sandbox: 'running' }).start).not.toBeNull();
	expect(known({}, { service: 'sandbox', sandbox: 'starting' }).start).toBeNull();
	expect(known({}, { service: 'local', sandbox: 'starting' }).start).toBeNull();
	expect(known({}, { ...none, service: 'local', sandbox: 'running' }).start).not.toBeNull();
	expect(known({}, { ...none, service: 'unset' })).toMatchObject({ page: 'welcome', start: null });
});
