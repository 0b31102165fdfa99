/* Where a key press goes before it can be a command. */

export function isDialogOpen(): boolean {
	return document.querySelector('[role="dialog"],[role="alertdialog"]') !== null;
}

export function isTyping(target: EventTarget | null): boolean {
	return (
		target instanceof HTMLElement &&
		(target.isContentEditable ||
			target.matches('input:not([type=checkbox],[type=radio],[type=range]), textarea'))
	);
}

/** A combination is being chosen there: every key is meant for it. */
export function isRecordingKeys(target: EventTarget | null): boolean {
	return target instanceof HTMLElement && target.matches('[data-records-keys]');
}
