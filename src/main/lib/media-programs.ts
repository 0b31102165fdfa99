import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/** Formats that ffmpeg may read. A playlist (hls, dash, concat) would make it read other files. */
const KINDS = [
	...['aac', 'ac3', 'aiff', 'amr', 'amrnb', 'amrwb', 'ape', 'asf', 'au', 'avi', 'caf', 'dsf', 'dts', 'eac3'],
	...['flac', 'flv', 'gsm', 'live_flv', 'loas', 'm4v', 'matroska', 'mov', 'mp3', 'mpc', 'mpc8', 'mpeg'],
	...['mpegts', 'mxf', 'nut', 'ogg', 'oma', 'rm', 'sox', 'swf', 'tak', 'truehd', 'tta', 'voc', 'w64', 'wav'],
	...['webm', 'wv'],
];

/** Options of ffmpeg and ffprobe before the file. */
export const MEDIA_ONLY = ['-protocol_whitelist', 'file', '-format_whitelist', KINDS.join(',')];

/**
 * The full path of an installed program; null = there is none. If started by name only, Windows would look in
 * the working folder first, where anybody may have put a program of that name.
 */
export function programPath(
	name: string,
	env: NodeJS.ProcessEnv = process.env,
	platform = process.platform,
): string | null {
	// On Windows the variable's name may be in any case.
	const path = Object.entries(env).find(([variable]) => variable.toUpperCase() === 'PATH')?.[1] ?? '';
	const file = platform === 'win32' ? `${name}.exe` : name;
	const places = path.split(delimiter).filter(isAbsolute);
	return places.map((folder) => join(folder, file)).find(isProgram) ?? null;
}

function isProgram(path: string): boolean {
	try {
		accessSync(path, constants.X_OK);
		return statSync(path).isFile();
	} catch {
		return false;
	}
}
