import { expect, test } from 'vitest';
import { trouble, warning } from '#shared/diagnosis/finding.ts';
import { defaultSettings } from '#shared/settings/schema.ts';
import { diagnosticsReport } from './report.ts';

const KEY = 'plbr_0123456789abcdef';

test('the report has what was found, and neither key, nor its last letters, nor a folder, wherever they slipped in', () => {
	const report = diagnosticsReport({
		info: {
			...{ version: '1.2.3', shell: 'electron', platform: 'linux', locales: ['en'], microphone: 'granted' },
			userData: { folder: '/home/ada/secret-place', source: 'DRAGOMAN_USER_DATA' },
		},
		settings: { revision: 1, values: defaultSettings, origins: {}, problem: null },
		account: {
			...{ revision: 1, service: 'service', apiUrl: 'https://api.example.com', sandbox: 'off' },
			key: { present: true, lastFour: 'cdef', source: 'keychain', keychain: 'available' },
		},
		findings: [
			{ check: 'clock', ...warning('clockWrong', { minutes: 12 }) },
			{ check: 'account', ...trouble({ kind: 'forbidden', detail: `no such key: ${KEY}` }) },
		],
		log: `a line with ${KEY}`,
		secrets: [KEY],
	});
	expect(report).toContain('clockWrong');
	expect(report).toContain('"forbidden"');
	expect(report).not.toContain(KEY);
	expect(report).not.toContain('cdef');
	expect(report).not.toContain('secret-place');
});
