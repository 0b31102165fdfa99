import { existsSync } from 'node:fs';
import { extname, join } from 'node:path';
import { minutesDocument } from '#main/captions/minutes.ts';
import { eitherOf } from '#main/cli/command-list.ts';
import { type Context, declined, type Run, readSettings, unaskable } from '#main/cli/context.ts';
import type { Line } from '#main/cli/line.ts';
import { isoTime, localTime, table } from '#main/cli/output.ts';
import { writeAll } from '#main/cli/output-files.ts';
import { type Corrector, createCorrector } from '#main/history/history.ts';
import { createHistoryDatabase, HISTORY_FILE, type HistoryDatabase } from '#main/history/history-database.ts';
import type { HistoryStore, StoredRecording, StoredRow } from '#main/history/history-store.ts';
import { anotherRuns } from '#main/sessions/ledger.ts';
import { settingsInForce } from '#main/settings/settings.ts';
import { captionText } from '#shared/captions/cues.ts';
import {
	type CaptionFormat,
	captionFile,
	captionFormats,
	fileEnding,
	formatByEnding,
	hasOneTrack,
	isDocument,
	writable,
} from '#shared/captions/export-formats.ts';
import { besideOf, captionTracks, othersOf } from '#shared/captions/tracks.ts';
import { EXIT, type ExitStatus } from '#shared/exit-status.ts';
import { doubtsOf } from '#shared/facts/find-facts.ts';
import { wordsOf } from '#shared/history/search-text.ts';
import { exportedSegments, type HistoryCaption, segmentOf } from '#shared/host/history.ts';
import en from '#shared/i18n/en.json' with { type: 'json' };
import { languageLabel } from '#shared/i18n/language-names.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { sameLanguage } from '#shared/protocol/languages.ts';

interface HistoryContext extends Context {
	readonly database: HistoryDatabase;
	readonly corrector: Corrector;
}

/** Wraps a command that uses the history: opens it first and closes it afterwards. */
export function withHistory(run: Run<HistoryContext>): Run<Context> {
	return async (context, line) => {
		const { folder, clock } = context;
		// Without a history file, skip `anotherRuns`, which would write to the folder.
		const setsAside =
			!existsSync(join(folder, HISTORY_FILE)) || !(await anotherRuns({ folder, clock, log: silentLogger }));
		const database = createHistoryDatabase({ folder, clock, log: silentLogger, setsAside });
		const { corrections } = settingsInForce({}, {}, readSettings(context, line).stored()).values;
		const corrector = createCorrector(() => corrections);
		try {
			return await run({ ...context, database, corrector }, line);
		} finally {
			database.close();
		}
	};
}

interface Listed {
	readonly row: StoredRow;
	/** Number of lines that match the search; null if nothing was searched for. */
	readonly hits: number | null;
}

const PAGE = 500;
/** Enough of an id to tell conversations apart. */
const SHORT_ID = 8;

const stateWords = { live: 'not ended', undecided: 'undecided', kept: 'kept' } as const;

export function listHistory(context: HistoryContext, line: Line): ExitStatus {
	const query = line.text('search');
	const read = use<readonly Listed[]>(context, [], (store) => {
		if (query === '') return allOf((page) => store.list(page)).map((row) => ({ row, hits: null }));
		return allOf((page) => store.search(wordsOf(query), page));
	});
	if (!read.ok) return context.output.problem(read.error);
	const head = ['CONVERSATION', 'STARTED', 'LENGTH', 'LANGUAGES', 'LINES', 'STATE', 'TITLE'];
	const listed = read.value.map(({ row, hits }) => ({ row: context.corrector.row(row), hits }));
	const rows = listed.map(({ row }) => [
		row.id.slice(0, SHORT_ID),
		localTime(row.startedAt),
		lengthOf(row.lengthMs),
		languagesOf(row),
		String(row.lines),
		stateWords[row.state],
		row.title || row.preview,
	]);
	const none = query === '' ? 'No conversations yet.' : 'Nothing was found.';
	const found = listed.map(({ row, hits }) => ({
		...documentOf(row),
		...(hits === null ? {} : { hits }),
	}));
	context.output.result({ conversations: found }, rows.length === 0 ? [none] : table([head, ...rows]));
	return EXIT.done;
}

export function showHistory(context: HistoryContext, line: Line): ExitStatus {
	const found = find(context, line.argument);
	if (!found.ok) return context.output.problem(found.error);
	const { row, captions, recordings } = found.value;
	const lines = captions.map((caption) => {
		const text = caption.kind === 'lost' ? lostWords(caption.endMs - caption.startMs) : shownText(caption);
		const marks = [caption.language, caption.mark, caption.final ? '' : 'not finished'].filter(
			(it) => it !== '',
		);
		return `${lengthOf(caption.startMs)}  [${marks.join(', ')}] ${text}`;
	});
	const document = {
		...documentOf(row),
		recordings: recordings.map(({ path, startMs }) => ({ path, start_ms: startMs })),
		captions: captions.map(captionDocument),
	};
	context.output.result(document, [
		...table([
			['conversation', row.id],
			['title', row.title || row.preview],
			['started', localTime(row.startedAt)],
			['length', lengthOf(row.lengthMs)],
			['languages', languagesOf(row)],
			['state', stateWords[row.state]],
			...recordings.map(({ path, startMs }) => [
				'recording',
				`${path}, from ${lengthOf(Math.max(0, startMs))}`,
			]),
		]),
		'',
		...lines,
	]);
	return EXIT.done;
}

