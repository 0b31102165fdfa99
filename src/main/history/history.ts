import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import { recordedLength } from '#main/recording/recorded-sound.ts';
import { type Correct, createCorrect } from '#shared/captions/apply-corrections.ts';
import type { Correction } from '#shared/captions/corrections.ts';
import { wordsOf } from '#shared/history/search-text.ts';
import type { Input, Output } from '#shared/host/contract.ts';
import {
	BRING_BACK_MS,
	type HistoryCaption,
	type HistoryRow,
	type HistoryState,
	type historyRequests,
	RECORDED,
} from '#shared/host/history.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import { createListeners } from '#shared/lib/listeners.ts';
import type { Logger } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import { createScope } from '#shared/lib/scope.ts';
import type { Problem } from '#shared/problem.ts';
import type { Settings } from '#shared/settings/schema.ts';
import { createHistoryDatabase } from './history-database.ts';
import type { HistoryStore, StoredRow } from './history-store.ts';

/** The history is stored as the service wrote it; corrections are applied when it is read. */
export interface Corrector {
	caption<Caption extends HistoryCaption>(caption: Caption): Caption;
	/** Corrects the preview that a list shows. */
	row<Row extends { readonly preview: string; readonly previewLanguage: string }>(row: Row): Row;
}

/** `corrections` is called each time; the corrector is rebuilt only when they have changed. */
export function createCorrector(corrections: () => readonly Correction[]): Corrector {
	let known: readonly Correction[] = [];
	let correct: Correct = createCorrect(known);

	function now(): Correct {
		const wanted = corrections();
		if (wanted === known) return correct;
		known = wanted;
		correct = createCorrect(wanted);
		return correct;
	}

	return {
		caption: (one) => ({ ...one, text: now()(one.text, one.language) }),
		row: (one) => ({ ...one, preview: now()(one.preview, one.previewLanguage) }),
	};
}

type Name = keyof typeof historyRequests;
type Answer<N extends Name> = [Output<N>] extends [undefined]
	? Result<void, Problem>
	: Result<Output<N>, Problem>;

/** Conversations as the window may use them: one call for each request of the contract. */
export interface History {
	readonly answers: { readonly [N in Name]: (input: Input<N>) => Promise<Answer<N>> };
	/** Called when a recording is being written to this file; `startedMs`: its zero, on our clock. */
	recorded(path: string, startedMs: number): void;
	/** The file of a recording; null: the conversation has no such recording. */
	recordingAt(id: string, key: string): string | null;
	/** Call when the page was closed: the conversation it was recording counts as cut off. */
	pageGone(): void;
	/** The user has chosen: waiting conversations are kept or erased; those too old are erased. */
	choiceChanged(): void;
	/** Calls back with each change. The returned function removes the listener. */
	listen(heard: (state: HistoryState) => void): Cancel;
	/** The program exits: erase conversations that the user has not decided to keep. */
	close(): void;
}

/** The data needed to begin a running conversation again in another file. */
interface Running {
	readonly mode: string;
	readonly startedAt: number;
	/** Its start on our clock. */
	readonly startedMs: number;
	/** Number of the file in which it was begun. */
	readonly file: number;
}

const noCorrections: Settings['corrections'] = [];
const DAY_MS = 86_400_000;
/** How long a cut-off conversation is offered for recovery, unless conversations are kept. */
const OFFER_MS = 7 * DAY_MS;
const TIDY_PERIOD_MS = 3_600_000;
/** Clocks that differ by less than this agree. */
const AGREED_MS = DAY_MS;
/** Trust a clock that has advanced for this long without a step back or a jump of more than a few days. */
const BELIEVED_AFTER_MS = 7 * DAY_MS;
const LONGEST_STEP_MS = 4 * DAY_MS;
/** A recording that begins at most this much before its conversation belongs to it: the clocks differ. */
const RECORDED_EARLY_MS = 1000;
/** How often writes are flushed to the disk: the most that a power failure can lose. */
const FLUSH_MS = 60_000;

