import { createStore, type StoreApi } from 'zustand/vanilla';
import type { CaptionsView } from '#renderer/conversation/conversation.ts';
import { sameValue } from '#renderer/conversation/view.ts';
import type { Correction } from '#shared/captions/correction.ts';
import type { Correct } from '#shared/captions/corrections.ts';
import type { CaptionRow, Segment } from '#shared/captions/segment.ts';

/** The corrections of the settings. */
interface Corrections {
	now(): readonly Correction[];
	listen(changed: () => void): void;
}

/** The code is loaded when there is a first correction. */
const load = async () => (await import('#shared/captions/corrections.ts')).createCorrect;

/**
 * The captions with every correction applied, to earlier rows as well. Stored text stays as the service wrote it, so
 * that a correction that is taken back leaves no trace. A row is the same object until it changes.
 */
export function correctCaptions(
	captions: CaptionsView,
	corrections: Corrections,
	loadCorrect: typeof load = load,
): CaptionsView {
	const store: StoreApi<ReturnType<CaptionsView['store']['getState']>> = createStore(() => ({
		...captions.store.getState(),
	}));
	let known: readonly Correction[] = [];
	/** Null: there is nothing to correct. */
	let correct: Correct | null = null;
	let done = new WeakMap<CaptionRow, CaptionRow>();
	/** Counts changes of the corrections: each of them changes the captions. */
	let changes = 0;

	function show(): void {
		const state = captions.store.getState();
		store.setState({ ...state, version: state.version + changes });
	}

	async function follow(): Promise<void> {
		const now = corrections.now();
		if (sameValue(now, known)) return;
		known = now;
		const next = now.length === 0 ? null : (await loadCorrect())(now);
		// The corrections may have changed while the code was loading.
		if (known !== now) return;
		correct = next;
		done = new WeakMap();
		changes += 1;
		show();
	}

	function row(index: number): CaptionRow | undefined {
		const given = captions.row(index);
		if (!given || !correct) return given;
		const before = done.get(given);
		if (before) return before;
		const corrected = correctRow(given, correct);
		done.set(given, corrected);
		return corrected;
	}

	captions.store.subscribe(show);
	corrections.listen(() => void follow());
	void follow();
	return {
		store,
		row,
		finals: () => {
			const by = correct;
			return by ? captions.finals().map((segment) => correctSegment(segment, by)) : captions.finals();
		},
		clear: captions.clear,
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
