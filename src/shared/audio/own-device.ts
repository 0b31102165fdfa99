/** A half of a virtual microphone of ours, of this program or of another, by its label. Neither to speak into nor to hear from. */
export function isOwnDevice({ label }: { readonly label: string }): boolean {
	return /^Dragoman (voice|microphone)( \d+)?$/.test(label);
}
