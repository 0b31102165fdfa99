/** Is a dialog open? Behind one no key is a command, and none opens a microphone. */
export function isDialogOpen(): boolean {
	return document.querySelector('[role="dialog"],[role="alertdialog"]') !== null;
}
