/* Where a key press goes before it can be a command. */

export function isTyping(target: EventTarget | null): boolean {
	return (
		target instanceof HTMLElement &&
		(target.isContentEditable ||
			target.matches('input:not([type=checkbox],[type=radio],[type=range]), textarea'))
	);
}

/** A bare letter or digit pressed there, or on this page, is no command. */
export function keepsLetters({ key, code, target }: KeyboardEvent, page: string): boolean {
	// Commands work only where the conversation is shown: elsewhere a slip would mute a call.
	if (page !== 'live' && /^[\p{L}\d]$/u.test(key)) return true;
	return takesLetters(target, code);
}

/** The key means something there: it is typed, or searches for an entry of a list, even a closed one. */
function takesLetters(target: EventTarget | null, code: string): boolean {
	if (isTyping(target)) return true;
	// No entry of a list of languages begins with a digit.
	if (/^(Digit|Numpad)\d$/.test(code) && target instanceof Element && target.closest('[data-languages]'))
		return false;
	const list = '[aria-haspopup="listbox"], [role="listbox"], [role="menu"]';
	return target instanceof Element && target.closest(list) !== null;
}

/** A combination is being chosen there: every key is meant for it. */
export function isRecordingKeys(target: EventTarget | null): boolean {
	return target instanceof HTMLElement && target.matches('[data-records-keys]');
}

/** Callbacks for held keys. */
interface HeldKeys {
	down(event: KeyboardEvent): void;
	up(event: KeyboardEvent): void;
	/** The release of keys cannot be seen any more. */
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

/**
 * Is a dialog open? Behind one no key is a command, and none opens a microphone. One beside the page counts only while
 * it has the focus.
 */
export function isDialogOpen(): boolean {
	const open = [...document.querySelectorAll('[role="dialog"],[role="alertdialog"]')];
	return open.some((one) => !one.matches('[data-beside]') || one.contains(document.activeElement));
}
