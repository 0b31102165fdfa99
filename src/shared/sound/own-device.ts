/**
 * By its label: one half of a virtual microphone of this program or of another instance. Neither to speak into nor to
 * listen on.
 */
export function isOwnDevice({ label }: { readonly label: string }): boolean {
	return /^Dragoman (voice|microphone)( \d+)?$/.test(label);
}
