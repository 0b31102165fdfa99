import { useEffect } from 'react';
import { useParts } from '#renderer/shell/parts.ts';

/** The display stays lit as long as this is on the screen: nobody touches anything while the other speaks. */
export function useDisplayAwake(): void {
	const { host } = useParts();
	useEffect(() => {
		void host.ask('display.keep-awake', { on: true });
		return () => void host.ask('display.keep-awake', { on: false });
	}, [host]);
}
