import { readFileSync } from 'node:fs';
import type { SystemSoundState } from '#shared/host/calls.ts';

/** A stream that a program plays into the sound server. */
export interface SinkInput {
	readonly index: number;
	/** Process that plays it; 0 = the server does not know. */
	readonly pid: number;
	/** Name for people. Of those without one, each process has its own: they are never taken for one program. */
	readonly application: string;
	/** It is paused. */
	readonly corked: boolean;
	/** Muted in the system's mixer: nothing but silence comes from it. */
	readonly muted: boolean;
	/** Each channel's, 65536 = 100 %; empty = it cannot be told or set. */
	readonly volume: readonly number[];
}

/** `pactl list sink-inputs`: the names of programs by the index of their stream. */
export function parseNames(text: string): ReadonlyMap<number, string> {
	const streams = text.split(/^Sink Input #/m).slice(1);
	return new Map(
		streams.map((stream) => [
			Number.parseInt(stream, 10),
			/^\s*application\.name = "(.*)"$/m.exec(stream)?.[1]?.replaceAll(/\\(["\\])/g, '$1') ?? '',
		]),
	);
}

/**
 * `pactl -f json list sink-inputs`. Streams without an index are left out; null = not a list. `names` stand for those that
 * pactl 16 cannot write as JSON, which are all that are not ASCII.
 */
export function parseSinkInputs(
	text: string,
	names: ReadonlyMap<number, string> = new Map(),
): readonly SinkInput[] | null {
	let list: unknown;
	try {
		// An older pactl prints nothing when there are no streams.
		list = text.trim() === '' ? [] : JSON.parse(text);
	} catch {
		return null;
	}
	if (!Array.isArray(list)) return null;
	return list.flatMap((entry: unknown): SinkInput[] => {
		if (typeof entry !== 'object' || entry === null || !('index' in entry)) return [];
		const index = Number(entry.index);
		if (!Number.isInteger(index) || index < 0) return [];
		const properties = 'properties' in entry ? entry.properties : null;
		const property = (name: string): string => {
			const value: unknown =
				typeof properties === 'object' && properties !== null ? Reflect.get(properties, name) : undefined;
			return typeof value === 'string' ? value.trim() : '';
		};
		const pid = Number(property('application.process.id'));
		const binary = withoutNull(property('application.process.binary'));
		const written = property('application.name');
		const named = written === '(null)' ? names.get(index) || written : written;
		const own = `(${Number.isInteger(pid) && pid > 0 ? pid : `#${index}`})`;
		const nameless = [binary || withoutNull(property('media.name')), own]
			.filter((part) => part !== '')
			.join(' ');
		return [
			{
				index,
				pid: Number.isInteger(pid) && pid > 0 ? pid : 0,
				application: (withoutNull(named) || (named === '' && binary) || nameless).slice(0, 300),
				corked: 'corked' in entry && entry.corked === true,
				muted: 'mute' in entry && entry.mute === true,
				volume: volumeOf('volume' in entry ? entry.volume : null),
			},
		];
	});
}

/** pactl's word for what it cannot write. */
function withoutNull(name: string): string {
	return name === '(null)' ? '' : name;
}

/** `{"front-left": {"value": 65536, …}, …}`, in the order of the channels. */
function volumeOf(value: unknown): number[] {
	if (typeof value !== 'object' || value === null) return [];
	const channels = Object.values(value).map((one: unknown) =>
		typeof one === 'object' && one !== null && 'value' in one ? one.value : null,
	);
	return channels.every((one): one is number => Number.isInteger(one)) ? channels : [];
}

/** Is `pid` the process `root` or one started by it? `parentOf` gives 0 for a process that is gone. */
export function isWithin(pid: number, root: number, parentOf: (pid: number) => number): boolean {
	// A process table that changes meanwhile could contain a cycle.
	for (let at = pid, steps = 0; at > 1 && steps < 64; at = parentOf(at), steps += 1)
		if (at === root) return true;
	return false;
}

/** Linux only; 0 when the process is gone. */
export function parentOf(pid: number): number {
	try {
		const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
		// The name in brackets may hold anything.
		return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) || 0;
	} catch {
		return 0;
	}
}

/** Each program once, sorted by name. */
export function applicationsOf(inputs: readonly SinkInput[]): SystemSoundState['applications'] {
	const byName = new Map<string, SinkInput[]>();
	for (const input of inputs) {
		// Means everything the computer plays.
		if (input.application === '') continue;
		byName.set(input.application, [...(byName.get(input.application) ?? []), input]);
	}
	return [...byName]
		.map(([name, streams]) => {
			const running = streams.filter(({ corked }) => !corked);
			return {
				name,
				playing: running.length > 0,
				muted: (running.length > 0 ? running : streams).every(({ muted }) => muted),
			};
		})
		.sort((one, other) => (one.name < other.name ? -1 : 1));
}
