import { closeSync, openSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolderNow } from '#main/lib/make-folder.ts';

/** When a process began, as the kernel counts it: tells a process from a later one with the same pid. */
function startOf(pid: number): string {
	try {
		const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
		return stat.slice(stat.lastIndexOf(')')).split(' ')[20] ?? '';
	} catch {
		return '';
	}
}

function isAlive({ pid, start }: { readonly pid: number; readonly start: string }): boolean {
	try {
		process.kill(pid, 0);
	} catch {
		return false;
	}
	return startOf(pid) === start;
}

/**
 * One program per user data folder. A lock whose owner died is taken over; a second instance leaves
 * its arguments for the first, which hears of them.
 */
export function takeInstanceLock(folder: string, second: (argv: string[]) => void): boolean {
	const place = join(folder, 'stand-in');
	const lock = join(place, 'lock');
	const knock = join(place, 'knock');
	makeFolderNow(place, { mode: 0o700 });
	for (let attempt = 0; attempt < 3; attempt++) {
		try {
			const file = openSync(lock, 'wx', 0o600);
			writeFileSync(file, JSON.stringify({ pid: process.pid, start: startOf(process.pid) }));
			closeSync(file);
			process.once('exit', () => rmSync(lock, { force: true }));
			rmSync(knock, { force: true });
			watch(place, (_event, name) => {
				if (name !== 'knock') return;
				try {
					const argv = JSON.parse(readFileSync(knock, 'utf8')) as string[];
					rmSync(knock, { force: true });
					second(argv);
				} catch {
					// Half written, or heard twice.
				}
			}).unref();
			return true;
		} catch {
			try {
				if (isAlive(JSON.parse(readFileSync(lock, 'utf8')) as { pid: number; start: string })) {
					rmSync(knock, { force: true });
					writeFileSync(knock, JSON.stringify(process.argv), { mode: 0o600, flag: 'wx' });
					return false;
				}
			} catch {
				// Gone or unreadable meanwhile.
			}
			rmSync(lock, { force: true });
		}
	}
	return false;
}
