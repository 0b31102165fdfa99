import type { Cancel } from '#shared/lib/clock.ts';
import type { Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';

/** What we ask of PulseAudio, or of PipeWire in its place. Every call has a limit of its own and never rejects. */
export interface SoundServer {
	/** `signal` ends a question that a hanging server does not answer. */
	info(signal?: AbortSignal): Promise<Result<ServerInfo, Problem>>;
	/** All loaded modules, whoever loaded them. */
	modules(): Promise<Result<readonly SoundModule[], Problem>>;
	/** Resolves to the id of the module. */
	load(module: string, args: readonly string[]): Promise<Result<number, Problem>>;
	/** An id that is gone is harmless. */
	unload(id: number): Promise<Result<void, Problem>>;
	/** Unmutes it and sets it to full volume. */
	open(kind: DeviceKind, name: string): Promise<Result<void, Problem>>;
	setDefault(kind: DeviceKind, name: string): Promise<Result<void, Problem>>;
	/** Whether a program other than this one records from this source. */
	recorded(source: string): Promise<Result<boolean, Problem>>;
	/**
	 * Calls `changed` when modules or recordings come or go, and `ended` once when the server is gone or cannot be watched.
	 */
	watch(changed: () => void, ended: () => void): Cancel;
}

/** `sink`: something to play on. `source`: something to record from. */
export type DeviceKind = 'sink' | 'source';

export interface ServerInfo {
	/** Name and version as it calls itself. */
	readonly name: string;
	/** Empty = none. */
	readonly defaultSink: string;
	readonly defaultSource: string;
}

export interface SoundModule {
	readonly id: number;
	readonly name: string;
	/** Its arguments as loaded, in one text. */
	readonly args: string;
}
