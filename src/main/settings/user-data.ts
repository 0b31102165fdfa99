import { join, resolve } from 'node:path';

export interface Machine {
	readonly platform: NodeJS.Platform;
	/** Empty where there is none. */
	readonly home: string;
	readonly env: NodeJS.ProcessEnv;
}

/** Empty where the system has no place for it. */
function defaultFolder({ platform, home, env }: Machine): string {
	if (platform === 'win32' && env.APPDATA) return join(env.APPDATA, 'Dragoman');
	if (platform !== 'win32' && platform !== 'darwin' && env.XDG_CONFIG_HOME?.startsWith('/'))
		// The XDG specification: a relative path is invalid and must be ignored.
		return join(env.XDG_CONFIG_HOME, 'dragoman');
	if (home === '') return '';
	if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'Dragoman');
	return platform === 'win32'
		? join(home, 'AppData', 'Roaming', 'Dragoman')
		: join(home, '.config', 'dragoman');
}

/** The option or variable that says where it is; empty = the place the system means for it. */
export function userDataSource(env: NodeJS.ProcessEnv, option?: string): string {
	if (option) return '--user-data-dir';
	return env.DRAGOMAN_USER_DATA ? 'DRAGOMAN_USER_DATA' : '';
}

/**
 * Where settings, ledger and logs are: option, then `DRAGOMAN_USER_DATA`, then the place the
 * system means for it; empty where it has none. The app and the command line share it.
 */
export function userDataFolder(machine: Machine, option?: string): string {
	const named = option || machine.env.DRAGOMAN_USER_DATA;
	return named ? resolve(named) : defaultFolder(machine);
}
