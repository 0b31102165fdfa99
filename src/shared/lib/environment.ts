/** Variables whose value opens a door. */
const SECRETS = ['DRAGOMAN_API_KEY', 'DRAGOMAN_VOICE_TOKEN', 'LIVEKIT_API_SECRET'] as const;

export type Environment = Record<string, string | undefined>;

/**
 * The environment as it is; what opens a door is then taken out of `env`, so that no program started
 * from here on inherits it. Once, first of all, with the process's own.
 */
export function takeEnvironment(env: Environment): Environment {
	const whole = { ...env };
	for (const name of SECRETS) delete env[name];
	return whole;
}
