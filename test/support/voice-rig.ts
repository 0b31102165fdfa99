import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createVoiceClient } from '#main/service/voice-client.ts';
import { type ClonedVoices, createClonedVoices } from '#main/voices/cloned-voices.ts';
import { createRegisterFile } from '#main/voices/register.ts';
import { wavLength } from '#main/voices/samples.ts';
import type { VoiceEntry, VoiceList } from '#shared/host/voices.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import { ok } from '#shared/lib/result.ts';
import { encodeWav } from '#shared/sound/wav.ts';
import { CONSENT_WORDING, emptyDraft, type VoiceDraft } from '#shared/voices/draft.ts';
import { eventually } from './eventually.ts';

export const draft: VoiceDraft = {
	...emptyDraft,
	name: 'Ana (home)',
	language: 'es',
	labels: { gender: 'female', ageGroup: '', mood: 'calm' },
	attributes: ['warm'],
	denoise: true,
	consent: CONSENT_WORDING,
};

/** A file of `seconds` of sound; 16 kHz. */
export function writeSample(folder: string, name = 'me.wav', seconds = 6): string {
	const path = join(folder, name);
	writeFileSync(path, encodeWav(new Float32Array(16_000 * seconds), 16_000));
	return path;
}

export const newFolder = (): string => mkdtempSync(join(tmpdir(), 'dragoman-voices-'));

export interface VoiceRigParts {
	readonly api: string;
	readonly key: string;
	/** Default the key. */
	readonly token?: string;
	readonly clock: Clock;
	readonly folder: string;
	readonly log: Logger;
	/** Whether the service ends with the program. */
	readonly passing?: boolean;
	/** What the dialog gives. */
	readonly file?: string | null;
}

export interface VoiceRig extends ClonedVoices {
	readonly finished: readonly VoiceEntry[];
	/** Every list announced. */
	readonly heard: readonly VoiceList[];
	/** Chooses the file and makes a voice of it. */
	make(draft: VoiceDraft): ReturnType<ClonedVoices['answers']['voice.make']>;
	/** Resolves to the only entry once it passes `claim`. */
	entry(claim: (entry: VoiceEntry) => void): Promise<VoiceEntry>;
	/** Requests to the service so far, uploads left out. */
	calls(): number;
	/** From now on another account is in force. */
	become(key: string): void;
}

/** Cloned voices as the app has them, at a real service. */
export function createVoiceRig(parts: VoiceRigParts): VoiceRig {
	const { clock, folder, log } = parts;
	let { key } = parts;
	let calls = 0;
	const finished: VoiceEntry[] = [];
	const heard: VoiceList[] = [];
	const voices = createClonedVoices({
		register: createRegisterFile({ folder, clock, log }),
		api: createVoiceClient({
			fetch: (...asked) => {
				calls += 1;
				return fetch(...asked);
			},
			clock,
			random: () => 0.5,
			log,
			baseUrl: () => parts.api,
			key: () => key,
			voiceToken: () => parts.token ?? key,
			allowedHosts: () => [],
		}),
		clock,
		random: () => 0.5,
		log,
		folder: join(folder, 'voice-samples'),
		lengthOf: (_, file) => wavLength(file),
		isPassing: () => parts.passing === true,
		ready: async () => ok(),
		chooseFile: async () => parts.file ?? null,
		finished: (voice) => void finished.push(voice),
	});
	voices.listen((list) => void heard.push(list));
	return {
		...voices,
		finished,
		heard,
		calls: () => calls,
		async make(wanted) {
			const chosen = await voices.answers['voice.choose-file'](undefined);
			if (!chosen.ok) return chosen;
			return voices.answers['voice.make']({ draft: wanted, sample: chosen.value?.sample ?? '' });
		},
		async entry(claim) {
			let seen: VoiceEntry | undefined;
			const ask = async () => {
				const list = await voices.answers['voice.list'](undefined);
				if (!list.ok) throw new Error(list.error.kind);
				seen = list.value.voices[0];
				if (!seen) throw new Error('there is no voice');
				return seen;
			};
			await eventually(ask, claim);
			if (!seen) throw new Error('there is no voice');
			return seen;
		},
		become(other) {
			key = other;
		},
	};
}
