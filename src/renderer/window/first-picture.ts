/** What a person did before the window was built. */
export interface EarlyActs {
	/** Start was pressed. */
	readonly pressed: boolean;
	/** The keyboard was on Start. */
	readonly focused: boolean;
}

/**
 * Takes away the picture that stood in the page until the window was built (`index.html`), and tells what was done with
 * it. Call it in the task that puts the window into the document: neither a press nor a frame gets lost between.
 */
export function takeFirstPicture(): EarlyActs {
	const picture = document.querySelector('.first-picture');
	const acts = {
		pressed: (picture?.querySelector(':popover-open') ?? null) !== null,
		focused: picture?.contains(document.activeElement) ?? false,
	};
	picture?.remove();
	return acts;
}
