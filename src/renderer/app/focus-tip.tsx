import { type CSSProperties, useEffect, useState } from 'react';
import styles from './focus-tip.module.css';

interface Tip {
	readonly text: string;
	readonly place: CSSProperties;
}

/** Room for a tip above a button, and for half of a long one beside its middle, CSS px. */
const ABOVE_PX = 48;
const BESIDE_PX = 168;
/** From the edge of the window, and from the button, CSS px. */
const GAP_PX = 8;

/**
 * The tooltip of the button that has keyboard focus: the system shows `title` to a pointer only. It says nothing that a
 * screen reader does not already read from the button. Escape hides it.
 */
export function FocusTip() {
	const [tip, setTip] = useState<Tip | null>(null);

	useEffect(() => {
		const over = new AbortController();
		const { signal } = over;
		const hide = () => setTip(null);
		function show({ target }: FocusEvent): void {
			const isShown =
				target instanceof HTMLElement &&
				target.localName === 'button' &&
				target.title !== '' &&
				target.matches(':focus-visible');
			setTip(isShown ? tipOf(target) : null);
		}
		document.addEventListener('focusin', show, { signal });
		document.addEventListener('focusout', hide, { signal });
		document.addEventListener('scroll', hide, { signal, capture: true });
		window.addEventListener('resize', hide, { signal });
		window.addEventListener('pointerdown', hide, { signal, capture: true });
		window.addEventListener('keydown', ({ key }) => key === 'Escape' && hide(), { signal, capture: true });
		return () => over.abort();
	}, []);

	if (!tip) return null;
	return (
		<span aria-hidden="true" className={styles.tip} style={tip.place} data-tip>
			{tip.text}
		</span>
	);
}

/** Above the button, or below it at the top of the window; never out of the window. */
function tipOf(button: HTMLElement): Tip {
	const { left, right, top, bottom } = button.getBoundingClientRect();
	const middle = (left + right) / 2;
	const across =
		middle < BESIDE_PX
			? { left: GAP_PX }
			: middle > window.innerWidth - BESIDE_PX
				? { right: GAP_PX }
				: { left: middle, translate: '-50%' };
	const along = top < ABOVE_PX ? { top: bottom + GAP_PX } : { bottom: window.innerHeight - top + GAP_PX };
	return { text: button.title, place: { ...across, ...along } };
}
