import type { VoiceEntry } from '#shared/host/voices.ts';
import type { Cloning } from './cloning.ts';
import type { StoredVoice } from './register.ts';
import { LONG_MS } from './timing.ts';

export interface ViewParts {
	readonly cloning: Pick<Cloning, 'isActive' | 'progress'>;
	/** Another running program is working on it. */
	readonly isElsewhere: (voice: StoredVoice) => boolean;
	/** Unix ms of this computer. */
	readonly now: number;
}

/** What the window may see of an entry: everything but where its sample is. */
export function viewOf(voice: StoredVoice, { cloning, isElsewhere, now }: ViewParts): VoiceEntry {
	const active = cloning.isActive(voice.handle) || isElsewhere(voice);
	const isFinal = voice.status === 'ready' || voice.status === 'failed';
	const { name, bytes, durationMs, recorded } = voice.sample;
	return {
		handle: voice.handle,
		voiceId: voice.voiceId,
		name: voice.name,
		description: voice.description,
		language: voice.language,
		labels: voice.labels,
		attributes: voice.attributes,
		denoise: voice.denoise,
		normalise: voice.normalise,
		skipExternal: voice.skipExternal,
		madeAt: voice.madeAt,
		sample: { name, bytes, durationMs, recorded },
		consent: voice.consent,
		status: voice.status,
		active,
		upload: cloning.progress(voice.handle),
		renewed: voice.renewed,
		takingLong: !isFinal && voice.sentAt !== null && now - voice.sentAt >= LONG_MS,
		problem: voice.problem,
		canRetry: !active && canRetry(voice),
		warnings: voice.warnings,
		errors: voice.errors,
	};
}

/** What was sent can be asked about; what was not, or failed, needs its sample. */
function canRetry({ status, sentAt, sample }: StoredVoice): boolean {
	if (status === 'ready') return false;
	return (sentAt !== null && status !== 'failed') || sample.path !== null;
}
