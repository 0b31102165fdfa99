import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

export interface Terminal {
	readonly env: NodeJS.ProcessEnv;
	readonly out: (text: string) => void;
	/** Resolves when the last text given to `out` has been taken; false = not written. Absent: always succeeds. */
	readonly outTaken?: () => Promise<boolean>;
	readonly error: (text: string) => void;
	/** Reads all of standard input; empty when interrupted, null if it is not text. */
	readonly readInput: () => Promise<string | null>;
	/** Asks yes or no; `null` without a terminal to answer on. */
	readonly confirm: ((question: string) => Promise<boolean>) | null;
	readonly signal: AbortSignal;
	/** Standard input as it arrives; absent if there is none. */
	readonly input?: () => AsyncIterable<Uint8Array>;
	/** Bytes to standard output; resolves when they are taken. */
	readonly outBytes?: (bytes: Uint8Array) => Promise<void>;
	/** True if standard error is a terminal, where a line can be overwritten. */
	readonly isErrorTerminal?: boolean;
}

/** Asks yes or no. Anything but a yes is a no, also if the input or `signal` ends first. */
export function createConfirm({
	input,
	output,
	signal,
	interrupt,
}: {
	readonly input: Readable;
	readonly output: NodeJS.WritableStream;
	readonly signal: AbortSignal;
	/** Called for Ctrl-C: while readline edits a line in a terminal, it arrives as a key, not as a signal. */
	readonly interrupt: () => void;
}) {
	return async (question: string): Promise<boolean> => {
		if (input.readableEnded || signal.aborted) return false;
		const lines = createInterface({ input, output });
		const close = () => lines.close();
		signal.addEventListener('abort', close, { once: true });
		try {
			return await new Promise<boolean>((answered) => {
				lines.on('SIGINT', interrupt);
				// The terminal has closed.
				lines.on('error', close);
				lines.once('close', () => answered(false));
				lines.question(`${question} [y/N] `, (answer) => answered(/^y(es)?$/i.test(answer.trim())));
			});
		} finally {
			signal.removeEventListener('abort', close);
			close();
		}
	};
}

/** Yields the pieces of `source` until `signal` aborts, even in silence. The caller releases `source`. */
export async function* untilAborted<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
	const pieces = source[Symbol.asyncIterator]();
	try {
		for (;;) {
			const next = await nextOf(pieces, signal);
			if (next.done) return;
			yield next.value;
		}
	} finally {
		// Not awaited: a silent source answers only when it is released.
		void pieces.return?.().catch(() => {});
	}
}

/** Each piece gets its own promise of the abort: racing a single one would keep all pieces in memory. */
async function nextOf<T>(pieces: AsyncIterator<T>, signal: AbortSignal): Promise<IteratorResult<T>> {
	const nothing = { done: true, value: undefined } as const;
	if (signal.aborted) return nothing;
	const aborted = Promise.withResolvers<IteratorResult<T>>();
	const end = () => aborted.resolve(nothing);
	signal.addEventListener('abort', end, { once: true });
	try {
		return await Promise.race([pieces.next(), aborted.promise]);
	} finally {
		signal.removeEventListener('abort', end);
	}
}
