/** The user's actions before the window was built. */
export interface EarlyActs {
	/** Start was pressed, or is being pressed. */
	readonly pressed: boolean;
	/** The keyboard was on Start. */
	readonly focused: boolean;
}

const picture = () => document.querySelector('.first-picture');

/**
 * Takes away the picture that stood in the page until the window was built (`index.html`), and tells what was done with
 * it. Call it in the task that puts the window into the document, so that nothing is done to it later. A button that is
 * still held down counts: it will not be there when it is let go.
 */
export function takeFirstPicture(): EarlyActs {
	const shown = picture();
	const has = (selector: string) => (shown?.querySelector(selector) ?? null) !== null;
	const acts = { pressed: has(':popover-open') || has('button:active'), focused: has(':focus') };
	shown?.remove();
	return acts;
}

/** The window cannot be built: its Start in the picture will do nothing. Throws `failure` again, for the log. */
export function failFirstPicture(failure: unknown): never {
	picture()?.querySelector('button')?.setAttribute('disabled', '');
	throw failure;
}
