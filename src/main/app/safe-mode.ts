import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeAtomically } from '#main/lib/files.ts';

/** After this many failed starts of the page in a row, safe mode is offered. */
const FAILURES_TO_OFFER = 2;
/**
 * A user who quits sooner than this, before the page is usable and without a sign of trouble, has only changed
 * their mind: the start did not fail.
 */
const PATIENCE_MS = 10_000;

export type StartRecord = ReturnType<typeof openStartRecord>;

/** How the last starts of the page went, kept in `start.json`, so that it survives a crash. Never throws. */
export function openStartRecord(folder: string, now: () => number) {
	const path = join(folder, 'start.json');
	let failed = read();
	let under: { readonly atMs: number; troubled: boolean } | null = null;

	function read(): number {
		try {
			const { failed: said } = JSON.parse(readFileSync(path, 'utf8')) as { failed?: unknown };
			return typeof said === 'number' && Number.isInteger(said) && said > 0 ? Math.min(said, 100) : 0;
		} catch {
			return 0;
		}
	}

	function write(next: number): void {
		failed = next;
		try {
			if (failed === 0) rmSync(path, { force: true });
			// The window does not wait for the disk.
			else writeAtomically(path, `${JSON.stringify({ failed })}\n`, 'after');
		} catch {
			// Ignore it: a full or foreign folder is reported elsewhere.
		}
	}

	return {
		/** True if two or more starts in a row have failed. */
		shouldOffer: (): boolean => failed >= FAILURES_TO_OFFER,
		/** Call when a page is about to be loaded. It counts as failed until it is usable. */
		begin(): void {
			// The person reloaded the page before it was usable: still the same start.
			if (under && !under.troubled) return;
			under = { atMs: now(), troubled: false };
			write(failed + 1);
		},
		/** Call when the page died or does not answer; counts only during a start. */
		troubled(): void {
			if (under) under.troubled = true;
		},
		/** Call when the page can be used: the start has succeeded. */
		usable(): void {
			under = null;
			if (failed > 0) write(0);
		},
		/** The page crashed too often although it had been usable: offer safe mode at the next start. */
		givenUp(): void {
			under = null;
			write(Math.max(failed, FAILURES_TO_OFFER));
		},
		leave(): void {
			if (under && !under.troubled && now() - under.atMs < PATIENCE_MS) write(failed - 1);
			under = null;
		},
	};
}
