import { join } from 'node:path';
import { fileStamp } from '#main/system-clock.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { createHistoryStore, type HistoryStore } from './history-store.ts';
import {
	HISTORY_FILE,
	idOfHistoryFile,
	kindOfFailure,
	LaterVersion,
	openHistoryFile,
	reasonOf,
} from './open-file.ts';

/** The file behind one database: opened when needed, reopened after damage; failures are returned as problems. */
export interface HistoryDatabase {
	read<Value>(run: (store: HistoryStore) => Value): Result<Value, Problem>;
	/** As `read`; a failed write is remembered for `problem`. */
	write<Value>(run: (store: HistoryStore) => Value): Result<Value, Problem>;
	/** Why it could not be written last, or that a broken file was set aside in this run. */
	problem(): Problem | null;
	/** Number of the file: grows by one with each file that was set aside. */
	file(): number;
	close(): void;
}

export function createHistoryDatabase({
	folder,
	clock,
	log,
	fts = true,
	setsAside = true,
}: {
	readonly folder: string;
	readonly clock: Pick<Clock, 'wall'>;
	readonly log: Logger;
	readonly fts?: boolean;
	/** Default true. False beside a program that may have the file open: it would go on writing into what was set aside. */
	readonly setsAside?: boolean;
}): HistoryDatabase {
	let store: HistoryStore | null = null;
	/** Which file it is: the command line may have put another in its place. */
	let fileId = '';
	let closed = false;
	let files = 1;
	let failure: Problem | null = null;
	let broken: Problem | null = null;

	function opened(isBroken: boolean): HistoryStore {
		if (store) return store;
		const file = openHistoryFile({
			folder,
			fts,
			isBroken,
			setsAside,
			stamp: () => fileStamp(clock.wall()),
		});
		if (file.keptAs !== null) {
			log.warn('history set aside', { keptAs: file.keptAs, saved: file.saved });
			files += 1;
			broken = { kind: 'history-unreadable', keptAs: file.keptAs };
		}
		store = createHistoryStore(file.database, file.indexed);
		fileId = idOfHistoryFile(folder);
		return store;
	}

	function problemOf(thrown: unknown): Problem {
		if (thrown instanceof LaterVersion) return { kind: 'history-unreadable', keptAs: HISTORY_FILE };
		const kind = kindOfFailure(thrown);
		if (kind === 'busy') return { kind: 'history-busy' };
		return { kind: 'storage-failed', what: `${join(folder, HISTORY_FILE)} (${reasonOf(thrown)})` };
	}

	function attempt<Value>(run: (store: HistoryStore) => Value, isBroken = false): Result<Value, unknown> {
		try {
			return ok(run(opened(isBroken)));
		} catch (thrown) {
			return err(thrown);
		}
	}

	function use<Value>(run: (store: HistoryStore) => Value): Result<Value, Problem> {
		if (closed) return err({ kind: 'cancelled' });
		let done = attempt(run);
		if (!done.ok && kindOfFailure(done.error) === 'broken') {
			// Damage that opening did not notice, and may not notice again: the file is set aside, and the call repeated on
			// the new one. A file that could not even be opened has been set aside already.
			const isBroken = store !== null && setsAside && fileId === idOfHistoryFile(folder);
			letGo();
			done = attempt(run, isBroken);
		}
		if (done.ok) return done;
		// It was opened only to be read: the next call finds out whether it may be written meanwhile.
		if (kindOfFailure(done.error) === 'read-only') letGo();
		const problem = problemOf(done.error);
		if (failure?.kind !== problem.kind) log.error('history failed', { why: String(done.error) });
		return err(problem);
	}

	function letGo(): void {
		const leaving = store;
		store = null;
		try {
			leaving?.close();
		} catch {
			// Nothing more can be done with it.
		}
	}

	return {
		read: use,
		write(run) {
			const done = use(run);
			failure = done.ok ? null : done.error;
			return done;
		},
		file: () => files,
		problem: () => failure ?? broken,
		close() {
			closed = true;
			try {
				store?.clean();
				store?.checkpoint();
			} catch {
				// The log is read by the next start.
			}
			letGo();
		},
	};
}
