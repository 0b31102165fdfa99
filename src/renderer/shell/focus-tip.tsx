import { type CSSProperties, useEffect, useLayoutEffect, useRef, useState } from 'react';
import styles from './focus-tip.module.css';
import { useParts } from './parts.ts';

interface Tip {
	readonly text: string;
	readonly button: Element;
}

/** How long the pointer must rest on a button before the tooltip appears, ms. */
const REST_MS = 600;
/** Distance from the edge of the window, and from the button, CSS px. */
const GAP_PX = 8;

/** The tooltip of a button, or the full text of a truncated one. Escape hides it. */
export function FocusTip() {
	const { clock } = useParts();
	const [tip, setTip] = useState<Tip | null>(null);
	const [place, setPlace] = useState<CSSProperties>({});
	const box = useRef<HTMLSpanElement>(null);

	useEffect(() => {
		const over = new AbortController();
		const { signal } = over;
		let unwait = () => {};
		function hide(): void {
			unwait();
			setTip(null);
		}
		function show(target: EventTarget | null): void {
			const at = target instanceof Element ? target : null;
			// A truncated text in a button has the tooltip, but the button has the focus.
			const cut = at?.matches('button, a') ? at.querySelector(':scope > [data-tooltip]') : null;
			const button = at?.closest('[data-tooltip]') ?? cut;
			const text = button?.getAttribute('data-tooltip') ?? '';
			setTip(button?.isConnected && !isWhole(button, text) ? { text, button } : null);
		}
		function rest({ target, pointerType }: PointerEvent): void {
			hide();
			if (pointerType === 'mouse') unwait = clock.after(REST_MS, () => show(target));
		}
		function focused({ target }: FocusEvent): void {
			hide();
			if (target instanceof Element && target.matches(':focus-visible')) show(target);
		}
		document.addEventListener('pointerover', rest, { signal });
		document.addEventListener('pointerleave', hide, { signal });
		document.addEventListener('focusin', focused, { signal });
		document.addEventListener('focusout', hide, { signal });
		document.addEventListener('scroll', hide, { signal, capture: true });
		window.addEventListener('resize', hide, { signal });
		window.addEventListener('pointerdown', hide, { signal, capture: true });
		window.addEventListener('keydown', ({ key }) => key === 'Escape' && hide(), { signal, capture: true });
		return () => {
			unwait();
			over.abort();
		};
	}, [clock]);

	useLayoutEffect(() => {
		if (tip && box.current) setPlace(placeOf(box.current.getBoundingClientRect(), tip.button));
	}, [tip]);

	if (!tip) return null;
	return (
		<span ref={box} aria-hidden="true" className={styles.tip} style={place} data-tip>
			{tip.text}
		</span>
	);
}

/** True if the element itself shows the whole text. */
function isWhole(one: Element, text: string): boolean {
	const shown = one instanceof HTMLInputElement ? one.value : (one.textContent ?? '');
	return (
		shown.trim() === text.trim() &&
		[one, ...one.querySelectorAll('*')].every(
			(at) => at.scrollWidth - at.clientWidth <= 1 && at.scrollHeight - at.clientHeight <= 4,
		)
	);
}

/** A position inside the window that covers no other button: above this one, else below, else higher. */
function placeOf({ width, height }: DOMRect, button: Element): CSSProperties {
	const its = button.getBoundingClientRect();
	const most = window.innerWidth - width - GAP_PX;
	const left = Math.max(GAP_PX, Math.min((its.left + its.right - width) / 2, most));
	const above = its.top - GAP_PX - height;
	const below = its.bottom + GAP_PX;
	const others = [...document.querySelectorAll('button')]
		.filter((one) => one !== button)
		.map((one) => one.getBoundingClientRect());
	const covered = (top: number) =>
		others.filter(
			(at) => at.right > left && at.left < left + width && at.bottom > top && at.top < top + height,
		);
	const higher = Math.min(...covered(above).map((at) => at.top)) - GAP_PX - height;
	const isFree = (top: number) => top >= 0 && top + height <= window.innerHeight && covered(top).length === 0;
	return { left, top: [above, below, higher].find(isFree) ?? (above >= 0 ? above : below) };
}
