import { join, resolve } from 'node:path';

export interface Machine {
	readonly platform: NodeJS.Platform;
	readonly home: string;
	readonly env: NodeJS.ProcessEnv;
}

function defaultFolder({ platform, home, env }: Machine): string {
	if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'Dragoman');
	if (platform === 'win32') return join(env.APPDATA || join(home, 'AppData', 'Roaming'), 'Dragoman');
	// The XDG specification: a relative path is invalid and must be ignored.
	const config = env.XDG_CONFIG_HOME?.startsWith('/') ? env.XDG_CONFIG_HOME : join(home, '.config');
	return join(config, 'dragoman');
}

/** The option or variable that says where it is; empty = the place the system means for it. */
export function userDataSource(env: NodeJS.ProcessEnv, option?: string): string {
	if (option) return '--user-data-dir';
	return env.DRAGOMAN_USER_DATA ? 'DRAGOMAN_USER_DATA' : '';
}

/**
 * Where settings, ledger and logs are: option, then `DRAGOMAN_USER_DATA`, then the place the
 * system means for it. The app and the command line share it.
 */
export function userDataFolder(machine: Machine, option?: string): string {
	const named = option || machine.env.DRAGOMAN_USER_DATA;
	return named ? resolve(named) : defaultFolder(machine);
}
