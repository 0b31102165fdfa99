import { expect, test } from 'vitest';
import { settingsInForce } from '#main/settings/settings.ts';
import { keyRefusal } from './context.ts';

const WRITTEN = { apiUrl: 'https://written.example/base', s2sUrl: 'wss://written.example/{hash}/s' } as const;

test('a key goes where options, variables or the default say, not where only the settings do', () => {
	const byOption = settingsInForce({ 'api-url': WRITTEN.apiUrl, 's2s-url': WRITTEN.s2sUrl }, {}, WRITTEN);
	const byVariable = settingsInForce(
		{},
		{ DRAGOMAN_API_URL: WRITTEN.apiUrl, DRAGOMAN_S2S_URL: WRITTEN.s2sUrl },
		WRITTEN,
	);
	for (const settings of [byOption, byVariable, settingsInForce({}, {}, {})]) {
		expect([keyRefusal('api', settings), keyRefusal('s2s', settings), keyRefusal('tts', settings)]).toEqual([
			null,
			null,
			null,
		]);
	}
	const written = settingsInForce({}, { DRAGOMAN_API_KEY: 'a-key' }, WRITTEN);
	const refusal = { kind: 'key-elsewhere', host: 'written.example' };
	expect([keyRefusal('api', written), keyRefusal('s2s', written), keyRefusal('stt', written)]).toEqual([
		refusal,
		refusal,
		null,
	]);
	// Naming one address does not make the other trusted.
	expect(keyRefusal('s2s', settingsInForce({ 'api-url': WRITTEN.apiUrl }, {}, WRITTEN))).toEqual(refusal);
});

test('the public address written into the settings is the default all the same', () => {
	expect(keyRefusal('api', settingsInForce({}, {}, { apiUrl: 'https://api.palabra.ai' }))).toBeNull();
	expect(keyRefusal('api', settingsInForce({}, {}, { apiUrl: '' }))).toBeNull();
});
