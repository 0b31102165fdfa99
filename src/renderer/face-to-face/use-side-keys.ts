import { useEffect, useEffectEvent } from 'react';
import { useStore } from 'zustand';
import { isDialogOpen, listenForHeldKeys } from '#renderer/keys/key-place.ts';
import { useParts } from '#renderer/shell/parts.ts';
import { type FaceSide, sides } from '#shared/face-to-face/turn-rules.ts';
import type { LegName } from '#shared/leg-name.ts';

/** The keys by their position on the keyboard, where the fingers of two people rest, in any layout. */
export const holdKeys: { readonly [One in FaceSide]: { readonly code: string; readonly name: string } } = {
	me: { code: 'KeyF', name: 'F' },
	partner: { code: 'KeyJ', name: 'J' },
};

/** Handles one key per side like that side's button, unless the side's direction has ended. */
export function useHoldKeys(enabled: boolean): void {
	const isDown = { me: useSideDown('me'), partner: useSideDown('partner') };
	const { turns } = useParts();
	// An effect event, because subscribing again would release the key that the other person holds.
	const reachesNobody = useEffectEvent((side: FaceSide) => isDown[side]);
	useEffect(() => {
		if (!enabled) return;
		/** Sides whose key is held down. */
		const held = new Set<FaceSide>();

		function down(event: KeyboardEvent): void {
			const side = sides.find((one) => holdKeys[one].code === event.code);
			if (!side || event.ctrlKey || event.metaKey || event.altKey || isDialogOpen()) return;
			event.preventDefault();
			if (event.repeat || reachesNobody(side)) return;
			held.add(side);
			turns.down(side);
		}
		function up(event: KeyboardEvent): void {
			for (const side of sides) {
				// macOS sends no keyup for a letter released while Cmd is down, only for Cmd.
				const isEnded = event.key === 'Meta' || holdKeys[side].code === event.code;
				if (isEnded && held.delete(side)) turns.up(side);
			}
		}
		function letGo(): void {
			held.clear();
			turns.letGo();
		}
		return listenForHeldKeys({ down, up, letGo });
	}, [turns, enabled]);
}

/** The direction that translates each side's speech. */
export const legOf: { readonly [One in FaceSide]: LegName } = { me: 'outgoing', partner: 'incoming' };

/** True if this person's direction has ended although the other continues, so that their speech would be lost. */
export function useSideDown(side: FaceSide): boolean {
	const { conversation, legs } = useParts();
	const own = useStore(legs[legOf[side]].conversation.store, ({ phase }) => phase);
	const whole = useStore(conversation.store, ({ phase }) => phase);
	const isOne = useStore(legs.names, (names) => names.length < 2);
	return !isOne && whole === 'live' && (own === 'failed' || own === 'idle');
}
