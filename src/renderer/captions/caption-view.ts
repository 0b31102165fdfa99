import { createStore, type StoreApi } from 'zustand/vanilla';
import { type ConversationView, sameValue } from '#renderer/conversation/conversation.ts';
import type { Correct } from '#shared/captions/apply-corrections.ts';
import { type CaptionChange, compareInTime, createAssembler } from '#shared/captions/assembler.ts';
import type { Correction } from '#shared/captions/corrections.ts';
import type { CaptionRow, Segment } from '#shared/captions/segment.ts';
import type { TypedState, TypedText } from '#shared/captions/typed-texts.ts';
import { type LegName, legNames } from '#shared/leg-name.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { TranscriptMessage } from '#shared/protocol/server-message.ts';
import type { HistoryWriter } from './history-writer.ts';

/** Captions of the running or last conversation, at constant cost per message. */
export interface CaptionsView {
	/** `version` grows with every visible change; `rows` is the number of rows. */
	readonly store: StoreApi<{
		readonly version: number;
		readonly rows: number;
		/** True if rows come from two directions, so that the view must show the speaker of each. */
		readonly sided?: boolean;
		/** True while these are the previous conversation's captions: the next one is not live yet, or never was. */
		readonly held?: boolean;
		/** True if there are captions that were put away; then `rows` is 0. */
		readonly away?: boolean;
	}>;
	/** Row by index, oldest first; the same object until it changes, as long as it is shown. */
	row(index: number): CaptionRow | undefined;
	/** Every final segment in order of time, for export. */
	finals(): readonly Segment[];
	clear(): void;
}

/** The captions of one direction, for one conversation after another, at constant cost per message. */
export interface Captions extends CaptionsView {
	/** Starts another conversation without captions. */
	begin(mode: string): void;
	/** Like `begin`, but appends: the same conversation continues. */
	goOn(mode: string): void;
	/**
	 * `atMs`: on the conversation's clock (0 = Start pressed).
	 * `from`: the session, after `handOver`. Null = no change.
	 */
	receive(message: TranscriptMessage, atMs: number, from?: 'now' | 'former'): CaptionChange | null;
	/** Adds a typed text that will be spoken. Returns its id for `settleTyped`. */
	type(typed: TypedText, atMs: number): string;
	/** Sets the final state of a typed text; `heardAs` is the service's id for it. */
	settleTyped(id: string, state: TypedState, heardAs: string | null): void;
	/**
	 * Marks this much speech up to `atMs` as lost, because it never reaches the interpreter, ms; even after `finish`, unless
	 * the captions were cleared.
	 */
	lose(ms: number, atMs: number): void;
	/** A new session or task, which may reuse ids for other texts. `startMs`: when its time starts, if known. */
	newStream(atMs: number, startMs?: number): void;
	/** Another session takes over new speech; the former session still finishes its sentences, until `endFormer`. */
	handOver(atMs: number): void;
	endFormer(): void;
	/** No more text is expected for now, as in a pause: shows open texts as cut off. */
	cutOff(): void;
	/** No more text will arrive: leaves open texts as they are. */
	finish(): void;
}

