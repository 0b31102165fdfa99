import { describe, expect, test } from 'vitest';
import { defaultSettings, type Settings } from '#shared/settings/schema.ts';
import { socketOpening, travelOf } from './choices.ts';

const captions: Settings = { ...defaultSettings, mode: 'captions', translateCaptions: true };

describe('captions only', () => {
	test.each(['auto', 'webrtc', 'websocket'] as const)(
		'travel by their socket and by nothing else, also where %s is set for speech',
		(transport) => {
			for (const speechSocket of [true, false, undefined])
				expect(travelOf({ service: 'service', mode: 'captions', transport }, speechSocket)).toEqual({
					route: 'websocket',
					mayFallBack: false,
				});
		},
	);

	test('ask for languages without their regions, each once', () => {
		const chosen = { ...captions, speak: 'en', hear: ['es-mx', 'zh-hant', 'es'] };
		expect(socketOpening(chosen, true)).toEqual({
			purpose: 'speech-to-text',
			language: 'en',
			targets: ['es', 'zh'],
			chunkMs: 320,
		});
	});

	test('ask for no translation when none is wanted, and let the language be detected', () => {
		const chosen: Settings = { ...captions, speak: 'auto', translateCaptions: false };
		expect(socketOpening(chosen, true)).toMatchObject({ language: 'auto', targets: [] });
	});
});

test('uses the configured route, and falls back only if allowed and possible', () => {
	const travel = (transport: Settings['transport'], socket?: boolean) =>
		travelOf({ service: 'service', mode: 'solo', transport }, socket);
	expect(travel('auto', true)).toMatchObject({ route: 'webrtc', mayFallBack: true, socketOff: false });
	expect(travel('auto', false)).toMatchObject({ route: 'webrtc', mayFallBack: false, socketOff: true });
	expect(travel('webrtc', true)).toMatchObject({ route: 'webrtc', mayFallBack: false });
	expect(travel('websocket', true)).toMatchObject({ route: 'websocket', mayFallBack: false });
	expect(socketOpening({ ...defaultSettings, preset: 'fast' }, false)).toEqual({
		purpose: 'speech-to-speech',
		keepSpeech: false,
		chunkMs: 100,
	});
});

test('this computer is reached over its socket alone, whatever is set for a service', () => {
	for (const transport of ['auto', 'webrtc', 'websocket'] as const)
		expect(travelOf({ service: 'local', mode: 'solo', transport }, true)).toEqual({
			route: 'websocket',
			mayFallBack: false,
			isHere: true,
		});
});
