/** The vitest project a test file belongs to. */
export function projectOf(file: string): 'node' | 'integration' | 'browser' | 'e2e' {
	if (file.startsWith('test/e2e/')) return 'e2e';
	if (file.startsWith('test/integration/')) return 'integration';
	return /\.browser\.test\.tsx?$/.test(file) ? 'browser' : 'node';
}

/** The part of a name as a regular expression: placeholders stand for anything. */
export function patternOf(test: string): string {
	return test
		.split(/%[sijdfo#%]/)
		.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
		.join('.*');
}

/** The projects of vitest.config.ts that the step of this name of `npm test` runs: those that differ only in their isolation are one step. */
export function projectsOf(name: string): string {
	const plain = name.replace(/(-tools(-files)?)?(-again-\d)?$/, '');
	return plain === 'node' || plain === 'browser' ? `${plain}*` : plain;
}
