/**
 * `npm run audit`: asks the registry for known vulnerabilities of what is installed, of the packager and of the vendor's SDK in
 * the tests. Fails on high and critical ones. If the registry gives no answer, it says so, also in the last line, and does not fail.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { withoutSecrets } from '#shared/lib/environment.ts';
import { readArguments } from './arguments.ts';
import { type Audit, auditOf, sumOf } from './audit-report.ts';

readArguments(import.meta.filename, { options: {} });

const root = join(import.meta.dirname, '..');
const FOLDERS = ['.', 'scripts/package/tool', 'test/vendor-sdk'] as const;
const LIMIT_MS = 60_000;
const isWindows = process.platform === 'win32';

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
process.exitCode = audits.some(({ bad }) => bad > 0) ? 1 : 0;
