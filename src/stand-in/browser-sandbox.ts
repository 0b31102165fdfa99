import { spawnSync } from 'node:child_process';
import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** What decides whether a browser can build its own sandbox here; tests replace it. */
export interface SandboxGround {
	readonly platform: NodeJS.Platform;
	readonly isRoot: boolean;
	/** May a program create a user namespace? Called only on Linux. */
	hasUserNamespaces(): boolean;
	/** Is there a setuid helper beside the browser that can build the sandbox without them? */
	hasHelper(executablePath: string): boolean;
}

const SET_USER_ID = 0o4000;
/** Ample for a program that does nothing, and short enough for a person waiting for a window. */
const PROBE_LIMIT_MS = 2000;

const thisMachine: SandboxGround = {
	platform: process.platform,
	isRoot: process.getuid?.() === 0,
	hasUserNamespaces() {
		const probe = spawnSync('unshare', ['--user', '--map-root-user', 'true'], {
			stdio: 'ignore',
			timeout: PROBE_LIMIT_MS,
		});
		// A machine without that program tells nothing about namespaces; the browser then finds out and reports it.
		return probe.error ? (probe.error as NodeJS.ErrnoException).code === 'ENOENT' : probe.status === 0;
	},
	hasHelper(executablePath) {
		const folders = [dirname(executablePath), join('/usr/lib', basename(executablePath))];
		try {
			folders.push(dirname(realpathSync(executablePath)));
		} catch {
			// The browser is missing: its start will report that.
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
