import { useCallback, useEffect, useState } from 'react';

/** The whole display for the two halves, until one leaves it or the conversation ends. */
export function useFullScreen(): { readonly isFull: boolean; toggle(): void } {
	const [isFull, setFull] = useState(document.fullscreenElement !== null);

	useEffect(() => {
		const changed = () => setFull(document.fullscreenElement !== null);
		document.addEventListener('fullscreenchange', changed);
		return () => {
			document.removeEventListener('fullscreenchange', changed);
			if (document.fullscreenElement) void document.exitFullscreen().catch(() => {});
		};
	}, []);

	const toggle = useCallback(() => {
		const done = document.fullscreenElement
			? document.exitFullscreen()
			: document.documentElement.requestFullscreen();
		// Refused: it stays as it is, and the button says so.
		done.catch(() => {});
	}, []);
	return { isFull, toggle };
}
