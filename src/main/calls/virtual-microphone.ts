import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { codeOf } from '#main/lib/files.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import type { SoundModule, SoundServer } from './sound-server.ts';

/** The process that created a device; part of the device's name, to recognise leftovers of dead ones. */
interface Owner {
	/** Identifies the computer, its boot and the container: pids mean nothing elsewhere. 8 hex digits. */
	readonly place: string;
	readonly pid: number;
	/** When the process began, in ticks since boot: pids are reused. */
	readonly start: string;
}

export interface Processes {
	readonly self: Owner;
	/** True if this owner has certainly exited. False in doubt, and for an owner in another container. */
	isGone(owner: Owner): boolean;
}

/** Linux only; null if /proc cannot be read. */
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

/** Field 22 of proc_pid_stat(5); the name in brackets before it may contain brackets and spaces. */
function startOf(stat: string): string | null {
	const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
	const start = fields[22 - 3];
	return start && /^\d+$/.test(start) ? start : null;
}

const MARK = 'dragoman';

type DevicePart = 'voice' | 'microphone';

export function deviceName(owner: Owner, part: DevicePart): string {
	return `${MARK}.${owner.place}.${owner.pid}.${owner.start}.${part}`;
}

/** The owner of a device, from the arguments of its module; null = not one of ours. */
export function ownerOf(args: string): { readonly owner: Owner; readonly part: DevicePart } | null {
	const named =
		/(?:^|[\s{])(?:sink|source)_name=["']?dragoman\.([0-9a-f]{8})\.(\d+)\.(\d+)\.(voice|microphone)\b/.exec(
			args,
		);
	if (!named) return null;
	const [, place = '', pid = '', start = '', part] = named;
	return { owner: { place, pid: Number(pid), start }, part: part === 'voice' ? 'voice' : 'microphone' };
}

function isSameOwner(one: Owner, other: Owner): boolean {
	return one.place === other.place && one.pid === other.pid && one.start === other.start;
}

const RATE_HZ = 48_000;
/** PipeWire answers before a new device can be found by name; that takes some ten ms. */
const TRIES = 4;
const AGAIN_MS = 150;

/** The two halves as people see them in lists of devices. */
interface Labels {
	readonly speakerLabel: string;
	readonly microphoneLabel: string;
}

interface VirtualMicrophoneParts {
	readonly server: SoundServer;
	readonly processes: Processes;
}

interface MakingParts extends VirtualMicrophoneParts {
	readonly clock: Pick<Clock, 'after'>;
}

/** Our devices in the sound server. */
interface Standing {
	/** Devices of this process. */
	readonly own: readonly SoundModule[];
	/** Devices left by processes that have exited. */
	readonly orphans: readonly SoundModule[];
	/** Modules of other living processes, or of owners that we cannot check from here. */
	readonly foreign: readonly SoundModule[];
}

/** Lists our devices; changes nothing. */
export async function inspect({
	server,
	processes,
}: VirtualMicrophoneParts): Promise<Result<Standing, Problem>> {
	const modules = await server.modules();
	if (!modules.ok) return modules;
	const standing = {
		own: [] as SoundModule[],
		orphans: [] as SoundModule[],
		foreign: [] as SoundModule[],
	};
	for (const module of modules.value) {
		const named = ownerOf(module.args);
		if (!named) continue;
		if (isSameOwner(named.owner, processes.self)) standing.own.push(module);
		else if (processes.isGone(named.owner)) standing.orphans.push(module);
		else standing.foreign.push(module);
	}
	return ok(standing);
}

/** Removes the devices of dead processes; resolves to their number. */
export async function removeOrphans(parts: VirtualMicrophoneParts): Promise<Result<number, Problem>> {
	const found = await inspect(parts);
	return found.ok ? unloadAll(parts.server, found.value.orphans) : found;
}

export async function removeOwn(parts: VirtualMicrophoneParts): Promise<Result<number, Problem>> {
	const found = await inspect(parts);
	return found.ok ? unloadAll(parts.server, found.value.own) : found;
}

/** Removes the newest first: the microphone depends on the speaker. Tries all; reports the first failure. */
async function unloadAll(
	server: SoundServer,
	modules: readonly SoundModule[],
): Promise<Result<number, Problem>> {
	let failed: Problem | null = null;
	for (const { id } of [...modules].sort((one, other) => other.id - one.id)) {
		const gone = await server.unload(id);
		if (!gone.ok) failed ??= gone.error;
	}
	return failed ? err(failed) : ok(modules.length);
}

/**
 * Creates whichever of the two halves is missing and sets up both: unmuted, at full volume (PipeWire takes
 * the speaker's volume for its monitor's), and neither of them the system's default. A failure leaves none of
 * our devices behind.
 */
export async function make(parts: MakingParts): Promise<Result<Labels, Problem>> {
	const { server, processes } = parts;
	const before = await server.info();
	if (!before.ok) return before;
	const found = await inspect(parts);
	if (!found.ok) return found;
	const labels = labelsFor(found.value);
	const made = await makeHalves(parts, found.value.own, labels);
	if (!made.ok) {
		await removeOwn(parts);
		return made;
	}
	await keepDefaults(server, processes.self, before.value);
	return ok(labels);
}

async function makeHalves(
	{ server, processes, clock }: MakingParts,
	own: readonly SoundModule[],
	labels: Labels,
): Promise<Result<void, Problem>> {
	const parts = new Set(own.map(({ args }) => ownerOf(args)?.part));
	const voice = deviceName(processes.self, 'voice');
	const microphone = deviceName(processes.self, 'microphone');
	if (!parts.has('voice')) {
		// Unload a microphone without a speaker: it is silent, and occupies the name.
		const rest = await unloadAll(server, own);
		if (!rest.ok) return rest;
		const loaded = await server.load('module-null-sink', [
			`sink_name=${voice}`,
			`rate=${RATE_HZ}`,
			`sink_properties=${description(labels.speakerLabel)}`,
		]);
		if (!loaded.ok) return loaded;
	}
	if (!parts.has('voice') || !parts.has('microphone')) {
		const loaded = await patiently(clock, () =>
			server.load('module-remap-source', [
				`source_name=${microphone}`,
				`master=${voice}.monitor`,
				`source_properties=${description(labels.microphoneLabel)}`,
			]),
		);
		if (!loaded.ok) return loaded;
	}
	for (const [kind, name] of [
		['sink', voice],
		['source', `${voice}.monitor`],
		['source', microphone],
	] as const) {
		// A device without a settable volume may still be audible: the test of the route will show it.
		const opened = await patiently(clock, () => server.open(kind, name));
		if (!opened.ok && opened.error.kind !== 'virtual-microphone-failed') return opened;
	}
	return ok();
}

/** Retries after a pause while the server refuses. */
async function patiently<Value>(
	clock: MakingParts['clock'],
	run: () => Promise<Result<Value, Problem>>,
): Promise<Result<Value, Problem>> {
	for (let tries = 1; ; tries += 1) {
		const done = await run();
		if (done.ok || done.error.kind !== 'virtual-microphone-failed' || tries === TRIES) return done;
		await new Promise<void>((resolve) => clock.after(AGAIN_MS, resolve));
	}
}

/** Both servers take a property list with quoted values; PulseAudio also needs spaces escaped. */
function description(label: string): string {
	return `device.description="${label.replaceAll(' ', '\\ ')}"`;
}

/** Some servers make the newest device the default: the call would hear the whole computer. */
async function keepDefaults(
	server: SoundServer,
	self: Owner,
	before: { readonly defaultSink: string; readonly defaultSource: string },
): Promise<void> {
	const now = await server.info();
	if (!now.ok) return;
	const sink = deviceName(self, 'voice');
	const source = deviceName(self, 'microphone');
	if (now.value.defaultSink === sink && ![sink, ''].includes(before.defaultSink))
		await server.setDefault('sink', before.defaultSink);
	if (now.value.defaultSource === source && ![source, ''].includes(before.defaultSource))
		await server.setDefault('source', before.defaultSource);
}

/** Two programs at once use different names, because browsers tell devices apart by name. */
function labelsFor({ own, foreign }: Standing): Labels {
	const mine = own.map(({ args }) => numberIn(args)).find((number) => number !== null);
	const taken = new Set(foreign.map(({ args }) => numberIn(args)));
	let number = mine ?? 1;
	while (mine === undefined && taken.has(number)) number += 1;
	const suffix = number === 1 ? '' : ` ${number}`;
	return { speakerLabel: `Dragoman voice${suffix}`, microphoneLabel: `Dragoman microphone${suffix}` };
}

/** The number in one of our descriptions; 1 = no number; null = it cannot be read. */
function numberIn(args: string): number | null {
	const found = /device\.description=\S*?Dragoman\\* (?:voice|microphone)(?:\\* (\d+))?/.exec(args);
	return found ? Number(found[1] ?? 1) : null;
}
