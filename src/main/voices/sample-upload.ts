import { randomUUID } from 'node:crypto';
import type { Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { CloneRequest, SAMPLE_TYPES } from '#shared/protocol/cloned-voice.ts';
import type { UploadDescriptor, VoiceRecord } from '#shared/protocol/cloned-voice-record.ts';
import { cut } from '#shared/protocol/json.ts';
import { tidyName, type VoiceDraft } from '#shared/voices/draft.ts';
import { sampleFilename } from '#shared/voices/media-type.ts';
import type { Work } from './status-polling.ts';
import type { StoredVoice } from './voices-file.ts';

export interface UploadProgress {
	readonly sentBytes: number;
	readonly totalBytes: number;
	readonly bytesPerS: number;
	readonly secondsLeft: number | null;
}

/** The speed is the average of the last few seconds, so that a connection that slows down shows at once. */
const WINDOW_MS = 4000;
/** No speed is shown before this time: the first bytes only fill buffers and would promise too much. */
const EARLIEST_MS = 1000;

/** Measures one upload; each attempt begins at 0 bytes. */
export function createProgress(totalBytes: number, clock: Clock): (sentBytes: number) => UploadProgress {
	let marks: { readonly at: number; readonly sent: number }[] = [];
	return (sentBytes) => {
		const at = clock.now();
		if (sentBytes === 0) marks = [];
		marks = [...marks.filter((mark) => at - mark.at <= WINDOW_MS), { at, sent: sentBytes }];
		const first = marks[0] ?? { at, sent: 0 };
		const elapsedMs = at - first.at;
		if (elapsedMs < EARLIEST_MS) return { sentBytes, totalBytes, bytesPerS: 0, secondsLeft: null };
		const bytesPerS = Math.round(((sentBytes - first.sent) / elapsedMs) * 1000);
		const left = bytesPerS > 0 ? Math.ceil((totalBytes - sentBytes) / bytesPerS) : null;
		return { sentBytes, totalBytes, bytesPerS, secondsLeft: left };
	};
}

type VoiceForm = Pick<
	VoiceDraft,
	'name' | 'language' | 'description' | 'labels' | 'attributes' | 'denoise' | 'normalise' | 'skipExternal'
>;

export function filenameOf(sample: { readonly name: string; readonly mimeType: string }): string {
	const type = SAMPLE_TYPES.find((known) => known === sample.mimeType);
	return type ? sampleFilename(sample.name, type) : '';
}

/** Null if the request breaks a rule because the form was not checked. Leaves out empty fields. */
export function cloneRequestOf(
	described: VoiceForm,
	sample: { readonly name: string; readonly mimeType: string },
	itemId: string,
): CloneRequest | null {
	const { gender, ageGroup, mood } = described.labels;
	const labels = said({ gender: gender.trim(), age_group: ageGroup.trim(), mood: mood.trim() });
	const request = {
		data: {
			name: tidyName(described.name),
			...said({ description: described.description.trim() }),
			...(Object.keys(labels).length > 0 ? { labels } : {}),
			...(described.attributes.length > 0
				? { attributes: described.attributes.map((text) => text.trim()) }
				: {}),
			...(described.skipExternal ? { skip_external_voice: true } : {}),
			samples: [
				{
					filename: filenameOf(sample),
					mime_type: sample.mimeType,
					lang_code: described.language,
					display_name: cut(sample.name, 255),
					item_id: itemId,
					...(described.denoise ? { denoise: true } : {}),
					...(described.normalise ? { speech_normalization: true } : {}),
				},
			],
		},
	};
	const checked = CloneRequest.safeParse(request);
	return checked.success ? checked.data : null;
}

function said<Fields extends Record<string, string>>(fields: Fields): Partial<Fields> {
	return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== '')) as Partial<Fields>;
}

/** Addresses may expire on a slow connection; if the third does, a further one would not help. */
const ADDRESSES = 3;

interface Described {
	readonly voice: StoredVoice;
	/** Null: no upload address; the entry has the reason. */
	readonly to: UploadDescriptor | null;
}

