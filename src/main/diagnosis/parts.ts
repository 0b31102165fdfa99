import type { Outcome } from '#shared/diagnosis/finding.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';

/** What the checks want of the rest of main; put together in `main/doctor.ts`. */
export interface DiagnosisParts {
	readonly clock: Clock;
	/** Versions as the words want them: `app`, `shell`, `node`, `system`. */
	readonly versions: () => Readonly<Record<'app' | 'shell' | 'node' | 'system', string>>;
	/** Where settings, ledger and history are. */
	readonly folder: string;
	/** What is wrong with the settings' file; null = nothing. */
	readonly settingsProblem: () => Problem | null;
	readonly ledger: LedgerHealth;
	/** REST base in force. */
	readonly base: () => string;
	/** Asks without a key whether anybody answers. */
	readonly probe: (signal: AbortSignal) => Promise<Result<{ ms: number; skewMs: number | null }, Problem>>;
	/** Host and scheme of the proxy on the way to an address; empty = directly; `unusable` = one that cannot be used. */
	readonly proxyOf: (address: string) => Promise<string>;
	/** Where the key is from, and the host it goes to. */
	readonly key: () => Result<{ readonly source: string; readonly host: string }, Problem>;
	/** Asks something that costs nothing, with the key. */
	readonly checkKey: (signal: AbortSignal) => Promise<Result<void, Problem>>;
	/** A conversation runs: a second session or socket might be one too many for the plan. */
	readonly busy: () => boolean;
	readonly room: RoomDoor;
	/** Opens the socket with the key and closes it at once, sending nothing; gives the host it reached. */
	readonly dialSocket: (product: Socket, signal: AbortSignal) => Promise<Result<{ host: string }, Problem>>;
	/** The sound server; null where the system has none to ask. */
	readonly sound: ((signal: AbortSignal) => Promise<Outcome>) | null;
}

export type Socket = 's2s' | 'stt' | 'tts';

export interface LedgerHealth {
	read(): Promise<Result<readonly { readonly owner: string; readonly state: string }[], Problem>>;
	isInUse(owner: string): boolean;
	brokenFile(): string | null;
}

/** Sessions for one look. */
export interface RoomDoor {
	/** A session, recorded before it is made, so that not even a crash leaves it behind. `signal` does not cut it off half-way. */
	open(signal: AbortSignal): Promise<Result<OpenedRoom, Problem>>;
}

export interface OpenedRoom {
	/** Connects to the room's signalling with the room's own token and closes at once. */
	signal(signal: AbortSignal): Promise<Result<void, Problem>>;
	/** Deletes the session. When that cannot be done now, the ledger holds it for the next clean-up. */
	close(): Promise<Result<void, Problem>>;
}
