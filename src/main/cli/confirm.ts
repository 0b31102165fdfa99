import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** Asks yes or no. Everything else than a yes is a no, also the end of the input, or of `signal`, before an answer. */
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
				// A terminal that is gone.
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
