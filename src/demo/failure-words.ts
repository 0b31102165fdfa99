/** Colours and other control sequences, which a terminal would obey. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is they that are looked for
const ESCAPES = /\u001b\[[0-9;?]*[ -/]*[@-~]|[\u0000-\u0008\u000b-\u001f\u007f]/g;
/** Error messages of the program that drives the window. */
const OF_THE_DRIVER =
	/^[a-z]\w*(\.[\w$]+)+: |Timeout \d+ ?ms exceeded|Call log:|\b(Target|page|browser|context).* closed\b|\bProtocol error\b/i;

/** What a person is told of an unforeseen failure: one line, nothing from the driver, no stack. */
export function failureWords(failure: unknown): string {
	const message = failure instanceof Error ? failure.message : String(failure);
	if (OF_THE_DRIVER.test(message)) return 'the window did not do in time what was asked of it';
	const [line = ''] = message.replaceAll(ESCAPES, '').split('\n');
	return line.trim().replace(/:$/, '') || 'nobody knows why';
}
