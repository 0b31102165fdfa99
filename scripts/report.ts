import { readFileSync } from 'node:fs';

/** The fields that we read from the report of vitest's JSON reporter. */
export interface Report {
	readonly success: boolean;
	readonly numPassedTests: number;
	readonly numFailedTests: number;
	readonly numPendingTests: number;
	readonly numTodoTests: number;
	readonly testResults: readonly FileReport[];
}

interface FileReport {
	/** Absolute path of the file. */
	readonly name: string;
	readonly status: string;
	/** Why the whole file failed, if it did. */
	readonly message?: string;
	readonly assertionResults: readonly Assertion[];
}

interface Assertion {
	readonly title: string;
	/** Titles of the groups that contain the test. */
	readonly ancestorTitles: readonly string[];
	/** The title with those of its groups. */
	readonly fullName: string;
	readonly status: string;
	readonly failureMessages: readonly string[];
}

/** Null if the report was never written, because the run did not finish. */
export function readReport(path: string): Report | null {
	try {
		return JSON.parse(readFileSync(path, 'utf8')) as Report;
	} catch {
		return null;
	}
}

/** The vitest project a test file belongs to. */
export function projectOf(file: string): 'node' | 'integration' | 'browser' | 'e2e' {
	if (file.startsWith('test/e2e/')) return 'e2e';
	if (file.startsWith('test/integration/')) return 'integration';
	return /\.browser\.test\.tsx?$/.test(file) ? 'browser' : 'node';
}

/** The piece of a test's name as a regular expression: placeholders match any text. */
export function patternOf(test: string): string {
	return test
		.split(/%[sijdfo#%]/)
		.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
		.join('.*');
}

/**
 * The projects of vitest.config.ts that the `npm test` step of this name runs: projects that differ only in
 * isolation are one step.
 */
export function projectsOf(name: string): string {
	const plain = name.replace(/(-tools(-files)?)?(-again-\d)?$/, '');
	return plain === 'node' || plain === 'browser' ? `${plain}*` : plain;
}
