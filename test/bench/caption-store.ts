import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createHistory } from '#main/history/history.ts';
import { createSystemClock } from '#main/system-clock.ts';
import { createAssembler } from '#shared/captions/assembler.ts';
import { silentLogger } from '#shared/lib/log.ts';
import type { TranscriptMessage } from '#shared/protocol/server-message.ts';
import { SENTENCE } from './talker.ts';

/** The best of these counts: the others were disturbed by other processes. Each is shorter than a time slice of the scheduler. */
const ROUNDS = 60;
const UPDATES = 2000;
const SEARCHES = 20;
const BATCH = 100;

function message(index: number, text: string, final: boolean): TranscriptMessage {
	return {
		type: 'transcript',
		kind: index % 2 === 0 ? 'source' : 'translation',
		final,
		transcriptionId: `id${index >> 1}`,
		partId: '0',
		language: index % 2 === 0 ? 'en' : 'es',
		text,
		startS: index,
		endS: index + 1,
	};
}

function filled(size: number) {
	const captions = createAssembler();
	captions.newEpoch(0, 0);
	for (let index = 0; index < size; index++)
		captions.receive(message(index, `${SENTENCE} ${index}`, true), index * 1000);
	return captions;
}

/** Microseconds per message with `size` segments there already, including building the row as the view does. */
export function updateUs(size: number): number {
	const captions = filled(size);
	const one = (): number => {
		const updates = Array.from({ length: UPDATES }, (_, n) => message(size + (n % 4), `open ${n}`, false));
		const start = performance.now();
		for (const update of updates) {
			captions.receive(update, size * 1000);
			captions.rowAt(captions.rowCount - 1);
		}
		return ((performance.now() - start) * 1000) / UPDATES;
	};
	return Math.min(...Array.from({ length: ROUNDS }, one));
}

/** Bytes of heap that one segment takes, its text of 80 letters included. */
export function heapPerSegment(size: number): number {
	setFlagsFromString('--expose-gc');
	const collect = runInNewContext('gc') as () => void;
	collect();
	const before = process.memoryUsage().heapUsed;
	const captions = filled(size);
	collect();
	const bytes = process.memoryUsage().heapUsed - before;
	// Keeps the captions alive until the heap is measured.
	return captions.rowCount > 0 ? bytes / size : Number.NaN;
}

/** Time of each search among `size` stored segments, ms. */
export async function searchMs(size: number): Promise<readonly number[]> {
	const folder = mkdtempSync(join(tmpdir(), 'dragoman-bench-'));
	const history = createHistory({
		folder,
		clock: createSystemClock(),
		log: silentLogger,
		choice: () => ({ history: 'keep', historyDays: 30 }),
	});
	try {
		const begun = await history.answers['history.begin']({ mode: 'solo', agoMs: 0 });
		if (!begun.ok) throw new Error(begun.error.kind);
		const { id } = begun.value;
		for (let at = 0; at < size; at += BATCH) {
			const captions = Array.from({ length: BATCH }, (_, n) => ({
				key: `k${at + n}`,
				row: `t${at + n}`,
				part: '0',
				kind: 'source' as const,
				language: 'en',
				mark: '' as const,
				startMs: (at + n) * 1000,
				endMs: (at + n) * 1000 + 900,
				text: `${SENTENCE} number${at + n}`,
				final: true,
			}));
			const written = await history.answers['history.append']({ id, captions });
			if (!written.ok) throw new Error(written.error.kind);
		}
		const taken: number[] = [];
		// Rare words, words in every row, and pieces of words.
		const queries = ['number7777', 'letter', 'spring delivery', 'umber99', 'nothing like it'];
		for (let n = 0; n < SEARCHES; n++) {
			const start = performance.now();
			await history.answers['history.search']({
				query: queries[n % queries.length] ?? '',
				after: null,
				limit: 50,
			});
			taken.push(performance.now() - start);
		}
		return taken;
	} finally {
		history.close();
		rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
	}
}
