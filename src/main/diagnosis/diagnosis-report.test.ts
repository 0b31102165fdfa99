import { expect, test } from 'vitest';
import { trouble, warning } from '#shared/diagnosis/checks.ts';
import { defaultSettings, type Settings } from '#shared/settings/schema.ts';
import { diagnosticsReport } from './diagnosis.ts';

const KEY = 'plbr_0123456789abcdef';

const report = (values: Settings, log = '') =>
	diagnosticsReport({
		info: {
			version: '1.2.3',
			shell: 'electron',
			platform: 'linux',
			locales: ['en'],
			microphone: 'granted',
			userData: { folder: '/home/ada/secret-place', source: 'DRAGOMAN_USER_DATA' },
		},
		settings: { revision: 1, values, origins: {}, problem: null },
		account: {
			revision: 1,
			service: 'service',
			apiUrl: 'https://api.example.com',
			sandbox: 'off',
			key: { present: true, lastFour: 'cdef', source: 'keychain', keychain: 'available' },
			voiceToken: { present: true, lastFour: 'wxyz', source: 'keychain' },
		},
		findings: [
			{ check: 'clock', ...warning('clockWrong', { minutes: 12 }) },
			{ check: 'account', ...trouble({ kind: 'forbidden', detail: `no such key: ${KEY}` }) },
		],
		log,
		secrets: [KEY],
	});

test('the report contains the findings, but no key, no last letters of one, and no folder, wherever they slipped in', () => {
	const text = report(defaultSettings, `a line with ${KEY}`);
	expect(text).toContain('clockWrong');
	expect(text).toContain('"forbidden"');
	expect(text).not.toContain(KEY);
	expect(text).not.toContain('cdef');
	expect(text).not.toContain('wxyz');
	expect(text).not.toContain('secret-place');
});

test('of the settings it has neither corrected words, nor phrases, nor ids', () => {
	const device = { id: 'id-of-a-device', label: 'Jabra' };
	const text = report({
		...defaultSettings,
		microphone: device,
		output: device,
		callOutput: device,
		roomOutput: device,
		corrections: [
			{ language: 'en', wrong: 'Heard Name', right: 'Right Name' },
			{ language: 'en', wrong: 'two', right: 'deux' },
		],
		glossaries: ['id-of-a-glossary'],
		phrases: { de: ['A phrase of mine'] },
		voices: { es: 'id-of-a-voice', de: 'default_high' },
	});
	for (const hidden of [/id-of/, /Heard Name/, /Right Name/, /phrase of mine/])
		expect(text).not.toMatch(hidden);
	expect(JSON.parse(text).settings).toMatchObject({
		microphone: { label: 'Jabra' },
		output: { label: 'Jabra' },
		corrections: 2,
		glossaries: 1,
		phrases: ['de'],
		voices: { es: 'another', de: 'default_high' },
		hear: ['es'],
	});
	expect(JSON.parse(report(defaultSettings)).settings).toMatchObject({ glossaries: 'all', roomOutput: null });
});
