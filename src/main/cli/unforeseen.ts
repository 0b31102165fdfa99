import { EXIT } from '#shared/exit-status.ts';
import { redact } from '#shared/lib/log.ts';

/** The part of a process used here. */
export interface FailingProcess {
	on(event: string, heard: (failure: unknown) => void): unknown;
	exit(status: number): void;
}

/**
 * A bug of ours ends the program with status 1 and prints what is known about it, without secrets:
 * left alone, Node would print it unredacted, and write the environment into a report if told to.
 * `secrets` may grow.
 */
export function watchUnforeseen(
	program: FailingProcess,
	secrets: readonly string[],
	write: (text: string) => void,
): void {
	for (const event of ['uncaughtException', 'unhandledRejection']) {
		program.on(event, (failure) => {
			const words = failure instanceof Error ? (failure.stack ?? failure.message) : String(failure);
			write(`A failure nobody foresaw: ${redact(words, secrets)}\n`);
			program.exit(EXIT.failed);
		});
	}
}