export function createSampleUpload({
	clock,
	log,
	removeRecording,
	amend,
	showUpload,
}: {
	readonly clock: Clock;
	readonly log: Logger;
	readonly removeRecording: (path: string) => Promise<void>;
	/** Writes fields of an entry; null if the entry no longer exists. */
	readonly amend: (handle: string, fields: Partial<StoredVoice>) => Promise<StoredVoice | null>;
	readonly showUpload: (handle: string, progress: UploadProgress | null) => void;
}) {
	async function describe(voice: StoredVoice, work: Work): Promise<Result<Described, Problem>> {
		const itemId = randomUUID();
		const request = cloneRequestOf(voice, voice.sample, itemId);
		if (!request) return err({ kind: 'bug', where: 'voices: description not checked' });
		const cloned = await work.account.clone(request, work.signal);
		if (!cloned.ok) {
			const { made, problem } = cloned.error;
			if (made === 'no') return err(problem);
			log.warn('voice described, no usable answer', { kind: problem.kind });
			return stopped(voice, { kind: 'voice-uncertain' });
		}
		const record = cloned.value;
		log.info('voice described', { status: record.status });
		const known = { voiceId: record.voiceId, warnings: [...record.warnings], errors: [...record.errors] };
		const to = descriptorFor(record, itemId);
		if (work.signal.aborted) return stopped(voice, endedBy(work), known);
		if (!to) return stopped(voice, { kind: 'unexpected-answer', what: 'clone-voice: no upload' }, known);
		const amended = await amend(voice.handle, known);
		return amended ? ok({ voice: amended, to }) : err({ kind: 'not-found', what: 'voice' });
	}

	async function stopped(
		voice: StoredVoice,
		problem: Problem,
		fields: Partial<StoredVoice> = {},
	): Promise<Result<Described, Problem>> {
		const amended = await amend(voice.handle, { ...fields, status: 'created', problem, owner: null });
		return amended ? ok({ voice: amended, to: null }) : err({ kind: 'not-found', what: 'voice' });
	}

	async function send(
		described: StoredVoice,
		first: UploadDescriptor,
		work: Work,
	): Promise<StoredVoice | null> {
		let voice = await amend(described.handle, { status: 'uploading' });
		let to = first;
		for (let address = 1; voice !== null; address += 1) {
			const uploaded = await uploadTo(voice, to, work);
			if (uploaded.ok) return arrived(voice);
			if (uploaded.error.kind !== 'upload-expired' || address >= ADDRESSES || work.signal.aborted) {
				const problem = uploaded.error.kind === 'cancelled' ? endedBy(work) : uploaded.error;
				await stopped(voice, problem);
				return null;
			}
			log.info('upload address expired, asking for another');
			await amend(voice.handle, { renewed: true });
			const again = await describe(voice, work);
			if (!again.ok) await stopped(voice, again.error);
			if (!again.ok || again.value.to === null) return null;
			to = again.value.to;
			voice = again.value.voice;
		}
		return null;
	}

	function uploadTo(voice: StoredVoice, to: UploadDescriptor, work: Work): Promise<Result<void, Problem>> {
		const { path, name, bytes, modifiedMs, mimeType } = voice.sample;
		const reason = 'it is not there any more';
		if (path === null) return Promise.resolve(err({ kind: 'file-unreadable', file: name, reason }));
		const at = createProgress(bytes, clock);
		const file = { path, name, bytes, modifiedMs, mimeType, filename: filenameOf(voice.sample) };
		const progress = (sentBytes: number) => showUpload(voice.handle, at(sentBytes));
		return work.account.upload(to, { file, progress, signal: work.signal });
	}

	async function arrived(voice: StoredVoice): Promise<StoredVoice | null> {
		log.info('voice sample sent', { bytes: voice.sample.bytes });
		showUpload(voice.handle, null);
		const { sample } = voice;
		const kept = sample.recorded ? { ...sample, path: null } : sample;
		const amended = await amend(voice.handle, {
			status: 'pending',
			sentAt: clock.wall(),
			problem: null,
			owner: null,
			sample: kept,
		});
		// Remove it only after the entry no longer needs it: after a crash in between, a clean-up removes it.
		if (amended && sample.recorded && sample.path !== null) await removeRecording(sample.path);
		return amended;
	}

	return {
		/** After a problem nothing exists at the service. Otherwise writes the outcome into the entry. */
		describe,
		/** The entry if its sample exists; otherwise null, with the reason in the entry. */
		send,
	};
}

function endedBy(work: Work): Problem {
	return work.reason() ?? { kind: 'voice-interrupted', stage: 'upload' };
}

/** Finds the descriptor by its id; a service that assigns none may leave it out if there is only one. */
function descriptorFor({ uploads }: VoiceRecord, itemId: string): UploadDescriptor | null {
	const [only] = uploads;
	const named = uploads.find((upload) => upload.itemId === itemId);
	return named ?? (uploads.length === 1 && only?.itemId === '' ? only : null);
}
