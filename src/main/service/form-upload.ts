import type { UploadDescriptor } from '#shared/protocol/voice.ts';

/** A multipart form around one file: what goes before its bytes, and after. */
export interface UploadForm {
	readonly contentType: string;
	readonly head: Buffer;
	readonly tail: Buffer;
}

/** Every field of the descriptor as it came, in its order, and `file` last (protocol 7.2). */
export function uploadForm(
	{ fields }: Pick<UploadDescriptor, 'fields'>,
	file: { readonly filename: string; readonly mimeType: string },
	boundary: string,
): UploadForm {
	const before = fields
		// A second `file` would be taken for ours.
		.filter(([name]) => name !== 'file')
		.map(
			([name, value]) =>
				`--${boundary}\r\nContent-Disposition: form-data; name="${escaped(name)}"\r\n\r\n${value}\r\n`,
		);
	const start = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${escaped(file.filename)}"\r\nContent-Type: ${file.mimeType}\r\n\r\n`;
	return {
		contentType: `multipart/form-data; boundary=${boundary}`,
		head: Buffer.from([...before, start].join('')),
		tail: Buffer.from(`\r\n--${boundary}--\r\n`),
	};
}

/** As browsers write names (the HTML standard's multipart encoding). */
function escaped(name: string): string {
	return name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22');
}
