import type { Clock } from '#shared/lib/clock.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { deviceName, isSameOwner, type Owner, ownerOf, type Processes } from './owner.ts';
import type { SoundModule, SoundServer } from './sound-server.ts';

const RATE_HZ = 48_000;
/** PipeWire answers before a new device can be found by name; that takes some ten ms. */
const TRIES = 4;
const AGAIN_MS = 150;

/** The two halves as people see them in lists of devices. */
export interface Labels {
	readonly speakerLabel: string;
	readonly microphoneLabel: string;
}

export interface VirtualMicrophoneParts {
	readonly server: SoundServer;
	readonly processes: Processes;
}

export interface MakingParts extends VirtualMicrophoneParts {
	readonly clock: Pick<Clock, 'after'>;
}

/** Our devices in the sound server. */
export interface Standing {
	/** Ours, of this process. */
	readonly own: readonly SoundModule[];
	/** Left by processes that are gone. */
	readonly orphans: readonly SoundModule[];
	/** Of other living processes, or of owners we cannot judge from here. */
	readonly foreign: readonly SoundModule[];
}

/** Changes nothing. */
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

/** Removes what dead processes left; resolves to how many devices that were. */
export async function removeOrphans(parts: VirtualMicrophoneParts): Promise<Result<number, Problem>> {
	const found = await inspect(parts);
	return found.ok ? unloadAll(parts.server, found.value.orphans) : found;
}

/** Removes this process's own. */
export async function removeOwn(parts: VirtualMicrophoneParts): Promise<Result<number, Problem>> {
	const found = await inspect(parts);
	return found.ok ? unloadAll(parts.server, found.value.own) : found;
}

/** The later one first: the microphone depends on the speaker. Reports the first failure and tries the rest all the same. */
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
 * Makes whichever of the two halves is missing and sets both: unmuted, at full volume (PipeWire takes the
 * speaker's volume for its monitor's), and neither of them the system's default. After a failure nothing of
 * ours is left.
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
		// A microphone without its speaker hears nothing, and its name is taken.
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
		// A device without a settable volume may be heard all the same: the test of the route will tell.
		const opened = await patiently(clock, () => server.open(kind, name));
		if (!opened.ok && opened.error.kind !== 'virtual-microphone-failed') return opened;
	}
	return ok();
}

/** Tries again after a while when the server refuses. */
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

/** Both servers take a property list with quoted values; PulseAudio's parser wants spaces escaped as well. */
function description(label: string): string {
	return `device.description="${label.replaceAll(' ', '\\ ')}"`;
}

/**
 * Some servers make whatever comes last the default: the whole computer would then be heard in the call, or
 * every program record our voice. Where there was no default before there is nothing to go back to.
 */
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

/** Each of two programs at once uses its own names, since browsers tell devices apart by name. */
function labelsFor({ own, foreign }: Standing): Labels {
	const mine = own.map(({ args }) => numberIn(args)).find((number) => number !== null);
	const taken = new Set(foreign.map(({ args }) => numberIn(args)));
	let number = mine ?? 1;
	while (mine === undefined && taken.has(number)) number += 1;
	const suffix = number === 1 ? '' : ` ${number}`;
	return { speakerLabel: `Dragoman voice${suffix}`, microphoneLabel: `Dragoman microphone${suffix}` };
}

/** The number in a description of ours; 1 = without one; null = it cannot be read. */
function numberIn(args: string): number | null {
	const found = /device\.description=\S*?Dragoman\\* (?:voice|microphone)(?:\\* (\d+))?/.exec(args);
	return found ? Number(found[1] ?? 1) : null;
}
