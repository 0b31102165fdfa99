/** Puts a text on the clipboard; false where the system does not allow it. Never rejects. */
export async function copyText(text: string): Promise<boolean> {
	return navigator.clipboard.writeText(text).then(
		() => true,
		() => false,
	);
}
