import { randomUUID } from 'node:crypto';
import type { VoiceAccount, VoiceClient } from '#main/service/voice-client.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { tidyName, type VoiceDraft } from '#shared/voices/draft.ts';
import { createSampleUpload, type UploadProgress } from './sample-upload.ts';
import type { SampleFile } from './samples.ts';
import { createStatusPolling, type Work } from './status-polling.ts';
import { amendedVoice, type StoredVoice, type VoicesFile, withoutVoice, withVoice } from './voices-file.ts';

/** How often the shown progress of an upload is updated. */
const SHOW_MS = 250;

/** The result of a task, and the work that continues afterwards. */
interface Begun<Value> {
	readonly value: Value;
	readonly rest?: () => Promise<void>;
}

export type Cloning = ReturnType<typeof createCloning>;

/** Makes voices: describes them, sends their samples, follows them, and keeps the register up to date. */
export function createCloning(parts: {
	readonly register: VoicesFile;
	readonly api: VoiceClient;
	readonly clock: Clock;
	/** [0, 1) */
	readonly random: () => number;
	readonly log: Logger;
	/** True if the current service ends with this program. */
	readonly isPassing: () => boolean;
	/** Removes an unneeded recording; leaves other files alone. */
	readonly removeRecording: (path: string) => Promise<void>;
	/** Called when an entry or its progress changed; not more than a few times a second. */
	readonly changed: () => void;
	/** Called when a voice became ready or failed while we followed it. */
	readonly finished: (voice: StoredVoice) => void;
}) {
	const { register, api, clock } = parts;
	const works = new Map<string, { end: (reason: Problem | null) => void; done: Promise<void> }>();
	const uploads = new Map<string, UploadProgress>();
	let shownAt = Number.NEGATIVE_INFINITY;

	/** Changes an entry; null if it was forgotten meanwhile, or could not be written, which is then logged. */
	async function amend(handle: string, fields: Partial<StoredVoice>): Promise<StoredVoice | null> {
		const written = await register.change((voices) => amendedVoice(voices, handle, fields));
		parts.changed();
		return (written.ok ? written.value.find((voice) => voice.handle === handle) : undefined) ?? null;
	}

	function showUpload(handle: string, progress: UploadProgress | null): void {
		if (progress) uploads.set(handle, progress);
		else uploads.delete(handle);
		if (progress && clock.now() - shownAt < SHOW_MS && progress.sentBytes < progress.totalBytes) return;
		shownAt = clock.now();
		parts.changed();
	}

	const following = createStatusPolling({ ...parts, amend });
	const sending = createSampleUpload({ ...parts, amend, showUpload });

	/** Runs one task for a voice at a time: the previous one has ended when `run` begins. */
	async function start<Value>(
		handle: string,
		account: VoiceAccount,
		run: (work: Work) => Promise<Begun<Value>>,
	): Promise<Value> {
		// In a loop, because another call may have waited for the same task and begun first.
		while (works.has(handle)) await cancel(handle, null);
		const control = new AbortController();
		let reason: Problem | null = null;
		const work: Work = { signal: control.signal, reason: () => reason, account };
		const first = run(work);
		const done = first
			.then(({ rest }) => rest?.())
			.catch((thrown: unknown) => parts.log.error('voice: our own fault', { failure: String(thrown) }))
			.then(() => {
				if (works.get(handle) === entry) works.delete(handle);
				showUpload(handle, null);
			});
		const entry = {
			end(why: Problem | null) {
				reason = why;
				control.abort();
			},
			done,
		};
		works.set(handle, entry);
		return (await first).value;
	}

	async function cancel(handle: string, reason: Problem | null): Promise<void> {
		const work = works.get(handle);
		work?.end(reason);
		await work?.done;
	}

	/** Describes a voice, then sends and follows it. */
	async function describe(voice: StoredVoice, account: VoiceAccount): Promise<Result<StoredVoice, Problem>> {
		return start(voice.handle, account, async (work): Promise<Begun<Result<StoredVoice, Problem>>> => {
			const described = await sending.describe(voice, work);
			if (!described.ok) return { value: described };
			const { to } = described.value;
			const value = ok(described.value.voice);
			if (to === null) return { value };
			return {
				value,
				async rest() {
					const sent = await sending.send(described.value.voice, to, work);
					if (sent) await following.follow(sent, work);
				},
			};
		});
	}

	function follow(voice: StoredVoice, account: VoiceAccount): Promise<void> {
		return start(voice.handle, account, async (work) => ({
			value: undefined,
			rest: () => following.follow(voice, work),
		}));
	}

	return {
		/** Resolves when the description is accepted, or refused (then nothing is kept); uploads in the background. */
		async begin(draft: VoiceDraft, sample: SampleFile, now: number): Promise<Result<StoredVoice, Problem>> {
			const account = api.account();
			if (!account.ok) return account;
			const salt = await register.salt();
			if (!salt.ok) return salt;
			const isPassing = parts.isPassing();
			const voice = newVoice(draft, sample, {
				account: account.value.hash(salt.value),
				isPassing,
				now,
				owner: register.owner,
			});
			const written = await register.change((voices) => withVoice(voices, voice));
			if (!written.ok) return written;
			const described = await describe(voice, account.value);
			if (described.ok) return described;
			await register.change((voices) => withoutVoice(voices, voice.handle));
			parts.changed();
			return described;
		},
		/** Resumes: follows a sample that was sent; describes and sends again one that was not. */
		async again(voice: StoredVoice): Promise<Result<StoredVoice, Problem>> {
			const account = api.account();
			if (!account.ok) return account;
			if (voice.sentAt !== null && voice.status !== 'failed') {
				const cleared = await amend(voice.handle, { problem: null });
				if (!cleared) return gone;
				await follow(cleared, account.value);
				return ok(cleared);
			}
			// Cancel before the entry is reset, because the task being ended still writes into it.
			await cancel(voice.handle, null);
			const fresh = await amend(voice.handle, {
				voiceId: null,
				status: 'created',
				sentAt: null,
				renewed: false,
				problem: null,
				warnings: [],
				errors: [],
				owner: register.owner,
			});
			if (!fresh) return gone;
			const described = await describe(fresh, account.value);
			if (described.ok) return described;
			// The entry existed before this call, so keep it, with the problem.
			const failed = await amend(voice.handle, { problem: described.error, owner: null });
			return failed ? ok(failed) : gone;
		},
		/** Ends all work for the voice and resolves when it has ended. Does nothing if there is none. */
		cancel,
		/** Requests the voice's status once, and polls from there. */
		async refresh(voice: StoredVoice): Promise<Result<StoredVoice, Problem>> {
			const account = api.account();
			if (!account.ok) return account;
			// The voice is being described or sent, so nothing can be newer than our entry.
			if (works.has(voice.handle) && voice.sentAt === null) return ok(voice);
			// The request stops the follower; if it fails, follow again.
			const wasFollowed = works.has(voice.handle);
			return start(voice.handle, account.value, async (work) => {
				const asked = await following.ask(voice, work);
				const known = asked.ok ? asked.value : voice;
				const goesOn = (asked.ok || wasFollowed) && !following.isFinal(known) && known.sentAt !== null;
				// Poll in the same task, so that a task that was ended does not begin to poll.
				return { value: asked, ...(goesOn && { rest: () => following.follow(known, work) }) };
			});
		},
		/** Resumes what an earlier program, or a change of account, left unfinished. */
		async resume(account: VoiceAccount, voices: readonly StoredVoice[]): Promise<void> {
			for (const voice of voices) {
				if (works.has(voice.handle) || following.isFinal(voice)) continue;
				if (voice.owner !== null && voice.owner !== register.owner && register.isInUse(voice.owner)) continue;
				if (voice.problem?.kind === 'cancelled') continue;
				if (voice.sentAt !== null) await follow(voice, account);
				else if (voice.problem === null) await interrupted(voice, account);
			}
		},
		isActive: (handle: string): boolean => works.has(handle),
		progress: (handle: string): UploadProgress | null => uploads.get(handle) ?? null,
		/** Resolves when no work for the voice is running. */
		idle: async (handle: string): Promise<void> => works.get(handle)?.done,
		/** Ends all work. Uploads are marked so that they can be retried. */
		async stopAll(reason: Problem | null): Promise<void> {
			await Promise.all([...works.keys()].map((handle) => cancel(handle, reason)));
		},
	};

	/** The program working on it has exited, perhaps between the end of the upload and recording it. */
	async function interrupted(voice: StoredVoice, account: VoiceAccount): Promise<void> {
		if (voice.voiceId === null) {
			await amend(voice.handle, { problem: { kind: 'voice-interrupted', stage: 'request' }, owner: null });
			return;
		}
		await start(voice.handle, account, async (work) => ({
			value: undefined,
			async rest() {
				const arrived = await following.arrived(voice, work);
				if (arrived) return following.follow(arrived, work);
				const problem: Problem = { kind: 'voice-interrupted', stage: 'upload' };
				if (!work.signal.aborted) await amend(voice.handle, { status: 'created', problem, owner: null });
			},
		}));
	}
}

const gone = err<Problem>({ kind: 'not-found', what: 'voice' });

function newVoice(
	draft: VoiceDraft,
	sample: SampleFile,
	made: {
		readonly account: string;
		readonly isPassing: boolean;
		readonly now: number;
		readonly owner: string;
	},
): StoredVoice {
	const { language, labels, denoise, normalise, skipExternal } = draft;
	return {
		handle: randomUUID(),
		account: made.account,
		voiceId: null,
		name: tidyName(draft.name),
		description: draft.description.trim(),
		language,
		labels,
		attributes: draft.attributes.map((text) => text.trim()),
		denoise,
		normalise,
		skipExternal,
		madeAt: made.now,
		sample,
		consent: { at: made.now, wording: draft.consent },
		status: 'created',
		sentAt: null,
		owner: made.owner,
		passing: made.isPassing,
		renewed: false,
		problem: null,
		warnings: [],
		errors: [],
	};
}
