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

export interface FileReport {
	/** Absolute path of the file. */
	readonly name: string;
	readonly status: string;
	/** Why it failed as a whole, where it did. */
	readonly message?: string;
	readonly assertionResults: readonly Assertion[];
}

export interface Assertion {
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
