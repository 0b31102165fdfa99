import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** The process as a command sees it. */
export interface Terminal {
	readonly env: NodeJS.ProcessEnv;
	readonly out: (text: string) => void;
	/** Resolves when the last text given to `out` is taken; false = it could not be. Absent where it always is. */
	readonly outTaken?: () => Promise<boolean>;
	readonly error: (text: string) => void;
	/** All of standard input; empty when interrupted, null when it is no text. */
	readonly readInput: () => Promise<string | null>;
	/** Asks yes or no; `null` without a terminal to answer on. */
	readonly confirm: ((question: string) => Promise<boolean>) | null;
	readonly signal: AbortSignal;
	/** Standard input as it comes; absent where there is none. */
	readonly input?: () => AsyncIterable<Uint8Array>;
	/** Bytes to standard output; resolves when they are taken. */
	readonly outBytes?: (bytes: Uint8Array) => Promise<void>;
	/** Standard error is a terminal, where a line can be written over. */
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
	/** Called for Ctrl-C: while readline edits a line in a terminal, it is a key and no signal. */
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

/**
 * What `source` gives, until `signal` aborts: then it ends at once, even while the source is silent. Whoever opened
 * the source frees it.
 */
export async function* untilAborted<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
	const pieces = source[Symbol.asyncIterator]();
	try {
		for (;;) {
			const next = await nextOf(pieces, signal);
			if (next.done) return;
			yield next.value;
		}
	} finally {
		// Not awaited: a silent source answers only when it is freed.
		void pieces.return?.().catch(() => {});
	}
}

/** A promise of the abort for each piece: a single one, raced against all of them, would hold on to each until its end. */
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
