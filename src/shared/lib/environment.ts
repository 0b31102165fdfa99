/** Variables whose value is a secret. */
const SECRETS = ['DRAGOMAN_API_KEY', 'DRAGOMAN_VOICE_TOKEN', 'LIVEKIT_API_SECRET'] as const;

/** With `0` Node believes any server, and a key would go to whoever answers. Read anew at each connection. */
const UNCHECKED = 'NODE_TLS_REJECT_UNAUTHORIZED';
const UNCHECKED_REFUSED = `${UNCHECKED}=0 is not obeyed: a key goes only to a server whose certificate is trusted. NODE_EXTRA_CA_CERTS names the file of an authority of your own.\n`;

export type Environment = Record<string, string | undefined>;

/**
 * The environment as it is; what is a secret is then taken out of `env`, so that no program started
 * from here on inherits it. Once, first of all, with the process's own. `say` hears of what is not obeyed.
 */
export function takeEnvironment(env: Environment, say: (sentence: string) => void): Environment {
	keepChecking(env, say);
	const whole = { ...env };
	for (const name of SECRETS) delete env[name];
	return whole;
}

/**
 * From here on certificates are checked, whatever the environment says, also by the programs that are started; it is
 * said once. Before the first connection, with the process's own.
 */
export function keepChecking(env: Environment, say: (sentence: string) => void): void {
	const value = env[UNCHECKED];
	delete env[UNCHECKED];
	if (value === '0') say(UNCHECKED_REFUSED);
}

/** For programs that are not ours, or that need none of it: `env` without what is a secret. */
export function withoutSecrets(env: Environment): Environment {
	const rest = { ...env };
	for (const name of SECRETS) delete rest[name];
	delete rest[UNCHECKED];
	return rest;
}
