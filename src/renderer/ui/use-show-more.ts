import { type RefObject, useLayoutEffect, useRef } from 'react';

/**
 * For a list shown page by page; `count` is its number of rows. `show` reads the next page, and moves focus from the
 * pressed button to the first new row: after the last page that button disappears, and the nearest other button
 * deletes or ends the previous row.
 */
export function useShowMore(
	count: number,
	more: () => Promise<void>,
): { readonly list: RefObject<HTMLUListElement | null>; readonly show: () => void } {
	const list = useRef<HTMLUListElement>(null);
	/** The number of rows and the focused element when the button was pressed. */
	const pressed = useRef<{ readonly count: number; readonly at: Element | null } | null>(null);
	// Runs together with the new rows, before focus can move elsewhere.
	useLayoutEffect(() => {
		const before = pressed.current;
		if (!before || count <= before.count) return;
		pressed.current = null;
		const { activeElement: at } = document;
		// The user has moved focus meanwhile.
		if (at !== before.at && at !== document.body) return;
		list.current?.children[before.count]?.querySelector<HTMLElement>('button:enabled')?.focus();
	}, [count]);
	return {
		list,
		show() {
			pressed.current = { count, at: document.activeElement };
			void more();
		},
	};
}
