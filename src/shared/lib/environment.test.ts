import { expect, test } from 'vitest';
import { keepChecking, takeEnvironment, withoutSecrets } from './environment.ts';

const secrets = { DRAGOMAN_API_KEY: 'k', DRAGOMAN_VOICE_TOKEN: 't', LIVEKIT_API_SECRET: 's' };

test('what opens a door is known to us and to no program that inherits the environment', () => {
	const env = { ...secrets, PATH: '/bin' };
	expect(takeEnvironment(env, () => {})).toEqual({ ...secrets, PATH: '/bin' });
	expect(env).toEqual({ PATH: '/bin' });
});

test('white space around our variables, as shells and files leave it, does not count', () => {
	const env = {
		DRAGOMAN_API_KEY: ' right-key-1234 \r\n',
		DRAGOMAN_VOICE_TOKEN: '  ',
		DRAGOMAN_USER_DATA: '/data\r',
		OTHERS: ' as it is ',
	};
	const rest = { DRAGOMAN_USER_DATA: '/data', OTHERS: ' as it is ' };
	expect(takeEnvironment(env, () => {})).toEqual({
		DRAGOMAN_API_KEY: 'right-key-1234',
		DRAGOMAN_VOICE_TOKEN: '',
		...rest,
	});
	expect(env).toEqual(rest);
});

test('a program that is not ours gets none of it, and ours keeps its own', () => {
	const env = { ...secrets, PATH: '/bin', NODE_TLS_REJECT_UNAUTHORIZED: '0' };
	expect(withoutSecrets(env)).toEqual({ PATH: '/bin' });
	expect(env.DRAGOMAN_API_KEY).toBe('k');
});

test('the wish to check no certificates is taken out for us and for all others, and said once', () => {
	const said: string[] = [];
	const say = (sentence: string) => void said.push(sentence);
	const env = { NODE_TLS_REJECT_UNAUTHORIZED: '0', PATH: '/bin' };
	keepChecking(env, say);
	expect(takeEnvironment(env, say)).toEqual({ PATH: '/bin' });
	expect(env).toEqual({ PATH: '/bin' });
	expect(said).toEqual([expect.stringMatching(/^NODE_TLS_REJECT_UNAUTHORIZED=0 is not obeyed/)]);
});

test('nothing is said of a value that Node does not obey either', () => {
	const said: string[] = [];
	const env = { NODE_TLS_REJECT_UNAUTHORIZED: '1' };
	keepChecking(env, (sentence) => said.push(sentence));
	expect([env, said]).toEqual([{}, []]);
});
