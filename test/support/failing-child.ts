/**
 * Loaded into a program with `--import`: on SIGUSR2 it fails as a bug would, with a message that holds
 * the content of the file that `FAIL_WITH` names.
 */
import { readFileSync } from 'node:fs';

const { FAIL_WITH } = process.env;
if (FAIL_WITH) {
	process.on('SIGUSR2', () => {
		const message = readFileSync(FAIL_WITH, 'utf8');
		setImmediate(() => {
			throw new Error(message);
		});
	});
}
