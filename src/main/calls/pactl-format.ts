import { z } from 'zod/mini';
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

/** `pactl list short sources`: the index of this source; null = it is not there. */
export function sourceIndex(text: string, name: string): number | null {
	const line = text.split('\n').find((one) => one.split('\t')[1] === name);
	return line === undefined ? null : Number(line.split('\t')[0]);
}

/** A stream that a program records. */
export interface SourceOutput {
	/** Index of what it records from. */
	readonly source: number;
	/** Process that records; 0 = the server does not know. */
	readonly pid: number;
}

const Recorded = z.object({
	source: z.number(),
	resample_method: z.optional(z.string()),
	properties: z.optional(z.record(z.string(), z.unknown())),
});

/** `pactl -f json list source-outputs`, without level meters; null = not a list. */
export function parseSourceOutputs(text: string): readonly SourceOutput[] | null {
	let list: unknown;
	try {
		// An older pactl prints nothing when there are no streams.
		list = text.trim() === '' ? [] : JSON.parse(text);
	} catch {
		return null;
	}
	if (!Array.isArray(list)) return null;
	return list.flatMap((entry: unknown) => {
		const { data } = Recorded.safeParse(entry);
		// A mixer that shows the level of every microphone hears nothing.
		if (!data || data.resample_method === 'peaks') return [];
		return [{ source: data.source, pid: Number(data.properties?.['application.process.id']) || 0 }];
	});
}
