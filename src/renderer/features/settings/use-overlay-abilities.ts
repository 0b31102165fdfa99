import { useEffect, useState } from 'react';
import { useParts } from '#renderer/window/parts.ts';
import type { OverlayAbilities } from '#shared/overlay/abilities.ts';

/** What the system lets the overlay do; null until main has said. */
export function useOverlayAbilities(): OverlayAbilities | null {
	const { host } = useParts();
	const [abilities, setAbilities] = useState<OverlayAbilities | null>(null);
	useEffect(() => {
		let isHere = true;
		void host.ask('overlay.abilities', undefined).then((answer) => {
			if (isHere && answer.ok) setAbilities(answer.value);
		});
		return () => {
			isHere = false;
		};
	}, [host]);
	return abilities;
}
