import { useEffect } from 'react';
import { listenForHeldKeys } from '#renderer/window/held-keys.ts';
import { useParts } from '#renderer/window/parts.ts';
import { type FaceSide, sides } from '#shared/conversation/turns.ts';
import { useSideDown } from './use-side-down.ts';

/** By their place on the keyboard, where the fingers of two people rest, whatever is printed on them. */
export const holdKeys: { readonly [One in FaceSide]: { readonly code: string; readonly name: string } } = {
	me: { code: 'KeyF', name: 'F' },
	partner: { code: 'KeyJ', name: 'J' },
};

/** A key per side, held or tapped like its button; none for a side that would reach nobody. */
export function useHoldKeys(enabled: boolean): void {
	const mineDown = useSideDown('me');
	const theirsDown = useSideDown('partner');
	const { turns } = useParts();
	useEffect(() => {
		if (!enabled) return;
		const sideOf = (event: KeyboardEvent) => sides.find((side) => holdKeys[side].code === event.code);

		function down(event: KeyboardEvent): void {
			const side = sideOf(event);
			if (!side || event.ctrlKey || event.metaKey || event.altKey) return;
			event.preventDefault();
			if (!event.repeat && !(side === 'me' ? mineDown : theirsDown)) turns.down(side);
		}
		function up(event: KeyboardEvent): void {
			const side = sideOf(event);
			if (side) turns.up(side);
		}
		return listenForHeldKeys({ down, up, letGo: () => turns.letGo() });
	}, [turns, enabled, mineDown, theirsDown]);
}
