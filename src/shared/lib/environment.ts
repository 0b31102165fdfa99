/** Variables whose value is a secret. */
const SECRETS = ['DRAGOMAN_API_KEY', 'DRAGOMAN_VOICE_TOKEN', 'LIVEKIT_API_SECRET'] as const;

/** With `0` Node trusts any server, and a key would go to whoever answers. Node reads it at each connection. */
const UNCHECKED = 'NODE_TLS_REJECT_UNAUTHORIZED';
const UNCHECKED_REFUSED = `${UNCHECKED}=0 is not obeyed: a key goes only to a server whose certificate is trusted. NODE_EXTRA_CA_CERTS names the file of an authority of your own.\n`;

export type Environment = Record<string, string | undefined>;

/**
 * Returns the environment and removes secrets from `env`, so that no program started later inherits them. Call it once,
 * first of all, with the process's own. `say` is told what is ignored.
 */
export function takeEnvironment(env: Environment, say: (sentence: string) => void): Environment {
	keepChecking(env, say);
	const whole = { ...env };
	for (const name of SECRETS) delete env[name];
	return whole;
}

/**
 * Makes sure that certificates are checked, whatever the environment says, by started programs as well; says so once.
 * Call it before the first connection, with the process's own environment.
 */
export function keepChecking(env: Environment, say: (sentence: string) => void): void {
	const value = env[UNCHECKED];
	delete env[UNCHECKED];
	if (value === '0') say(UNCHECKED_REFUSED);
}

/** `env` without secrets, for programs that are not ours or need none. */
export function withoutSecrets(env: Environment): Environment {
	const rest = { ...env };
	for (const name of SECRETS) delete rest[name];
	delete rest[UNCHECKED];
	return rest;
}
