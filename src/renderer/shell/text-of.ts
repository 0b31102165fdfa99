import { decodeText } from '#shared/protocol/json.ts';

/** The text of a file; null when it is neither UTF-8 nor UTF-16, or is gone. */
export async function textOf(file: File): Promise<string | null> {
	try {
		return decodeText(new Uint8Array(await file.arrayBuffer()));
	} catch {
		return null;
	}
}
