import type { Logger } from '#shared/lib/log.ts';
import type { Result } from '#shared/lib/result.ts';
import type { Scope } from '#shared/lib/scope.ts';
import type { Problem } from '#shared/problem.ts';

/** Our end of one MessagePort. */
export interface PortEnd {
	post(value: unknown): void;
	/** Call once; earlier messages are delivered then. */
	listen(heard: (value: unknown) => void): void;
	/** The other end is gone. */
	closed(heard: () => void): void;
	close(): void;
}

/** Our ends of the three ports of a stream. */
export interface StreamEnds {
	readonly control: PortEnd;
	readonly capture: PortEnd;
	readonly voice: PortEnd;
}

/** What a stream is built on. */
export interface ServeParts {
	readonly ends: StreamEnds;
	/** Closed with the stream: nothing is reported after that. */
	readonly scope: Scope;
	readonly log: Logger;
	/** Ends the stream. */
	readonly over: () => void;
}

/** What a stream does, whatever its purpose. */
export interface Served {
	/** Resolves when the socket is up. A failed one leaves nothing behind. */
	open(signal: AbortSignal): Promise<Result<void, Problem>>;
	close(): Promise<void>;
}
