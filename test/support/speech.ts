import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** 25 s of a professional speaker, from Debian's asterisk-core-sounds-en-g722 (CC-BY-SA 3.0). */
const DEBIAN_PROMPT = '/usr/share/asterisk/sounds/en_US_f_Allison/conf-adminmenu-162.g722';
const SHIPPED = 'resources/speech/en-conversation.wav';

/**
 * A WAV of human speech to play as microphone: Debian's recording where it and ffmpeg are installed,
 * otherwise the synthetic conversation that ships with the app.
 */
export function speechWav(): { path: string; human: boolean } {
	if (process.env.DRAGOMAN_TEST_BARE) return { path: SHIPPED, human: false };
	const folder = join('node_modules', '.cache', 'speech');
	const path = join(folder, 'conf-adminmenu-162.wav');
	if (!existsSync(path) && existsSync(DEBIAN_PROMPT)) {
		mkdirSync(folder, { recursive: true });
		const args = [
			'-y',
			'-loglevel',
			'error',
			'-f',
			'g722',
			'-i',
			DEBIAN_PROMPT,
			'-ar',
			'48000',
			'-ac',
			'1',
			path,
		];
		spawnSync('ffmpeg', args);
	}
	return existsSync(path) ? { path, human: true } : { path: SHIPPED, human: false };
}
