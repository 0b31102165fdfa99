import type { StoredVoice } from '#main/voices/register.ts';

/** A voice that was just described, its sample in `/tmp/me.wav`. */
export function storedVoice(handle: string, fields: Partial<StoredVoice> = {}): StoredVoice {
	return {
		handle,
		account: 'account',
		voiceId: `voice-${handle}`,
		name: 'Ana',
		description: '',
		language: 'es',
		labels: { gender: '', ageGroup: '', mood: '' },
		attributes: [],
		denoise: false,
		normalise: false,
		skipExternal: false,
		madeAt: 1,
		sample: {
			name: 'me.wav',
			bytes: 100_000,
			durationMs: 30_000,
			mimeType: 'audio/wav',
			recorded: false,
			path: '/tmp/me.wav',
			modifiedMs: 1,
		},
		consent: { at: 1, wording: '1' },
		status: 'created',
		sentAt: null,
		owner: null,
		passing: false,
		renewed: false,
		problem: null,
		warnings: [],
		errors: [],
		...fields,
	};
}