export function createHistory(parts: {
	readonly folder: string;
	readonly clock: Clock;
	readonly log: Logger;
	readonly choice: () => Pick<Settings, 'history' | 'historyDays'> & Partial<Pick<Settings, 'corrections'>>;
	/** The time of a service not on this computer; null until it answers. Our clock alone never erases anything. */
	readonly serviceNow?: () => number | null;
	/** Default true: use FTS5 if it is compiled in. */
	readonly fts?: boolean;
	/** The first request opens the file; without one, it is opened after this time. Default 0: at once. */
	readonly opensWithinMs?: number;
	/** A conversation begins: makes sure that other programs know this one runs, and leave the conversation alone. */
	readonly signIn?: () => void;
	/** Asks the user for the file of a recording; null if they chose none. Default: none is chosen. */
	readonly chooseRecording?: () => Promise<string | null>;
}): History {
	const { folder, clock, log, choice, fts = true, opensWithinMs = 0, signIn = () => {} } = parts;
	const { chooseRecording = async () => null } = parts;
	const { serviceNow = () => null } = parts;
	const scope = createScope(clock);
	const corrector = createCorrector(() => choice().corrections ?? noCorrections);
	const database = createHistoryDatabase({ folder, clock, log, fts });
	/** Conversations the present page is writing, with what they were begun with. */
	const running = new Map<string, Running>();
	/** Conversations erased at their end: by choice, empty, or appended. If one resumes, a new one begins. */
	const erasedAtEnd = new Set<string>();
	/** The conversation that each conversation of this run continues, by name. */
	const continues = new Map<string, string>();
	/** Recordings of this run, also from before the first words of their conversation. */
	const recordings: { readonly key: string; path: string; readonly startedMs: number }[] = [];
	const listeners = createListeners<[state: HistoryState]>();
	let revision = 1;
	let told = '';
	let flushing = false;
	let begun = false;

	/** Runs `run` on the open file; any failure becomes a problem, reported once. */
	function use<Value>(run: (store: HistoryStore) => Value): Result<Value, Problem> {
		const done = database.write(run);
		tell();
		return done;
	}

	function state(): HistoryState {
		const counted = database.read((store) => {
			const cutOff = store.namesWhere({ state: 'live' }).filter((name) => !running.has(name));
			const offer = cutOff.map((name) => store.find(name)).find((row) => row !== null && row.captions > 0);
			return {
				undecided: store.namesWhere({ state: 'undecided' }).length,
				offer: offer ? shown(offer) : null,
			};
		});
		const { undecided, offer } = counted.ok ? counted.value : { undecided: 0, offer: null };
		return { revision, undecided, offer, problem: database.problem() };
	}

	/** Announces only changes that show outside a list: not every caption is news. */
	function tell(): void {
		const now = state();
		const seen = JSON.stringify({ ...now, revision: 0 });
		if (seen === told) return;
		told = seen;
		revision += 1;
		listeners.tell({ ...now, revision });
	}

	function shown(kept: StoredRow): HistoryRow {
		const { state: stored, deleted: _, captions: __, previewLanguage: ___, ...row } = corrector.row(kept);
		if (stored !== 'live') return { ...row, state: stored };
		return { ...row, state: running.has(row.id) ? 'running' : 'cut-off' };
	}

	/** Makes the change and returns the row, or `not-found` if there is none (any more). */
	function found(id: string, change: (store: HistoryStore) => void): Result<HistoryRow, Problem> {
		const done = use((store) => {
			const before = store.find(id);
			if (before === null) return null;
			change(store);
			return store.find(id);
		});
		if (!done.ok) return done;
		return done.value === null ? missing() : ok(shown(done.value));
	}

	function erase(store: HistoryStore, names: readonly string[]): void {
		if (names.length === 0) return;
		for (const name of names) {
			const into = continues.get(name);
			if (into !== undefined && store.find(name) === null) store.part(name, into);
		}
		store.erase(names);
		store.checkpoint();
	}

	function flushSoon(): void {
		if (flushing) return;
		flushing = true;
		scope.after(FLUSH_MS, () => {
			flushing = false;
			database.write((store) => store.checkpoint());
		});
	}

	/** The later of our time and the service's: no event may look older than it is. The table takes whole ms. */
	const stamp = () => Math.round(Math.max(clock.wall(), serviceNow() ?? 0));

	/** Conversations that ended before this time are too old, by the clock that is behind; negative = none are. */
	function tooOld(): number {
		const { history, historyDays } = choice();
		return history === 'days' ? Math.min(clock.wall(), serviceNow() ?? Infinity) - historyDays * DAY_MS : -1;
	}

	/** True if evidence besides our own clock shows that the time is right. */
	function isTimeSure(store: HistoryStore): boolean {
		const now = clock.wall();
		const [since = Number.NaN, last = Number.NaN] = (store.fact('clock') ?? '').split(' ').map(Number);
		const isSteady = now >= last && now - last <= LONGEST_STEP_MS;
		store.setFact('clock', `${isSteady ? since : now} ${now}`);
		const service = serviceNow();
		if (service !== null && Math.abs(service - now) <= AGREED_MS) return true;
		return isSteady && now - since >= BELIEVED_AFTER_MS;
	}

	/** Erases conversations that are past undoing or too old. */
	function tidy(store: HistoryStore): void {
		const { history } = choice();
		const now = clock.wall();
		const oldest = tooOld();
		const cutOff = history === 'keep' ? -1 : history === 'days' ? oldest : now - OFFER_MS;
		erase(store, store.namesWhere({ deletedBefore: now - BRING_BACK_MS }));
		// Until the time is certain, conversations that are too old are only hidden.
		if (!isTimeSure(store)) return;
		erase(store, [
			...store.namesWhere({ state: 'kept', endedBefore: oldest }),
			...store.namesWhere({ state: 'live', endedBefore: cutOff }).filter((name) => !running.has(name)),
		]);
	}

	function endOne(store: HistoryStore, name: string): void {
		const row = store.find(name);
		if (row === null || row.state !== 'live') return;
		const { history } = choice();
		if (history === 'erase' || row.captions === 0) {
			erase(store, [name]);
			erasedAtEnd.add(name);
		} else if (history === 'ask') store.end(name, 'undecided', stamp());
		else keepOne(store, name);
	}

	/** Returns the name under which it is kept: that of the one it continues, if there is one. */
	function keepOne(store: HistoryStore, name: string): string {
		store.end(name, 'kept', stamp());
		const into = continues.get(name) ?? store.continues(name);
		if (!into || !store.join(name, into)) return name;
		erasedAtEnd.add(name);
		return into;
	}

	/** Notes the recordings that were begun during the conversation. */
	function noteRecordings(store: HistoryStore, id: string, { startedMs }: Running): void {
		for (const { key, path, startedMs: from } of recordings) {
			if (from < startedMs - RECORDED_EARLY_MS) continue;
			store.addRecording(id, { key, path, startMs: Math.max(0, Math.round(from - startedMs)) });
		}
	}

	/** Begins the conversation again in a new file: this answer makes the window send all captions again. */
	function beginAnew(id: string, facts: Running): Result<never, Problem> {
		running.set(id, { ...facts, file: database.file() });
		const begun = use((store) => {
			store.begin(id, facts.mode, facts.startedAt);
			noteRecordings(store, id, facts);
		});
		return begun.ok ? err(database.problem() ?? { kind: 'bug', where: 'history.append' }) : begun;
	}

	const answers: History['answers'] = {
		async 'history.state'() {
			running.clear();
			return ok(state());
		},
		async 'history.begin'({ mode, agoMs, id: known, continues: into }) {
			signIn();
			const id = known ?? randomUUID();
			const startedAt = clock.wall() - agoMs;
			const facts = { mode, startedAt, startedMs: clock.now() - agoMs, file: database.file() };
			running.set(id, facts);
			if (into !== undefined) continues.set(id, into);
			const begun = use((store) => {
				const goesOn = known !== undefined && !erasedAtEnd.has(known);
				if (goesOn && !store.reopen(known)) return false;
				if (!goesOn) store.begin(id, mode, startedAt);
				const whole = goesOn ? undefined : continues.get(id);
				if (whole !== undefined) store.setContinues(id, whole);
				noteRecordings(store, id, facts);
				return true;
			});
			if (begun.ok && begun.value) return ok({ id });
			running.delete(id);
			return begun.ok ? missing() : begun;
		},
		async 'history.append'({ id, captions }) {
			const facts = running.get(id);
			if (!facts) return missing();
			// Only main decides which files are recordings: the window can play them.
			if (captions.some(({ kind }) => kind === RECORDED))
				return err({ kind: 'bug', where: 'history.append' });
			const before = database.problem();
			const written = database.write((store) => store.append(id, captions, stamp()));
			if (database.problem()?.kind !== before?.kind) tell();
			if (!written.ok) return written;
			if (facts.file !== database.file()) return beginAnew(id, facts);
			flushSoon();
			return written.value ? ok() : missing();
		},
		async 'history.end'({ id }) {
			if (!running.has(id)) return ok();
			const ended = database.write((store) => endOne(store, id));
			// Announce it in any case: a list still shows it as running.
			if (ended.ok && running.delete(id)) told = '';
			tell();
			return ended;
		},
		'history.list': async ({ after, limit }) =>
			database.read((store) => paged(after, limit, (page) => store.list(page, tooOld()).map(shown), 'rows')),
		'history.search': async ({ query, after, limit }) =>
			database.read((store) =>
				paged(
					after,
					limit,
					(page) =>
						store.search(wordsOf(query), page, tooOld()).map(({ first, ...hit }) => ({
							...hit,
							first: first && corrector.caption(first),
							row: shown(hit.row),
						})),
					'hits',
				),
			),
		async 'history.read'({ id, after, limit }) {
			const read = database.read((store) => {
				const row = store.find(id);
				if (row === null || row.deleted) return null;
				return {
					row: shown(row),
					...paged(after, limit, (page) => store.read(id, page).map(corrector.caption), 'captions'),
				};
			});
			if (!read.ok) return read;
			return read.value === null ? missing() : ok(read.value);
		},
		async 'history.recordings'({ id }) {
			const read = database.read((store) => {
				const row = store.find(id);
				return row === null || row.deleted ? null : store.recordings(id);
			});
			if (!read.ok) return read;
			if (read.value === null) return missing();
			const found = read.value.map(async ({ key, path, startMs }) => ({
				startMs,
				lengthMs: await recordedLength(path),
				name: basename(path),
				address: recordingAddress(id, key),
			}));
			return ok(await Promise.all(found));
		},
		async 'history.find-recording'({ id, address }) {
			const path = await chooseRecording();
			if (path === null) return ok('cancelled');
			if ((await recordedLength(path)) === null) return ok('no-recording');
			const done = use((store) => {
				const lost = store.recordings(id).find(({ key }) => recordingAddress(id, key) === address);
				if (!lost) return null;
				if (lost.path !== path && store.isRecording(path)) return 'taken';
				store.addRecording(id, { ...lost, path });
				for (const one of recordings) if (one.key === lost.key) one.path = path;
				return 'found';
			});
			if (!done.ok) return done;
			return done.value === null ? missing() : ok(done.value);
		},
		'history.rename': async ({ id, title }) => found(id, (store) => store.rename(id, title.trim())),
		async 'history.delete'({ id }) {
			const done = found(id, (store) => store.setDeleted(id, clock.wall()));
			if (!done.ok) return done;
			scope.after(BRING_BACK_MS, () => void use(tidy));
			return ok();
		},
		'history.undelete': async ({ id }) => found(id, (store) => store.setDeleted(id, null)),
		'history.erase': async ({ id }) =>
			use((store) =>
				erase(store, id === null ? store.namesWhere('all').filter((name) => !running.has(name)) : [id]),
			),
		async 'history.recover'({ id }) {
			const done = use((store) => (store.find(id) === null ? null : store.find(keepOne(store, id))));
			if (!done.ok) return done;
			return done.value === null ? missing() : ok(shown(done.value));
		},
	};

	/** Runs before anything else is done with the file. */
	function begin(): void {
		if (begun) return;
		begun = true;
		void use((store) => {
			// These are left from an earlier run, in which the user did not undo the deletion in time.
			erase(store, [
				...store.namesWhere({ state: 'undecided' }),
				...store.namesWhere({ deletedBefore: Number.MAX_SAFE_INTEGER }),
			]);
			tidy(store);
		});
		scope.every(TIDY_PERIOD_MS, () => void use(tidy));
	}

	const afterBegin =
		<Value, Answered>(answer: (input: Value) => Answered) =>
		(input: Value): Answered => {
			begin();
			return answer(input);
		};

	if (opensWithinMs === 0) begin();
	else scope.after(opensWithinMs, begin);

	return {
		answers: Object.fromEntries(
			Object.entries(answers).map(([name, answer]) => [
				name,
				afterBegin(answer as (input: never) => unknown),
			]),
		) as unknown as History['answers'],
		recorded(path, startedMs) {
			recordings.push({ key: randomUUID(), path, startedMs });
			begin();
			// A conversation is stored with its first words; `history.begin` then finds its recordings.
			database.write((store) => {
				store.dropRecordings(path);
				// The last conversation keeps the recording: an earlier one only waits for its end to be written.
				for (const one of running) noteRecordings(store, ...one);
			});
		},
		recordingAt(id, key) {
			const read = database.read((store) => store.recordings(id).find((one) => one.key === key)?.path);
			return (read.ok && read.value) || null;
		},
		pageGone() {
			// A page that made no request was writing no conversation.
			if (!begun) return;
			running.clear();
			tell();
		},
		choiceChanged() {
			begin();
			const { history } = choice();
			void use((store) => {
				const waiting = history === 'ask' ? [] : store.namesWhere({ state: 'undecided' });
				if (history === 'erase') erase(store, waiting);
				else for (const name of waiting) keepOne(store, name);
				tidy(store);
			});
		},
		listen: listeners.listen,
		close() {
			scope.close();
			database.write((store) => {
				erase(store, [
					...store.namesWhere({ state: 'undecided' }),
					...store.namesWhere({ deletedBefore: Number.MAX_SAFE_INTEGER }),
				]);
				// The service may have reported the time since the last request.
				if (begun) tidy(store);
			});
			database.close();
		},
	};
}

function missing(): Result<never, Problem> {
	return err({ kind: 'not-found', what: 'conversation' });
}

/** Address of a recording, relative to the window's page; `recordingOf` reads it. */
function recordingAddress(id: string, key: string): string {
	return ['recordings', id, key].map(encodeURIComponent).join('/');
}

/** Requests one item more than the limit, to learn whether there is a next page. */
function paged<Item, Field extends string>(
	after: string | null,
	limit: number,
	ask: (page: { skip: number; limit: number }) => readonly Item[],
	field: Field,
): { readonly [F in Field]: Item[] } & { readonly next: string | null } {
	const skip = Number(after ?? 0) || 0;
	const items = ask({ skip, limit: limit + 1 });
	const page = { [field]: items.slice(0, limit) } as { readonly [F in Field]: Item[] };
	return { ...page, next: items.length > limit ? String(skip + limit) : null };
}
