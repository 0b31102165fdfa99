import { randomUUID } from 'node:crypto';
import type { VoiceSample } from '#shared/host/voices.ts';
import type { Recordings } from './recordings.ts';
import type { SampleFile } from './sample-file.ts';

/** More than anybody chooses for one voice. */
const MOST = 20;

/** Samples the window may make a voice of, under opaque names. */
export interface Samples {
	add(file: SampleFile): VoiceSample;
	find(sample: string): SampleFile | null;
	/** Hands over a sample to make a voice of: after that it is not ours to erase, and cannot be used twice. */
	take(sample: string): SampleFile | null;
	/** No voice was made of it after all. */
	giveBack(sample: string, file: SampleFile): void;
	discard(sample: string): Promise<void>;
	/** The page is gone, and every name with it. */
	discardAll(): Promise<void>;
}

export function createSamples(recordings: Pick<Recordings, 'remove' | 'discard'>): Samples {
	const held = new Map<string, SampleFile>();

	async function discard(sample: string): Promise<void> {
		const file = held.get(sample);
		held.delete(sample);
		if (file?.recorded) await recordings.remove(file.path);
	}

	return {
		add(file) {
			const [oldest] = held.keys();
			if (held.size >= MOST && oldest !== undefined) void discard(oldest);
			const sample = randomUUID();
			held.set(sample, file);
			const { name, bytes, mimeType, durationMs } = file;
			return { sample, name, bytes, mimeType, durationMs };
		},
		find: (sample) => held.get(sample) ?? null,
		take(sample) {
			const file = held.get(sample) ?? null;
			held.delete(sample);
			return file;
		},
		giveBack: (sample, file) => void held.set(sample, file),
		async discard(sample) {
			await recordings.discard(sample);
			await discard(sample);
		},
		async discardAll() {
			await recordings.discard(null);
			for (const sample of [...held.keys()]) await discard(sample);
		},
	};
}
