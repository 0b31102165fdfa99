import { readFileSync } from 'node:fs';

/** What vitest's JSON reporter writes of a run; here is what we read of it. */
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
	/** Why it failed as a whole, where it did. */
	readonly message?: string;
	readonly assertionResults: readonly Assertion[];
}

interface Assertion {
	readonly title: string;
	/** The groups around it. */
	readonly ancestorTitles: readonly string[];
	/** With the names of the groups around it. */
	readonly fullName: string;
	readonly status: string;
	readonly failureMessages: readonly string[];
}

/** Null if it was never written, because the run did not finish. */
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
