/** The user's actions before the window was built. */
export interface EarlyActs {
	/** True if Start was pressed, or is being pressed. */
	readonly pressed: boolean;
	/** True if Start had keyboard focus. */
	readonly focused: boolean;
}

const picture = () => document.querySelector('.first-picture');

/**
 * Removes the picture shown until the window is built (`index.html`), and returns the user's actions on it. Call it in
 * the task that puts the window into the document, so that no action comes later. A button still held down counts: it
 * will not exist when it is released.
 */
export function takeFirstPicture(): EarlyActs {
	const shown = picture();
	const has = (selector: string) => (shown?.querySelector(selector) ?? null) !== null;
	const acts = { pressed: has(':popover-open') || has('button:active'), focused: has(':focus') };
	shown?.remove();
	return acts;
}

/** Disables Start in the picture, because the window cannot be built. Rethrows `failure`, for the log. */
export function failFirstPicture(failure: unknown): never {
	picture()?.querySelector('button')?.setAttribute('disabled', '');
	throw failure;
}
