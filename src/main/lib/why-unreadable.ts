/** Why a file could not be opened, as the end of a sentence; `thrown` is what Node threw. */
export function whyUnreadable(thrown: unknown): string {
	const code = thrown instanceof Error && 'code' in thrown ? thrown.code : '';
	if (code === 'ENOENT') return 'it does not exist';
	return code === 'EACCES' ? 'there is no permission to read it' : 'it cannot be opened';
}
