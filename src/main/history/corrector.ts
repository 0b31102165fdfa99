import type { Correction } from '#shared/captions/correction.ts';
import { type Correct, createCorrect } from '#shared/captions/corrections.ts';
import type { HistoryCaption } from '#shared/host/history.ts';

/** History stays stored as the service wrote it; corrections are applied when it is read. */
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