/** `history` gets every text that will not change any more, and at the end all texts with their final times. */
export function createCaptions(history?: HistoryWriter, leg: LegName = 'outgoing'): Captions {
	const store: CaptionsView['store'] = createStore(() => ({ version: 0, rows: 0 }));
	let assembler = createAssembler(leg);

	/** Rows of typed texts by their ids. */
	let typedRows = new Map<string, number>();
	let mode = '';
	let isFinished = false;

	function settle(segment: Segment): void {
		history?.take(segment, { typed: typedRows.has(segment.transcriptionId) });
	}

	function settleRow(row: number): void {
		const { source = null, translations = [], lost } = assembler.rowAt(row) ?? {};
		for (const segment of [source, ...translations, lost ?? null]) if (segment?.final) settle(segment);
	}

	/** Journals segments that are not final, because they may never be finished. */
	function leave(left: readonly Segment[]): void {
		for (const segment of left) settle(segment);
		if (left.length > 0) show();
	}

	function empty(): void {
		assembler = createAssembler(leg);
		typedRows = new Map();
		show();
	}

	function show(): void {
		store.setState({ version: store.getState().version + 1, rows: assembler.rowCount });
	}

	return {
		store,
		row: (index) => assembler.rowAt(index),
		finals: () => assembler.finals(),
		clear() {
			history?.forget();
			empty();
		},
		begin(next) {
			mode = next;
			isFinished = false;
			history?.begin(mode);
			empty();
		},
		goOn(next) {
			mode = next;
			isFinished = false;
			history?.goOn(mode);
		},
		receive(message, atMs, from) {
			const change = assembler.receive(message, atMs, from);
			if (!change) return null;
			if (change.segment.final) settle(change.segment);
			show();
			return change;
		},
		type(typed, atMs) {
			const id = assembler.type(typed, atMs);
			typedRows.set(id, assembler.rowCount - 1);
			show();
			return id;
		},
		settleTyped(id, state, heardAs) {
			assembler.settleTyped(id, state, heardAs);
			settleRow(typedRows.get(id) ?? -1);
			show();
		},
		lose(ms, atMs) {
			if (isFinished && assembler.rowCount === 0) return;
			if (isFinished) history?.goOn(mode);
			assembler.lose(ms, atMs);
			settleRow(assembler.rowCount - 1);
			if (isFinished) history?.end();
			show();
		},
		newStream: (atMs, startMs) => leave(assembler.newEpoch(atMs, startMs)),
		handOver: (atMs) => assembler.handOver(atMs),
		endFormer: () => leave(assembler.endFormer()),
		cutOff: () => leave(assembler.cutOff()),
		finish() {
			const left = assembler.closeOpen();
			for (const segment of [...assembler.finals(), ...left]) settle(segment);
			history?.end();
			isFinished = true;
			if (left.length > 0) show();
		},
	};
}

/** Captions that can be put away for a fresh page, and brought back until the next conversation is live. */
export interface Transcript extends CaptionsView {
	/** When the last live conversation began, Unix ms; null = none was live. */
	beganAt(): number | null;
	putAway(): void;
	bringBack(): void;
}

/** The transcript as the conversation controls it. */
export interface ControlledTranscript extends Transcript {
	/** Shows only these directions: the others belong to an earlier conversation. */
	show(legs: readonly LegName[]): void;
	/** Keeps the present captions until `release` or the first new one, so that a failed Start removes nothing. */
	hold(): void;
	/** Shows the captions of the directions from now on, even if there are none yet. */
	release(): void;
}

export interface Corrections {
	now(): readonly Correction[];
	listen(changed: () => void): void;
}

/** The captions shown at the time of `hold`. */
interface Held {
	readonly rows: readonly (CaptionRow | undefined)[];
	readonly finals: readonly Segment[];
	readonly sided: boolean;
}

interface Place {
	readonly leg: LegName;
	readonly index: number;
}

/** Loads the code when there is a first correction. */
const load = async () => (await import('#shared/captions/apply-corrections.ts')).createCorrect;

/**
 * The captions of both directions as shown to the user: rows in the order of their appearance, with corrections
 * applied, and no rows after they were put away. The stored captions do not change, so a removed correction
 * leaves no trace, and captions that were put away can be brought back until the next conversation is live.
 */
