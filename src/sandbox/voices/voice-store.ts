import { randomUUID } from 'node:crypto';
import type { FaultSet } from '#sandbox/faults.ts';
import { builtInTimbre, type Timbre } from '#sandbox/speech/timbre.ts';
import { isoSeconds } from '#sandbox/system-clock.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { Scope } from '#shared/lib/scope.ts';
import { VOICE } from '#shared/protocol/vocabulary.ts';
import type { CloneOrder } from './voice-check.ts';

/** What the first bytes of a file say it is, if they do. */
const SIGNATURES: readonly (readonly [kind: string, at: number, bytes: string])[] = [
	['wav', 8, 'WAVE'],
	['webp', 8, 'WEBP'],
	['mp4', 4, 'ftyp'],
	['flac', 0, 'fLaC'],
	['mp3', 0, 'ID3'],
	['webm', 0, '\x1a\x45\xdf\xa3'],
	['png', 0, '\x89PNG'],
	['jpeg', 0, '\xff\xd8\xff'],
	['mpeg', 0, '\x00\x00\x01\xba'],
	['mpeg', 0, '\x00\x00\x01\xb3'],
	['ogg', 0, 'OggS'],
];

/** Which of those kinds a declared type may be. */
const KINDS: ReadonlyMap<string, string> = new Map([
	['audio/x-wav', 'wav'],
	['audio/wav', 'wav'],
	['audio/mp3', 'mp3'],
	['audio/mpeg', 'mp3'],
	['audio/x-m4a', 'mp4'],
	['video/mp4', 'mp4'],
	['audio/flac', 'flac'],
	['video/webm', 'webm'],
	['video/mpeg', 'mpeg'],
	['image/png', 'png'],
	['image/jpeg', 'jpeg'],
	['image/webp', 'webp'],
]);

export interface StoredVoice {
	readonly id: string;
	/** Counts up, in the order in which voices were made. */
	readonly number: number;
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
	/** The sample is there, `head` its first bytes: the voice is being processed from now on. */
	uploaded(voice: StoredVoice, head: Buffer): void;
	delete(id: string): boolean;
	list(): readonly StoredVoice[];
	/** Timbre of a voice that is built in, or cloned and ready; null: no such voice can speak. */
	readonly timbreOf: (voiceId: string) => Timbre | null;
}

/** Voices that are always there (protocol 7.1), listed like the others, as far as is known. */
export const BUILT_IN = [VOICE.low, VOICE.high].map((id) => ({
	voice_id: id,
	name: id,
	voice_type: 'instantly_cloned_builtin',
	processing_status: 'ready',
}));

const PENDING_MS = 1500;

/** `scope` ends the processing of unfinished voices. */
export function createVoiceStore(clock: Clock, scope: Scope): VoiceStore {
	const voices = new Map<string, StoredVoice>();
	let made = 0;

	function settle(voice: StoredVoice, head: Buffer): void {
		const { mimeType } = voice.order.sample;
		const kind = otherKind(head, mimeType);
		if (voice.faults.has('voice-fails')) voice.errors = ['The sample holds more than one speaker.'];
		else if (kind !== null) voice.errors = [`The sample was said to be ${mimeType} and is ${kind}.`];
		voice.status = voice.errors.length > 0 ? 'failed' : 'ready';
		if (voice.faults.has('voice-warns')) voice.warnings = ['The sample is noisy; the voice may be too.'];
	}

	return {
		create(order, faults) {
			made += 1;
			const voice: StoredVoice = {
				id: randomUUID(),
				number: made,
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
		uploaded(voice, head) {
			if (voice.status !== 'created') return;
			voice.status = voice.faults.has('voice-odd-status') ? 'queued_for_review' : 'pending';
			if (voice.faults.has('voice-stuck')) return;
			scope.after(voice.faults.number('voice-pending', PENDING_MS), () => settle(voice, head));
		},
		delete: (id) => voices.delete(id),
		list: () => [...voices.values()],
		timbreOf: (id) => builtInTimbre(id) ?? (voices.get(id)?.status === 'ready' ? 'cloned' : null),
	};
}

/** A record as spec 2.3 shows it, and in a list protocol 7.2. */
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

/** A record with the result of the processing (protocol 7.2). */
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

/** The kind of file these bytes begin, when that is plainly not the declared one; else null. */
function otherKind(head: Buffer, mimeType: string): string | null {
	const found = SIGNATURES.find(
		([, at, bytes]) => head.subarray(at, at + bytes.length).toString('latin1') === bytes,
	);
	const kind = found?.[0] ?? null;
	return kind === KINDS.get(mimeType) ? null : kind;
}
