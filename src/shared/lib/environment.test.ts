import { expect, test } from 'vitest';
import { takeEnvironment } from './environment.ts';

test('what opens a door is known to us and to no program that inherits the environment', () => {
	const env = { DRAGOMAN_API_KEY: 'k', DRAGOMAN_VOICE_TOKEN: 't', LIVEKIT_API_SECRET: 's', PATH: '/bin' };
	expect(takeEnvironment(env)).toEqual({
		DRAGOMAN_API_KEY: 'k',
		DRAGOMAN_VOICE_TOKEN: 't',
		LIVEKIT_API_SECRET: 's',
		PATH: '/bin',
	});
	expect(env).toEqual({ PATH: '/bin' });
});
