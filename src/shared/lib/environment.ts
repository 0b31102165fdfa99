/** Variables whose value is a secret. */
const SECRETS = ['DRAGOMAN_API_KEY', 'DRAGOMAN_VOICE_TOKEN', 'LIVEKIT_API_SECRET'] as const;

/** `0` makes Node trust any server, even an impostor. Node reads it at each connection. */
const UNCHECKED = 'NODE_TLS_REJECT_UNAUTHORIZED';
const UNCHECKED_REFUSED = `${UNCHECKED}=0 is not obeyed: a key goes only to a server whose certificate is trusted. NODE_EXTRA_CA_CERTS names the file of an authority of your own.\n`;

/** Names of variables that we read. */
const OURS = /^(DRAGOMAN|LIVEKIT)_/;

export type Environment = Record<string, string | undefined>;

/**
 * Returns the environment and removes secrets from `env`, so that no program started later inherits them. Also
 * trims white space around the values of our variables in both. Call it once, first of all, with the process's
 * own environment. `say` receives a sentence about ignored values.
 */
export function takeEnvironment(env: Environment, say: (sentence: string) => void): Environment {
	keepChecking(env, say);
	// On Windows, `set NAME=value && …` adds a space at the end; a file may add a carriage return.
	for (const [name, value] of Object.entries(env)) if (OURS.test(name)) env[name] = value?.trim();
	const whole = { ...env };
	for (const name of SECRETS) delete env[name];
	return whole;
}

/** Makes sure that certificates are checked, in started programs too. Call it before any connection. */
export function keepChecking(env: Environment, say: (sentence: string) => void): void {
	const value = env[UNCHECKED];
	delete env[UNCHECKED];
	if (value === '0') say(UNCHECKED_REFUSED);
}

/** `env` without secrets, for programs that are not ours or need no secrets. */
export function withoutSecrets(env: Environment): Environment {
	const rest = { ...env };
	for (const name of SECRETS) delete rest[name];
	delete rest[UNCHECKED];
	return rest;
}
