import type { ModelEntry } from '#shared/host/models.ts';
import { models } from '#shared/models/manifest.ts';

/** Every model that can be had, in one state but for those named. */
export function modelEntries(
	state: ModelEntry['state'] = 'available',
	others: Readonly<Record<string, Partial<ModelEntry>>> = {},
): ModelEntry[] {
	return models.map(({ id, role, languages, licence, quality, files }) => ({
		id,
		role,
		languages: [...languages],
		licence,
		quality,
		state,
		bytes: files.reduce((sum, file) => sum + file.bytes, 0),
		doneBytes: 0,
		bytesPerS: null,
		problem: null,
		...others[id],
	}));
}
