import type { ServerInfo, SoundModule } from './sound-server.ts';

/** `pactl list short modules`: id, name and arguments between tabs. Other lines are left out. */
export function parseModules(text: string): readonly SoundModule[] {
	return text.split('\n').flatMap((line) => {
		const [id = '', name = '', ...args] = line.split('\t');
		return /^\d+$/.test(id) && name !== '' ? [{ id: Number(id), name, args: args.join('\t').trim() }] : [];
	});
}

/** `pactl info` in the C locale. */
export function parseInfo(text: string): ServerInfo {
	const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(text)?.[1]?.trim() ?? '';
	const name = [field('Server Name'), field('Server Version')].filter((part) => part !== '').join(' ');
	return { name, defaultSink: field('Default Sink'), defaultSource: field('Default Source') };
}
