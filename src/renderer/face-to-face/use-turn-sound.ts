import { useEffect } from 'react';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import { sides } from '#shared/conversation/turns.ts';
import { turnTone } from '#shared/sound/turn-tone.ts';

/** A soft sound when the voice has ended and it is somebody's turn. */
export function useTurnSound(): void {
	const { turns, sound } = useParts();
	const wanted = useSetting('faceCue');
	useEffect(() => {
		if (!wanted) return;
		const abort = new AbortController();
		const end = turns.store.subscribe(({ cues }, before) => {
			const begins = sides.some((side) => cues[side] === 'your-turn' && before.cues[side] !== 'your-turn');
			// A device that fails to play is reported elsewhere.
			if (begins) void sound.play(turnTone(), abort.signal);
		});
		return () => {
			end();
			abort.abort();
		};
	}, [turns, sound, wanted]);
}
