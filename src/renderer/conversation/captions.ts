import { createStore, type StoreApi } from 'zustand/vanilla';
import { type CaptionChange, createAssembler } from '#shared/captions/assembler.ts';
import type { TypedState, TypedText } from '#shared/captions/typed-texts.ts';
import type { TranscriptMessage } from '#shared/protocol/server-message.ts';
import type { CaptionsView } from './conversation.ts';

/** The captions of one conversation after another; constant cost per message. */
export interface Captions extends CaptionsView {
	/** `atMs` on the conversation's clock (0 = Start pressed). `null` when nothing changed. */
	receive(message: TranscriptMessage, atMs: number): CaptionChange | null;
	/** A text was typed to be spoken. Returns its id for `settleTyped`. */
	type(typed: TypedText, atMs: number): string;
	/** What became of it; `heardAs` is the service's id for it. */
	settleTyped(id: string, state: TypedState, heardAs: string | null): void;
	/** So much speech up to now never reaches the interpreter, ms. */
	lose(ms: number, atMs: number): void;
	/** Another session, or a task set anew: ids may come again and mean something else. */
	newStream(atMs: number): void;
	/** Nothing more will come: open texts stay as they are. */
	finish(): void;
}

export function createCaptions(): Captions {
	const store: StoreApi<{ version: number; rows: number }> = createStore(() => ({ version: 0, rows: 0 }));
	let assembler = createAssembler();

	function show(): void {
		store.setState({ version: store.getState().version + 1, rows: assembler.rowCount });
	}

	return {
		store,
		row: (index) => assembler.rowAt(index),
		finals: () => assembler.finals(),
		clear() {
			assembler = createAssembler();
			show();
		},
		receive(message, atMs) {
			const change = assembler.receive(message, atMs);
			if (change) show();
			return change;
		},
		type(typed, atMs) {
			const id = assembler.type(typed, atMs);
			show();
			return id;
		},
		settleTyped(id, state, heardAs) {
			assembler.settleTyped(id, state, heardAs);
			show();
		},
		lose(ms, atMs) {
			assembler.lose(ms, atMs);
			show();
		},
		newStream: (atMs) => assembler.newEpoch(atMs),
		finish() {
			if (assembler.closeOpen().length > 0) show();
		},
	};
}
