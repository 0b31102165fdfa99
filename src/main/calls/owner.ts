import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { codeOf } from '#main/lib/node-error.ts';

/** Who made a device: part of its name, so that what a dead program left can be told from what a living one uses. */
export interface Owner {
	/** Which computer, which boot of it and which container: pids mean nothing elsewhere. 8 hex digits. */
	readonly place: string;
	readonly pid: number;
	/** When the process began, in ticks since boot: pids are reused. */
	readonly start: string;
}

/** A look at the processes of this computer. */
export interface Processes {
	readonly self: Owner;
	/** Is it certain that this owner is gone? False in doubt, and for an owner in another place. */
	isGone(owner: Owner): boolean;
}

/** Linux alone; null where /proc does not tell. */
export function readProcesses(proc = '/proc', pid = process.pid): Processes | null {
	try {
		const boot = readFileSync(`${proc}/sys/kernel/random/boot_id`, 'utf8').trim();
		const place = createHash('sha256')
			.update(`${boot} ${readlinkSync(`${proc}/self/ns/pid`)}`)
			.digest('hex')
			.slice(0, 8);
		const start = startOf(readFileSync(`${proc}/${pid}/stat`, 'utf8'));
		if (start === null) return null;
		return {
			self: { place, pid, start },
			isGone(owner) {
				if (owner.place !== place) return false;
				try {
					const now = startOf(readFileSync(`${proc}/${owner.pid}/stat`, 'utf8'));
					return now !== null && now !== owner.start;
				} catch (failure) {
					return codeOf(failure) === 'ENOENT';
				}
			},
		};
	} catch {
		return null;
	}
}

/** Field 22 of proc_pid_stat(5); the name in brackets before it may hold anything, brackets and spaces too. */
function startOf(stat: string): string | null {
	const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
	const start = fields[22 - 3];
	return start && /^\d+$/.test(start) ? start : null;
}

const MARK = 'dragoman';

export type DevicePart = 'voice' | 'microphone';

/** Name of a device in the sound server. */
export function deviceName(owner: Owner, part: DevicePart): string {
	return `${MARK}.${owner.place}.${owner.pid}.${owner.start}.${part}`;
}

/** Whose device this is, from the arguments of its module; null = not one of ours. */
export function ownerOf(args: string): { readonly owner: Owner; readonly part: DevicePart } | null {
	const named =
		/(?:^|[\s{])(?:sink|source)_name=["']?dragoman\.([0-9a-f]{8})\.(\d+)\.(\d+)\.(voice|microphone)\b/.exec(
			args,
		);
	if (!named) return null;
	const [, place = '', pid = '', start = '', part] = named;
	return { owner: { place, pid: Number(pid), start }, part: part === 'voice' ? 'voice' : 'microphone' };
}

export function isSameOwner(one: Owner, other: Owner): boolean {
	return one.place === other.place && one.pid === other.pid && one.start === other.start;
}
