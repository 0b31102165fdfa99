/**
 * `npm run audit`: queries the registry for known vulnerabilities of the installed packages, of the packager and of
 * the vendor's SDK in the tests. Fails if one is high or critical. If the registry does not answer, it reports that,
 * also in the last line, and does not fail.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { withoutSecrets } from '#shared/lib/environment.ts';
import { readArguments } from './arguments.ts';

const root = join(import.meta.dirname, '..');
const FOLDERS = ['.', 'packaging/tool', 'test/vendor-sdk'] as const;
const LIMIT_MS = 60_000;
const isWindows = process.platform === 'win32';

/** A registry's report of known vulnerabilities. */
export interface Audit {
	/** Text for people; if the registry did not answer, the reason. */
	readonly said: string;
	/** Number of high or critical vulnerabilities. */
	readonly bad: number;
	/** The registry answered. */
	readonly asked: boolean;
}

/**
 * Reads the output of `npm audit --json`. If it is not a report, the result says so and counts no
 * vulnerability.
 */
export function auditOf(printed: string): Audit {
	let read: unknown;
	try {
		read = JSON.parse(printed);
	} catch {
		return { said: 'not asked: npm gave no answer', bad: 0, asked: false };
	}
	const { metadata, message, vulnerabilities } = (read ?? {}) as {
		metadata?: { vulnerabilities?: Readonly<Record<string, number>> };
		message?: string;
		vulnerabilities?: Readonly<Record<string, { severity?: string }>>;
	};
	const counts = metadata?.vulnerabilities;
	if (!counts) {
		// Omit the address in the message, because it may belong to a private registry.
		const reason = /\b[45]\d\d\b[^-]*/.exec(message ?? '')?.[0]?.trim() ?? 'no answer';
		return { said: `not asked: the registry offers no audit (${reason})`, bad: 0, asked: false };
	}
	const { high = 0, critical = 0, total = 0 } = counts;
	const names = Object.entries(vulnerabilities ?? {})
		.filter(([, { severity }]) => severity === 'high' || severity === 'critical')
		.map(([name]) => name);
	const which = names.length > 0 ? `: ${names.sort().join(', ')}` : '';
	return {
		said: `${total} known holes, ${high + critical} of them high or critical${which}`,
		bad: high + critical,
		asked: true,
	};
}

/** The last line, which also states what was not checked. */
export function sumOf(audits: readonly Audit[]): string {
	const missing = audits.filter(({ asked }) => !asked).length;
	if (missing === audits.length)
		return 'Nothing was checked: ask again where the registry answers (npm config get registry).';
	const bad = audits.reduce((sum, audit) => sum + audit.bad, 0);
	const found = bad === 0 ? 'No high or critical holes' : `High or critical holes: ${bad}`;
	return missing === 0
		? `${found}.`
		: `${found} in what was checked; not checked: ${missing} of ${audits.length}.`;
}

/** Checks each folder and prints the results; true if a vulnerability is high or critical. */
function audit(): boolean {
	const audits: Audit[] = [];
	for (const folder of FOLDERS) {
		const { stdout = '' } = spawnSync(
			isWindows ? 'npm.cmd' : 'npm',
			['audit', '--json', '--package-lock-only'],
			{
				cwd: join(root, folder),
				encoding: 'utf8',
				timeout: LIMIT_MS,
				shell: isWindows,
				env: { ...withoutSecrets(process.env), npm_config_audit: 'true' },
			},
		);
		const report = auditOf(stdout);
		console.log(`${folder}: ${report.said}`);
		audits.push(report);
	}
	console.log(sumOf(audits));
	return audits.some(({ bad }) => bad > 0);
}

if (import.meta.main) {
	readArguments(import.meta.filename, { options: {} });
	if (audit()) process.exitCode = 1;
}
