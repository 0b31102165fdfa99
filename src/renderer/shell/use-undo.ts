import { useCallback, useEffect, useEffectEvent, useRef, useState } from 'react';
import type { Cancel } from '#shared/lib/clock.ts';
import { useParts } from './parts.ts';

/** How long a deletion can be undone, ms. */
const UNDO_MS = 10_000;

/** Delays an action for a moment, so that it can be undone. */
export interface Undo<Item> {
	/** The item that can still be restored; null = none. */
	readonly held: Item | null;
	/** True if the action on this item is pending or running, so that it is shown as done. */
	isHidden(item: Item): boolean;
	/** Delays the action on this item, and carries out the action on the previous item at once. */
	hold(item: Item): void;
	takeBack(): void;
}

/** `act` is called after `UNDO_MS`, at the next item, or when the page is left; resolves when done. */
export function useUndo<Item extends object>(
	idOf: (item: Item) => string,
	act: (item: Item) => Promise<unknown>,
): Undo<Item> {
	const { clock, host } = useParts();
	const [held, setHeld] = useState<Item | null>(null);
	const [acting, setActing] = useState<readonly string[]>([]);
	const pending = useRef<{ readonly item: Item; readonly cancel: Cancel } | null>(null);

	const release = useCallback(() => {
		const waited = pending.current;
		pending.current = null;
		waited?.cancel();
		setHeld(null);
		return waited?.item ?? null;
	}, []);

	async function settle(): Promise<void> {
		const item = release();
		if (!item) return;
		const id = idOf(item);
		setActing((before) => [...before, id]);
		await act(item);
		setActing((before) => before.filter((other) => other !== id));
	}
	// Leaving the page carries out the action instead of undoing it.
	const leave = useEffectEvent(() => void settle());
	useEffect(() => {
		const left = () => leave();
		const unlisten = host.listen('app.closing', left);
		window.addEventListener('pagehide', left);
		return () => {
			unlisten();
			window.removeEventListener('pagehide', left);
			leave();
		};
	}, [host]);

	return {
		held,
		isHidden: (item) => (held !== null && idOf(held) === idOf(item)) || acting.includes(idOf(item)),
		hold(item) {
			void settle();
			pending.current = { item, cancel: clock.after(UNDO_MS, () => void settle()) };
			setHeld(item);
		},
		takeBack: () => void release(),
	};
}
