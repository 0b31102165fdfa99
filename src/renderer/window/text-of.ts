/** The text of a file; null when it is not UTF-8, or is gone. */
export async function textOf(file: File): Promise<string | null> {
	try {
		return new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
	} catch {
		return null;
	}
}
