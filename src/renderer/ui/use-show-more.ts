import { type RefObject, useLayoutEffect, useRef } from 'react';

/**
 * For a list shown page by page; `count` is the number of its rows. `show` reads more, and moves focus from the pressed
 * button to the first new row: with the last page the button disappears, and the nearest one left deletes or ends the
 * row before.
 */
export function useShowMore(
	count: number,
	more: () => Promise<void>,
): { readonly list: RefObject<HTMLUListElement | null>; readonly show: () => void } {
	const list = useRef<HTMLUListElement>(null);
	/** How many there were at the press, and what had the keyboard. */
	const pressed = useRef<{ readonly count: number; readonly at: Element | null } | null>(null);
	// Together with the rows, before the focus could move elsewhere.
	useLayoutEffect(() => {
		const before = pressed.current;
		if (!before || count <= before.count) return;
		pressed.current = null;
		const { activeElement: at } = document;
		// The user has moved on.
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
