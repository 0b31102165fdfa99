import type { Correction } from '#shared/captions/correction.ts';
import { type Correct, createCorrect } from '#shared/captions/corrections.ts';
import type { HistoryCaption } from '#shared/host/history.ts';

/** What was kept stays as the service wrote it; it is put right as it is read. */
export interface Corrector {
	caption<Caption extends HistoryCaption>(caption: Caption): Caption;
	/** Its beginning, as a list shows it. */
	row<Row extends { readonly preview: string; readonly previewLanguage: string }>(row: Row): Row;
}

/** `corrections` are asked for each time; what they come to is reckoned when they are others. */
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
