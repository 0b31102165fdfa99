/** What is wrong and not mended yet. Each is taken out with its mending: the test fails when one is no longer seen. */
export interface Known {
	readonly state: RegExp;
	readonly what: RegExp;
	readonly why: string;
}

export const known: readonly Known[] = [
	{
		state: /^meeting-one-leg$/,
		what: /^the captions have/,
		why: 'at 640 × 400 a direction that has stopped, with its sentence and its button, leaves them one line',
	},
	{
		state: /^languages-list-open$/,
		what: /^axe (aria-hidden-focus|label-content-name-mismatch)/,
		why: 'React Aria hides the page behind an open list from assistive technology, without making it inert',
	},
];
