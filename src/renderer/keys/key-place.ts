/* Which elements handle a key press before it can be a command. */

export function isTyping(target: EventTarget | null): boolean {
	return (
		target instanceof HTMLElement &&
		(target.isContentEditable ||
			target.matches('input:not([type=checkbox],[type=radio],[type=range]), textarea'))
	);
}

/** True if a letter or digit without modifiers, pressed there or on this page, is no command. */
export function keepsLetters({ key, code, target }: KeyboardEvent, page: string): boolean {
	// Letter commands work only on the live page: elsewhere, an accidental press could mute a call.
	if (page !== 'live' && /^[\p{L}\d]$/u.test(key)) return true;
	return takesLetters(target, code);
}

/** True if the element itself uses the key: for typing, or to search for an entry of a list, even a closed one. */
function takesLetters(target: EventTarget | null, code: string): boolean {
	if (isTyping(target)) return true;
	// No entry of a list of languages begins with a digit.
	if (/^(Digit|Numpad)\d$/.test(code) && target instanceof Element && target.closest('[data-languages]'))
		return false;
	const list = '[aria-haspopup="listbox"], [role="listbox"], [role="menu"]';
	return target instanceof Element && target.closest(list) !== null;
}

/** True if the element records a key combination, and so handles every key. */
export function isRecordingKeys(target: EventTarget | null): boolean {
	return target instanceof HTMLElement && target.matches('[data-records-keys]');
}

interface HeldKeys {
	down(event: KeyboardEvent): void;
	up(event: KeyboardEvent): void;
	/** Releases the held keys, because their release can no longer be observed. */
	letGo(): void;
}

/** Listens for keys in the whole window. The returned function stops listening and releases held keys. */
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

/** Whether a dialog is open, so that no key runs a command. One beside the page counts only with the focus. */
export function isDialogOpen(): boolean {
	const open = [...document.querySelectorAll('[role="dialog"],[role="alertdialog"]')];
	return open.some((one) => !one.matches('[data-beside]') || one.contains(document.activeElement));
}
