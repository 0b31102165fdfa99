/** How a run over a sound ended, when it did not fail. */
export interface Ending {
	/** Length of the sound as its file says, ms; null = it does not say. */
	readonly durationMs: number | null;
	/** How much sound there was, ms. */
	readonly givenMs: number;
	/** How much of that could not be sent, ms. */
	readonly lostMs: number;
	/** How many texts it produced. */
	readonly texts: number;
	/** Text files were wanted, and none was written. */
	readonly unwritten: boolean;
}

/** A WAV header may round; a truncated file lacks more than this, ms. */
const ROUNDING_MS = 100;

/** What a person must know about a run that still ends with status 0, for standard error. */
export function remarksOf(ending: Ending): readonly string[] {
	const { durationMs, givenMs, lostMs, texts } = ending;
	const remarks: string[] = [];
	if (lostMs > 0) remarks.push(`The connection was too slow: ${seconds(lostMs)} of sound were not sent.`);
	if (durationMs !== null && givenMs < durationMs - ROUNDING_MS)
		remarks.push(
			`The file is cut short: of the ${seconds(durationMs)} its head promises there are ${seconds(givenMs)}.`,
		);
	if (texts === 0) {
		const unwritten = ending.unwritten ? ' No captions were written.' : '';
		remarks.push(
			`Nothing was understood.${unwritten} Check that there is speech in it, in the language of --from.`,
		);
	}
	return remarks;
}

function seconds(ms: number): string {
	return `${(ms / 1000).toFixed(ms < 1000 ? 2 : 1)} s`;
}
