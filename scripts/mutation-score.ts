import { readFileSync } from 'node:fs';

/** The folders of which mutants are made, and how many of them the tests are to kill, percent. */
export const goals: Readonly<Record<string, number>> = {
	'src/shared/conversation': 80,
	'src/shared/captions': 90,
	'src/shared/sound': 80,
	'src/shared/protocol': 80,
	'src/shared/typing': 80,
	'src/shared/calls': 80,
	'src/shared/facts': 80,
	'src/main/sessions': 90,
	'src/main/streaming': 80,
	'src/main/service': 80,
	'src/main/history': 80,
	'src/main/voices': 80,
	'src/main/account': 90,
};

/** Folders within one of the above that have a goal of their own. */
export const parts: Readonly<Record<string, number>> = { 'src/shared/conversation/machine': 90 };

/** The part of Stryker's report (mutation-testing-report-schema) that is read here. */
export interface MutationReport {
	readonly files: Readonly<Record<string, { readonly mutants: readonly { readonly status: string }[] }>>;
}

export interface Score {
	readonly killed: number;
	/** Mutants that could be killed: neither ignored with a reason nor failing to compile. */
	readonly mutants: number;
	/** Rounded down: 89.96 % is 89.9 %. */
	readonly percent: number;
}

/** How many mutants of the files below `folder` were killed; one that timed out counts as killed. */
export function scoreOf(report: MutationReport, folder: string): Score {
	const statuses = Object.entries(report.files)
		.filter(([file]) => file.startsWith(`${folder}/`))
		.flatMap(([, { mutants }]) => mutants.map(({ status }) => status));
	const count = (...wanted: readonly string[]) => statuses.filter((status) => wanted.includes(status)).length;
	const killed = count('Killed', 'Timeout');
	const mutants = killed + count('Survived', 'NoCoverage');
	return { killed, mutants, percent: mutants === 0 ? 100 : Math.floor((1000 * killed) / mutants) / 10 };
}

/** Null where there is none yet. */
export function readMutationReport(path: string): MutationReport | null {
	try {
		return JSON.parse(readFileSync(path, 'utf8')) as MutationReport;
	} catch {
		return null;
	}
}
