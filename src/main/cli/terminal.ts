/** What the process gives a command. */
export interface Terminal {
	readonly env: NodeJS.ProcessEnv;
	readonly out: (text: string) => void;
	/** Resolves when the last text given to `out` is taken; false = it could not be. Absent where it always is. */
	readonly outTaken?: () => Promise<boolean>;
	readonly error: (text: string) => void;
	/** All of standard input; empty when interrupted, null when it is no text. */
	readonly readInput: () => Promise<string | null>;
	/** Asks yes or no; `null` where nobody can answer. */
	readonly confirm: ((question: string) => Promise<boolean>) | null;
	readonly signal: AbortSignal;
	/** Standard input as it comes; absent where there is none. */
	readonly input?: () => AsyncIterable<Uint8Array>;
	/** Bytes to standard output; resolves when they are taken. */
	readonly outBytes?: (bytes: Uint8Array) => Promise<void>;
	/** Standard error is a terminal, where a line can be written over. */
	readonly isErrorTerminal?: boolean;
}
