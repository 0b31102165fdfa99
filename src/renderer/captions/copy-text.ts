/** Copies a text to the clipboard; false if the system does not allow it. Never rejects. */
export async function copyText(text: string): Promise<boolean> {
	return navigator.clipboard.writeText(text).then(
		() => true,
		() => false,
	);
}