export function createTranscript(parts: {
	readonly legs: { readonly [Name in LegName]: CaptionsView };
	readonly conversation: { readonly store: StoreApi<ConversationView> };
	readonly clock: Pick<Clock, 'now' | 'wall'>;
	readonly corrections?: Corrections | undefined;
	readonly loadCorrect?: typeof load;
}): ControlledTranscript {
	const { legs, conversation, clock, corrections, loadCorrect = load } = parts;
	const store = createStore(() => ({ version: 0, rows: 0, sided: false, held: false, away: false }));
	const known: { [Name in LegName]: number } = { outgoing: 0, incoming: 0 };
	let shown: readonly LegName[] = [];
	let order: Place[] = [];
	let held: Held | null = null;
	let away = false;
	let beganAt: number | null = null;
	let corrected: readonly Correction[] = [];
	/** Null: there is nothing to correct. */
	let correct: Correct | null = null;
	let done = new WeakMap<CaptionRow, CaptionRow>();

	const count = (): number => (held?.rows ?? order).length;

	function changed(): void {
		const before = store.getState();
		const rows = count();
		// The captions that were put away have been replaced or removed.
		if (rows === 0 || (before.held && !held)) away = false;
		store.setState({
			version: before.version + 1,
			rows: away ? 0 : rows,
			sided: held?.sided ?? shown.length > 1,
			held: held !== null,
			away,
		});
	}

	/** The row without corrections. */
	function saidRow(index: number): CaptionRow | undefined {
		if (held) return held.rows[index];
		const place = order[index];
		return place && legs[place.leg].row(place.index);
	}

	function saidFinals(): readonly Segment[] {
		if (held) return held.finals;
		const all = shown.map((leg) => legs[leg].finals());
		// The segments of each direction are already in order.
		return all.length === 1 ? (all[0] ?? []) : all.flat().sort(compareInTime);
	}

	function row(index: number): CaptionRow | undefined {
		const said = away ? undefined : saidRow(index);
		if (!said || !correct) return said;
		const before = done.get(said);
		if (before) return before;
		const next = correctRow(said, correct);
		done.set(said, next);
		return next;
	}

	function finals(): readonly Segment[] {
		if (away) return [];
		const by = correct;
		return by ? saidFinals().map((segment) => correctSegment(segment, by)) : saidFinals();
	}

	function release(): void {
		if (!held) return;
		held = null;
		changed();
	}

	function follow(leg: LegName): void {
		const { rows } = legs[leg].store.getState();
		if (!shown.includes(leg)) return;
		// Fewer rows than before mean that the direction restarted.
		if (rows < known[leg]) forget(leg);
		for (let index = known[leg]; index < rows; index++) order.push({ leg, index });
		known[leg] = rows;
		changed();
	}

	function forget(leg: LegName): void {
		order = order.filter((place) => place.leg !== leg);
		known[leg] = 0;
	}

	async function followCorrections({ now }: Corrections): Promise<void> {
		const list = now();
		if (sameValue(list, corrected)) return;
		corrected = list;
		const next = list.length === 0 ? null : (await loadCorrect())(list);
		// The corrections may have changed while the code was loading.
		if (corrected !== list) return;
		correct = next;
		done = new WeakMap();
		changed();
	}

	for (const leg of legNames) {
		legs[leg].store.subscribe(({ rows }) => {
			if (rows > 0 && shown.includes(leg)) held = null;
			follow(leg);
		});
	}
	conversation.store.subscribe(({ liveSinceMs }, before) => {
		if (liveSinceMs !== null && before.liveSinceMs === null)
			beganAt = clock.wall() - (clock.now() - liveSinceMs);
	});
	if (corrections) {
		corrections.listen(() => void followCorrections(corrections));
		void followCorrections(corrections);
	}

	return {
		store,
		row,
		finals,
		beganAt: () => beganAt,
		clear() {
			release();
			for (const leg of shown) legs[leg].clear();
		},
		show(next) {
			shown = next;
			for (const leg of legNames) if (!next.includes(leg)) forget(leg);
			for (const leg of next) follow(leg);
			changed();
		},
		hold() {
			if (held || order.length === 0) return;
			held = {
				rows: order.map((_, index) => saidRow(index)),
				finals: saidFinals(),
				sided: shown.length > 1,
			};
		},
		release,
		putAway() {
			away = count() > 0;
			changed();
		},
		bringBack() {
			away = false;
			changed();
		},
	};
}

function correctRow(row: CaptionRow, correct: Correct): CaptionRow {
	const source = row.source && correctSegment(row.source, correct);
	const translations = row.translations.map((segment) => correctSegment(segment, correct));
	const isSame = source === row.source && translations.every((one, at) => one === row.translations[at]);
	return isSame ? row : { ...row, source, translations };
}

function correctSegment(segment: Segment, correct: Correct): Segment {
	const text = correct(segment.text, segment.language);
	return text === segment.text ? segment : { ...segment, text };
}
