import { type PointerEvent, useRef } from 'react';

export interface PointerHold {
	readonly onPointerDown: (event: PointerEvent<HTMLElement>) => void;
	readonly onPointerUp: (event: PointerEvent) => void;
	readonly onPointerCancel: (event: PointerEvent) => void;
	readonly onLostPointerCapture: (event: PointerEvent) => void;
}

/** A button held by one pointer at a time; captured, so that a finger that slides off keeps holding. */
export function usePointerHold(down: () => void, up: () => void): PointerHold {
	const pointer = useRef<number | null>(null);
	function gone(event: PointerEvent): void {
		if (pointer.current !== event.pointerId) return;
		pointer.current = null;
		up();
	}
	return {
		onPointerDown(event) {
			if (event.button !== 0 || pointer.current !== null) return;
			pointer.current = event.pointerId;
			event.currentTarget.setPointerCapture(event.pointerId);
			down();
		},
		onPointerUp: gone,
		onPointerCancel: gone,
		onLostPointerCapture: gone,
	};
}
