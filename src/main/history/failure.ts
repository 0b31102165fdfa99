/** SQLite's primary result codes (sqlite.org/rescode.html). */
const BUSY = 5;
const LOCKED = 6;
const READ_ONLY = 8;
const CORRUPT = 11;
const NOT_A_DATABASE = 26;

/** What a failure of SQLite or of the file system means to us. */
export function kindOfFailure(thrown: unknown): 'busy' | 'broken' | 'read-only' | 'other' {
	const code = typeof thrown === 'object' && thrown !== null && 'errcode' in thrown ? thrown.errcode : null;
	if (typeof code !== 'number') return 'other';
	// The extended codes have the primary one in their lowest byte.
	const primary = code & 0xff;
	if (primary === BUSY || primary === LOCKED) return 'busy';
	if (primary === READ_ONLY) return 'read-only';
	return primary === CORRUPT || primary === NOT_A_DATABASE ? 'broken' : 'other';
}

/** The code of the file system, or what SQLite says, which has one code for all. */
export function reasonOf(thrown: unknown): string {
	if (!(thrown instanceof Error)) return String(thrown);
	return 'code' in thrown && !('errcode' in thrown) ? String(thrown.code) : thrown.message;
}