interface ExportPlan {
	readonly format: CaptionFormat;
	/** Empty = the first translation, or the original if there is none. */
	readonly language: string;
	readonly aligned: boolean;
	/** True: every language in a column of its own. */
	readonly all: boolean;
	/** Empty = standard output. */
	readonly out: string;
}

export async function exportHistory(context: HistoryContext, line: Line): Promise<ExitStatus> {
	const { output, terminal } = context;
	const plan = planOf(line);
	if (plan === null) return output.usage(`--format must be ${eitherOf(captionFormats.map(fileEnding))}.`);
	if (isDocument(plan.format) && plan.out === '')
		return output.usage(`--format ${fileEnding(plan.format)} needs --out FILE.`);
	const found = find(context, line.argument);
	if (!found.ok) return context.output.problem(found.error);
	const { row, captions } = found.value;
	const segments = writable(exportedSegments(captions), plan.format);
	const tracks = captionTracks(segments);
	const wanted = tracks.filter(
		({ kind, language }) =>
			language === plan.language.toLowerCase() ||
			(kind === 'language' && sameLanguage(language, plan.language)),
	);
	const [track] =
		plan.language === '' ? tracks.filter(({ kind }) => kind === 'translation').concat(tracks) : wanted;
	if (!track) {
		const nowhere = { what: 'caption in conversation', name: row.id.slice(0, SHORT_ID) };
		const missing = plan.language === '' ? nowhere : { what: 'caption in', name: plan.language };
		return output.problem({ kind: 'not-found', ...missing });
	}
	const file = captionFile(segments, {
		format: plan.format,
		track,
		aligned: plan.aligned || plan.all,
		inDoubt: doubtsOf,
		others: plan.all
			? othersOf(track, tracks).map((one) => ({ track: one, head: nameOf(one.language) }))
			: [],
		words: {
			title: row.title || row.preview,
			about: `${localTime(row.startedAt)} · ${languagesOf(row)}`,
			locale: 'en',
			direction: 'ltr',
			time: 'Time',
			who: 'Speaker',
			speaker: { outgoing: en.legs.mine, incoming: en.legs.theirs },
			doubt: en.facts.inFile,
			said: nameOf(besideOf(track, tracks)?.language) || 'Original',
			track: hasOneTrack(plan.format) ? nameOf(track.language) : '',
			lost: (ms) => `[${lostWords(ms)}]`,
			cutOff: en.captions.cutOff,
		},
	});
	if (plan.out === '') {
		for (const part of file) terminal.out(part);
		return EXIT.done;
	}
	const text = [...file].join('');
	const written = await writeAll([[plan.out, isDocument(plan.format) ? await minutesDocument(text) : text]]);
	if (!written.ok) return output.problem(written.error);
	output.result({ id: row.id, written: plan.out }, [`Written: ${plan.out}`]);
	return EXIT.done;
}

/** Null when an unknown format was named. */
function planOf(line: Line): ExportPlan | null {
	const out = line.text('out') === '-' ? '' : line.text('out');
	const named = line.text('format');
	const usual = out === '' ? 'text' : (formatByEnding(extname(out).slice(1)) ?? 'text');
	const format = named === '' ? (out === '' && line.has('json') ? 'json' : usual) : formatByEnding(named);
	if (!format) return null;
	return {
		format,
		language: line.text('language'),
		out,
		aligned: line.has('aligned'),
		all: line.has('all'),
	};
}

/** Returns `nothing` if there is no history, because reading does not create one. */
function use<Value>(
	{ folder, database, output }: HistoryContext,
	nothing: Value,
	run: (store: HistoryStore) => Value,
): Result<Value, Problem> {
	if (!existsSync(join(folder, HISTORY_FILE))) return ok(nothing);
	const done = database.write(run);
	const aside = database.problem();
	if (done.ok && aside?.kind === 'history-unreadable')
		output.note(`The history could not be read; it is kept as ${aside.keptAs}.`);
	return done;
}

interface Kept {
	readonly row: StoredRow;
	readonly captions: readonly HistoryCaption[];
	readonly recordings: readonly StoredRecording[];
}

function find(context: HistoryContext, name: string): Result<Kept, Problem> {
	const { corrector } = context;
	let isSingle = true;
	const found = use<Kept | null>(context, null, (store) => {
		const rows = store.findByStart(name.toLowerCase());
		const exact = rows.find(({ id }) => id === name) ?? (rows.length === 1 ? rows[0] : undefined);
		isSingle = rows.length < 2;
		if (!exact) return null;
		const captions = allOf((page) => store.read(exact.id, page)).map(corrector.caption);
		return { row: corrector.row(exact), captions, recordings: store.recordings(exact.id) };
	});
	if (!found.ok) return found;
	if (found.value) return ok(found.value);
	return err({
		kind: 'not-found',
		what: isSingle ? 'conversation' : 'single conversation that begins with',
		name,
	});
}

