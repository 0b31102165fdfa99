import { useStore } from 'zustand';
import { useParts } from '#renderer/shell/parts.ts';
import type { FaceSide } from '#shared/face-to-face/turns.ts';
import type { LegName } from '#shared/leg-name.ts';

/** The leg that carries each side's words. */
export const legOf: { readonly [One in FaceSide]: LegName } = { me: 'outgoing', partner: 'incoming' };

/** This person's direction has ended although the other goes on: what they say would reach nobody. */
export function useSideDown(side: FaceSide): boolean {
	const { conversation, legs } = useParts();
	const own = useStore(legs[legOf[side]].conversation.store, ({ phase }) => phase);
	const whole = useStore(conversation.store, ({ phase }) => phase);
	const isOne = useStore(legs.names, (names) => names.length < 2);
	return !isOne && whole === 'live' && (own === 'failed' || own === 'idle');
}
