/** Callbacks for held keys. */
export interface HeldKeys {
	down(event: KeyboardEvent): void;
	up(event: KeyboardEvent): void;
	/** The release of keys can no longer be seen. */
	letGo(): void;
}

/** Listens for keys in the whole window until the returned function is called, which releases held ones. */
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
