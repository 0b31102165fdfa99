import type { VoiceEntry, VoiceSample } from '#shared/host/voices.ts';

/** A voice that is ready, made from a recording; whatever differs is given. */
export function voiceEntry(given: Partial<VoiceEntry> = {}): VoiceEntry {
	return {
		handle: 'v1',
		voiceId: '7d3f0c5e-58a1-4a0e-9c5d-0a7c1f1b2e01',
		name: 'Ana (home)',
		description: '',
		language: 'es',
		labels: { gender: 'female', ageGroup: '', mood: 'calm' },
		attributes: ['warm'],
		denoise: false,
		normalise: false,
		skipExternal: false,
		madeAt: Date.UTC(2026, 10, 20, 9, 30),
		sample: { name: 'Recording.wav', bytes: 1_488_044, durationMs: 31_000, recorded: true },
		consent: { at: Date.UTC(2026, 10, 20, 9, 29), wording: '1' },
		status: 'ready',
		active: false,
		upload: null,
		renewed: false,
		takingLong: false,
		problem: null,
		canRetry: false,
		warnings: [],
		errors: [],
		...given,
	};
}

export const voiceSample: VoiceSample = {
	sample: 's1',
	name: 'me reading.mp3',
	bytes: 640_000,
	mimeType: 'audio/mpeg',
	durationMs: 40_000,
};

/** One of each state a person meets. */
export function severalVoices(): VoiceEntry[] {
	return [
		voiceEntry({
			handle: 'v2',
			voiceId: null,
			name: 'Ana, tired',
			status: 'uploading',
			active: true,
			upload: { sentBytes: 610_000, totalBytes: 1_488_044, bytesPerS: 310_000, secondsLeft: 3 },
		}),
		voiceEntry({
			handle: 'v3',
			voiceId: 'b3',
			name: 'جدّي',
			language: 'ar',
			status: 'pending',
			active: true,
			takingLong: true,
		}),
		voiceEntry({ warnings: ['The sample is shorter than recommended.'] }),
		voiceEntry({
			handle: 'v4',
			voiceId: 'b4',
			name: 'Street',
			status: 'failed',
			canRetry: true,
			errors: ['More than one speaker was found in the sample.'],
		}),
		voiceEntry({
			handle: 'v5',
			name: 'Refused',
			voiceId: null,
			status: 'created',
			canRetry: true,
			problem: { kind: 'voice-token-rejected', status: 401 },
		}),
	];
}
