import { spawnSync } from 'node:child_process';
import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** What decides whether a browser can build its own sandbox here; tests put theirs in its place. */
export interface SandboxGround {
	readonly platform: NodeJS.Platform;
	readonly isRoot: boolean;
	/** May a program make itself a user namespace? Asked on Linux alone. */
	hasUserNamespaces(): boolean;
	/** Is there a helper beside the browser that may become root to build it without them? */
	hasHelper(executablePath: string): boolean;
}

const SET_USER_ID = 0o4000;
/** As long as a program that does nothing takes, and no longer than a person waits for a window. */
const PROBE_LIMIT_MS = 2000;

const thisMachine: SandboxGround = {
	platform: process.platform,
	isRoot: process.getuid?.() === 0,
	hasUserNamespaces() {
		const probe = spawnSync('unshare', ['--user', '--map-root-user', 'true'], {
			stdio: 'ignore',
			timeout: PROBE_LIMIT_MS,
		});
		// A machine without that program says nothing about namespaces; the browser then finds out, and says so.
		return probe.error ? (probe.error as NodeJS.ErrnoException).code === 'ENOENT' : probe.status === 0;
	},
	hasHelper(executablePath) {
		const folders = [dirname(executablePath), join('/usr/lib', basename(executablePath))];
		try {
			folders.push(dirname(realpathSync(executablePath)));
		} catch {
			// Not there: the start says so.
		}
		return folders.some((folder) => {
			const helper = statSync(join(folder, 'chrome-sandbox'), { throwIfNoEntry: false });
			return helper !== undefined && helper.uid === 0 && (helper.mode & SET_USER_ID) !== 0;
		});
	},
};

/**
 * `--no-sandbox` only where the browser would not start with its sandbox: as root, and on a Linux that gives it
 * neither user namespaces nor a helper.
 */
export function sandboxFlags(executablePath: string, ground: SandboxGround = thisMachine): readonly string[] {
	if (ground.platform !== 'linux') return [];
	if (ground.isRoot) return ['--no-sandbox'];
	return ground.hasUserNamespaces() || ground.hasHelper(executablePath) ? [] : ['--no-sandbox'];
}
