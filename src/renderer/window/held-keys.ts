/** What becomes of keys that are held. */
export interface HeldKeys {
	down(event: KeyboardEvent): void;
	up(event: KeyboardEvent): void;
	/** Nobody can be seen to let go any more. */
	letGo(): void;
}

/** Hears the keys of the whole window until the returned function is called, which lets go of them. */
export function listenForHeldKeys({ down, up, letGo }: HeldKeys): () => void {
	window.addEventListener('keydown', down);
	window.addEventListener('keyup', up);
	window.addEventListener('blur', letGo);
	document.addEventListener('visibilitychange', letGo);
	return () => {
		window.removeEventListener('keydown', down);
		window.removeEventListener('keyup', up);
		window.removeEventListener('blur', letGo);
		document.removeEventListener('visibilitychange', letGo);
		letGo();
	};
}
