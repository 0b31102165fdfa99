/** The code of a Node error, such as `ENOENT` or `ECONNREFUSED`. Only a word counts: a longer text may quote a secret. */
export function codeOf(thrown: unknown, otherwise = ''): string {
	const code = typeof thrown === 'object' && thrown !== null && 'code' in thrown ? thrown.code : '';
	return typeof code === 'string' && /^\w{1,60}$/.test(code) ? code : otherwise;
}

/** Why a file could not be opened, as the end of a sentence. */
export function whyUnreadable(thrown: unknown): string {
	const code = thrown instanceof Error ? codeOf(thrown) : '';
	if (code === 'ENOENT') return 'it does not exist';
	return code === 'EACCES' ? 'there is no permission to read it' : 'it cannot be opened';
}
