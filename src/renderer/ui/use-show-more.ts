import { type RefObject, useLayoutEffect, useRef } from 'react';

/**
 * For a list that is shown a page at a time; `count` is the number of its rows. `show` reads more, and moves the keyboard from
 * the pressed button to the first row that came: the button goes away with the last page, and what is nearest to it then is
 * the last button of the row before, which deletes or ends.
 */
export function useShowMore(
	count: number,
	more: () => Promise<void>,
): { readonly list: RefObject<HTMLUListElement | null>; readonly show: () => void } {
	const list = useRef<HTMLUListElement>(null);
	/** How many there were at the press, and what had the keyboard. */
	const pressed = useRef<{ readonly count: number; readonly at: Element | null } | null>(null);
	// With the rows, before the keyboard could be moved elsewhere.
	useLayoutEffect(() => {
		const before = pressed.current;
		if (!before || count <= before.count) return;
		pressed.current = null;
		const { activeElement: at } = document;
		// The person has gone on.
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
