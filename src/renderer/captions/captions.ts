import { createStore, type StoreApi } from 'zustand/vanilla';
import type { CaptionsView } from '#renderer/conversation/conversation.ts';
import { type CaptionChange, createAssembler, type LateStream } from '#shared/captions/assembler.ts';
import type { Segment } from '#shared/captions/segment.ts';
import type { TypedState, TypedText } from '#shared/captions/typed-texts.ts';
import type { LegName } from '#shared/leg-name.ts';
import type { TranscriptMessage } from '#shared/protocol/server-message.ts';
import type { Journal } from './journal.ts';

/** The captions of one conversation after another; constant cost per message. */
export interface Captions extends CaptionsView {
	/** Another conversation begins, with nothing said yet. */
	begin(mode: string): void;
	/** Like `begin`, but appends: the same conversation goes on. */
	goOn(mode: string): void;
	/** `atMs` on the conversation's clock (0 = Start pressed). `null` when nothing changed. `from`: as after `handOver`. */
	receive(message: TranscriptMessage, atMs: number, from?: 'now' | 'former'): CaptionChange | null;
	/** Like `receive`, for what was said while a room was away. */
	receiveLate(message: TranscriptMessage, atMs: number, late: LateStream): void;
	/** A text was typed to be spoken. Returns its id for `settleTyped`. */
	type(typed: TypedText, atMs: number): string;
	/** What became of it; `heardAs` is the service's id for it. */
	settleTyped(id: string, state: TypedState, heardAs: string | null): void;
	/** This much speech up to now never reaches the interpreter, ms. */
	lose(ms: number, atMs: number): void;
	/** A new session or a new task: ids may repeat with another meaning. */
	newStream(atMs: number): void;
	/** Another session goes on with what is said; the one before it still finishes its sentences, until `endFormer`. */
	handOver(atMs: number): void;
	endFormer(): void;
	/** Nothing more is expected for now, as in a pause: open texts are shown as cut off. */
	cutOff(): void;
	/** Nothing more will come: open texts stay as they are. */
	finish(): void;
}

/** `journal` gets every text that will not change any more, and at the end all of them with their final times. */
export function createCaptions(journal?: Journal, leg: LegName = 'outgoing'): Captions {
	const store: StoreApi<{ version: number; rows: number }> = createStore(() => ({ version: 0, rows: 0 }));
	let assembler = createAssembler(leg);

	/** Rows of typed texts by their ids. */
	let typedRows = new Map<string, number>();

	function settle(segment: Segment): void {
		journal?.take(segment, { typed: typedRows.has(segment.transcriptionId) });
	}

	function settleRow(row: number): void {
		const { source = null, translations = [], lost } = assembler.rowAt(row) ?? {};
		for (const segment of [source, ...translations, lost ?? null]) if (segment?.final) settle(segment);
	}

	/** Journals segments that are not final, because nothing more may come of them. */
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
			journal?.forget();
			empty();
		},
		begin(mode) {
			journal?.begin(mode);
			empty();
		},
		goOn: (mode) => journal?.goOn(mode),
		receive(message, atMs, from) {
			const change = assembler.receive(message, atMs, from);
			if (!change) return null;
			if (change.segment.final) settle(change.segment);
			show();
			return change;
		},
		receiveLate(message, atMs, late) {
			const change = assembler.receiveLate(message, atMs, late);
			if (!change) return;
			if (change.segment.final) settle(change.segment);
			show();
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
			assembler.lose(ms, atMs);
			settleRow(assembler.rowCount - 1);
			show();
		},
		newStream: (atMs) => leave(assembler.newEpoch(atMs)),
		handOver: (atMs) => assembler.handOver(atMs),
		endFormer: () => leave(assembler.endFormer()),
		cutOff: () => leave(assembler.cutOff()),
		finish() {
			const left = assembler.closeOpen();
			for (const segment of [...assembler.finals(), ...left]) settle(segment);
			journal?.end();
			if (left.length > 0) show();
		},
	};
}
