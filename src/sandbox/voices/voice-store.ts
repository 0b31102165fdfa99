import { randomUUID } from 'node:crypto';
import type { FaultSet } from '#sandbox/faults.ts';
import { builtInTimbre, type Timbre } from '#sandbox/speech/timbre.ts';
import { isoSeconds } from '#sandbox/system-clock.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { Scope } from '#shared/lib/scope.ts';
import type { CloneOrder } from './voice-check.ts';

export interface StoredVoice {
	readonly id: string;
	readonly order: CloneOrder;
	/** Names the upload in its form. */
	readonly blobId: string;
	readonly createdAt: number;
	status: string;
	errors: readonly string[];
	warnings: readonly string[];
	readonly faults: FaultSet;
}

export interface VoiceStore {
	create(order: CloneOrder, faults: FaultSet): StoredVoice;
	get(id: string): StoredVoice | null;
	byBlob(blobId: string): StoredVoice | null;
	/** The sample is there: it is worked on from now. */
	uploaded(voice: StoredVoice): void;
	delete(id: string): boolean;
	/** The newest first. */
	list(): readonly StoredVoice[];
	/** How a voice sounds: built in, or cloned and ready; null: it cannot be spoken with. */
	readonly timbreOf: (voiceId: string) => Timbre | null;
}

/** Voices that are always there (protocol 7.1). */
export const BUILT_IN = ['default_low', 'default_high'] as const;

const PENDING_MS = 1500;

/** `scope` ends voices that are still being worked on. */
export function createVoiceStore(clock: Clock, scope: Scope): VoiceStore {
	const voices = new Map<string, StoredVoice>();

	function settle(voice: StoredVoice): void {
		if (voice.faults.has('voice-fails')) {
			voice.status = 'failed';
			voice.errors = ['The sample holds more than one speaker.'];
		} else voice.status = 'ready';
		if (voice.faults.has('voice-warns')) voice.warnings = ['The sample is noisy; the voice may be too.'];
	}

	return {
		create(order, faults) {
			const voice: StoredVoice = {
				id: randomUUID(),
				order,
				blobId: randomUUID(),
				createdAt: clock.wall(),
				status: 'created',
				errors: [],
				warnings: [],
				faults,
			};
			voices.set(voice.id, voice);
			return voice;
		},
		get: (id) => voices.get(id) ?? null,
		byBlob: (blobId) => [...voices.values()].find((voice) => voice.blobId === blobId) ?? null,
		uploaded(voice) {
			if (voice.status !== 'created') return;
			voice.status = voice.faults.has('voice-odd-status') ? 'queued_for_review' : 'pending';
			if (voice.faults.has('voice-stuck')) return;
			scope.after(voice.faults.number('voice-pending', PENDING_MS), () => settle(voice));
		},
		delete: (id) => voices.delete(id),
		list: () => [...voices.values()].sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1)),
		timbreOf: (id) => builtInTimbre(id) ?? (voices.get(id)?.status === 'ready' ? 'cloned' : null),
	};
}

/** A record as service-spec 2.3 and, of a list, protocol 7.2 show it. */
export function written(voice: StoredVoice, samples: readonly unknown[]): Record<string, unknown> {
	const { order } = voice;
	return {
		utc_created_at: isoSeconds(voice.createdAt),
		voice_id: voice.id,
		user_id: 'sandbox',
		name: order.name,
		voice_type: 'instantly_cloned',
		processing_status: voice.status,
		...(order.description === null ? {} : { description: order.description }),
		...(order.labels === null ? {} : { labels: order.labels }),
		lang_code: order.sample.language,
		has_external_voice: !order.skipExternal,
		...(order.attributes === null ? {} : { attributes: order.attributes }),
		samples,
	};
}

/** With what the processing said (protocol 7.2). */
export function withResult(voice: StoredVoice): Record<string, unknown> {
	const remark = (detail: string) => ({
		type: 'https://sandbox.invalid/errors#voice',
		status: 422,
		title: 'Voice processing',
		detail,
		instance: `/saas/voice/m/${voice.id}`,
		error_code: 100_200,
	});
	return {
		...written(voice, []),
		utc_updated_at: isoSeconds(voice.createdAt),
		processing_result: { warnings: voice.warnings.map(remark), errors: voice.errors.map(remark) },
	};
}