function allOf<Item>(ask: (page: { skip: number; limit: number }) => readonly Item[]): readonly Item[] {
	const all: Item[] = [];
	for (;;) {
		const page = ask({ skip: all.length, limit: PAGE });
		all.push(...page);
		if (page.length < PAGE) return all;
	}
}

/** `English (en) > Español · Spanish (es)`: the code is what `--language` takes. */
function languagesOf({ sources, targets }: StoredRow): string {
	const named = (codes: readonly string[]) => codes.map((code) => `${nameOf(code)} (${code})`).join(', ');
	return [sources, targets].map(named).join(' > ');
}

function nameOf(code = ''): string {
	return code && languageLabel(code, 'en');
}

function documentOf(row: StoredRow) {
	const { id, title, preview, lines, captions, sources, targets, state } = row;
	const times = {
		started_at: isoTime(row.startedAt),
		ended_at: isoTime(row.endedAt),
		length_ms: row.lengthMs,
	};
	return { id, title, preview, ...times, lines, captions, sources, targets, state: stateWords[state] };
}

function captionDocument({ row, part, kind, language, text, startMs, endMs, final, mark }: HistoryCaption) {
	const times = { start_ms: startMs, end_ms: endMs };
	return { id: row, part, language, kind, text, ...times, final, ...(mark === '' ? {} : { mark }) };
}

function shownText(caption: HistoryCaption): string {
	const segment = segmentOf(caption);
	return segment ? captionText(segment) : caption.text.replace(/\p{Cc}+/gu, ' ');
}

function lostWords(ms: number): string {
	return `Nothing was interpreted for ${(ms / 1000).toFixed(1)} s`;
}

/** `1:02:09`, from ms. */
function lengthOf(ms: number): string {
	const s = Math.floor(ms / 1000);
	const two = (value: number) => String(value).padStart(2, '0');
	return `${Math.floor(s / 3600)}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}`;
}

/** The command `history delete`. Keeps a conversation to which the app may still add captions. */
export async function deleteHistory(context: HistoryContext, line: Line): Promise<ExitStatus> {
	const refused = unaskable(context, line);
	if (refused !== null) return refused;
	return line.has('all') ? deleteAll(context, line) : deleteOne(context, line);
}

async function deleteOne(context: HistoryContext, line: Line): Promise<ExitStatus> {
	const { output } = context;
	const found = find(context, line.argument);
	if (!found.ok) return output.problem(found.error);
	const { row } = found.value;
	if (row.state === 'live' && (await isAppRunning(context))) {
		const why =
			'This conversation has not ended, and the app or another command is running: it may still be going on.';
		return output.refusal(
			'conversation-running',
			`${why} Stop it there, or wait for its end, and try again.`,
		);
	}
	const question = `Delete the conversation of ${localTime(row.startedAt)} (${row.title || row.preview}) for good?`;
	const kept = await declined(context, line, question);
	if (kept !== null) return kept;
	const erased = use<void>(context, undefined, (store) => {
		store.erase([row.id]);
		store.checkpoint();
	});
	if (!erased.ok) return output.problem(erased.error);
	output.result({ deleted: [row.id], kept: [] }, ['The conversation is deleted.']);
	return EXIT.done;
}

interface Erased {
	readonly deleted: readonly string[];
	/** Conversations that were not deleted because they may still be running. */
	readonly kept: readonly string[];
}

async function deleteAll(context: HistoryContext, line: Line): Promise<ExitStatus> {
	const { output } = context;
	const refused = await declined(context, line, 'Delete every conversation of the history for good?');
	if (refused !== null) return refused;
	const open = use<readonly string[]>(context, [], (store) => store.namesWhere({ state: 'live' }));
	if (!open.ok) return output.problem(open.error);
	const isRunning = open.value.length > 0 && (await isAppRunning(context));
	const nothing: Erased = { deleted: [], kept: [] };
	const erased = use(context, nothing, (store): Erased => {
		const all = store.namesWhere('all');
		const live = isRunning ? store.namesWhere({ state: 'live' }) : [];
		const deleted = all.filter((name) => !live.includes(name));
		store.erase(deleted);
		store.checkpoint();
		return { deleted, kept: live };
	});
	if (!erased.ok) return output.problem(erased.error);
	const { deleted, kept } = erased.value;
	output.result(erased.value, [
		deleted.length === 1 ? 'The conversation is deleted.' : `Deleted: ${deleted.length}.`,
	]);
	if (kept.length > 0)
		output.note(`Not ended, and kept because the app or another command is running: ${kept.length}.`);
	return EXIT.done;
}

/** True if a running program may be holding a conversation; false after a crash. */
function isAppRunning({ folder, clock }: HistoryContext): Promise<boolean> {
	return anotherRuns({ folder, clock, log: silentLogger });
}
