import { randomUUID } from 'node:crypto';
import type { VoiceAccount, VoiceClient } from '#main/service/voice-client.ts';
import type { Input, Output } from '#shared/host/contract.ts';
import type { VoiceEntry, VoiceList, VoiceSample, voiceRequests } from '#shared/host/voices.ts';
import { type Clock, pause } from '#shared/lib/clock.ts';
import { createListeners } from '#shared/lib/listeners.ts';
import type { Logger } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { VOICE } from '#shared/protocol/vocabulary.ts';
import { checkVoiceDraft, emptyDraft, tidyName } from '#shared/voices/draft.ts';
import { type Cloning, createCloning } from './cloning.ts';
import {
	createSampleRecordings,
	type MediaLength,
	readSample,
	type SampleFile,
	type SampleRecordings,
} from './samples.ts';
import { LONG_MS } from './status-polling.ts';
import { amendedVoice, type StoredVoice, type VoicesFile, withoutVoice } from './voices-file.ts';

type Name = keyof typeof voiceRequests;
type Answer<N extends Name> = [Output<N>] extends [undefined]
	? Result<void, Problem>
	: Result<Output<N>, Problem>;

/** One call for each request of the contract. */
export type VoiceAnswers = { readonly [N in Name]: (input: Input<N>) => Promise<Answer<N>> };

/** More samples than anybody chooses for one voice. */
const MOST = 20;

const unknownVoice = err<Problem>({ kind: 'not-found', what: 'voice' });
/** Wait for the service at the end: shorter than the program's (lifecycle.ts), or samples would be left over. */
const CLOSE_MS = 1500;
const CANCELLED: Problem = { kind: 'cancelled' };
const INTERRUPTED: Problem = { kind: 'voice-interrupted', stage: 'upload' };

/** True if the voice's status may still change. */
function isOpen({ status, problem }: StoredVoice): boolean {
	return status !== 'ready' && status !== 'failed' && problem === null;
}

export type ClonedVoices = ReturnType<typeof createClonedVoices>;

export function createClonedVoices(parts: {
	readonly register: VoicesFile;
	readonly api: VoiceClient;
	readonly clock: Clock;
	readonly random: () => number;
	readonly log: Logger;
	/** The folder for recordings that wait to be sent. */
	readonly folder: string;
	readonly lengthOf: MediaLength;
	/** True if the current service ends with this program. */
	readonly isPassing: () => boolean;
	/** Resolves when the service can be asked; waits for one that is starting. */
	readonly ready: () => Promise<Result<void, Problem>>;
	/** The system's dialog; null when the user closed it. */
	readonly chooseFile: () => Promise<string | null>;
	/** Called when a voice became ready or failed while we followed it. */
	readonly finished: (voice: VoiceEntry) => void;
}) {
	const { register, api, clock } = parts;
	const listeners = createListeners<[list: VoiceList]>();
	const recordings = createSampleRecordings(parts.folder, parts.lengthOf, parts.log);
	const samples = createSamples(recordings);
	let known: readonly StoredVoice[] = [];
	let account: string | null = null;
	/** The account whose voices are worked on; `account` may be newer, because a list was requested. */
	let workedOn: string | null = null;
	let trouble: Problem | null = null;
	let revision = 0;
	let reading: Promise<void> | null = null;
	let told: Promise<void> = Promise.resolve();
	let isTidy = false;
	let isClosed = false;

	const cloning = createCloning({
		...parts,
		removeRecording: recordings.remove,
		changed() {
			if (!isClosed) void tell();
		},
		finished: (voice) => parts.finished(view(voice)),
	});

	const isElsewhere = ({ owner }: StoredVoice) =>
		owner !== null && owner !== register.owner && register.isInUse(owner);
	const view = (voice: StoredVoice) => viewOf(voice, { cloning, isElsewhere, now: clock.wall() });

	function list(): VoiceList {
		const own = known.filter((voice) => voice.account === account);
		const newestFirst = [...own].sort((one, other) => other.madeAt - one.madeAt);
		const keptAs = register.brokenFile();
		return {
			revision,
			voices: newestFirst.map(view),
			builtIn: [VOICE.low, VOICE.high],
			credential: api.credential(),
			problem: trouble ?? (keptAs === null ? null : { kind: 'voices-unreadable', keptAs }),
		};
	}

	/** Reads the register and the current account. */
	async function read(): Promise<VoiceAccount | null> {
		const [voices, salt] = [await register.read(), await register.salt()];
		trouble = voices.ok ? null : voices.error;
		if (voices.ok) known = voices.value;
		const inForce = api.account();
		account = inForce.ok && salt.ok ? inForce.value.hash(salt.value) : null;
		return inForce.ok ? inForce.value : null;
	}

	/** Reads and announces many simultaneous changes once. */
	function tell(): Promise<void> {
		if (reading) return reading;
		told = (async () => {
			await null;
			reading = null;
			await read();
			revision += 1;
			const now = list();
			listeners.tell(now);
		})();
		reading = told;
		return told;
	}

	async function find(handle: string): Promise<StoredVoice | null> {
		await read();
		return known.find((voice) => voice.handle === handle && voice.account === account) ?? null;
	}

	/** Runs `run` on a voice of the current account, if the service can be asked. */
	async function withVoice(
		handle: string,
		run: (voice: StoredVoice) => Promise<Result<StoredVoice, Problem>>,
	): Promise<Result<VoiceEntry, Problem>> {
		const ready = await parts.ready();
		if (!ready.ok) return ready;
		const voice = await find(handle);
		if (!voice) return unknownVoice;
		const done = await run(voice);
		return done.ok ? ok(view(done.value)) : done;
	}

	/** Removes what no entry needs: recordings of an earlier run, voices of a service that has ended. */
	async function tidy(): Promise<void> {
		const isOver = (voice: StoredVoice) => voice.passing && voice.account !== account && !isElsewhere(voice);
		if (known.some(isOver)) {
			const left = await register.change((voices) => voices.filter((voice) => !isOver(voice)));
			if (left.ok) known = left.value;
		}
		if (isTidy || trouble) return;
		isTidy = true;
		await recordings.tidy(new Set(known.flatMap(({ sample }) => sample.path ?? [])));
	}

	const answers: VoiceAnswers = {
		async 'voice.list'() {
			await read();
			return ok(list());
		},
		async 'voice.choose-file'() {
			const path = await parts.chooseFile();
			if (path === null) return ok(null);
			const file = await readSample({ path, recorded: false, lengthOf: parts.lengthOf });
			return file.ok ? ok(samples.add(file.value)) : file;
		},
		async 'voice.begin-recording'({ name }) {
			const begun = await recordings.begin(name);
			return begun.ok ? ok({ recording: begun.value }) : begun;
		},
		async 'voice.append-recording'({ recording, at, base64 }) {
			return recordings.append(recording, at, Buffer.from(base64, 'base64'));
		},
		async 'voice.end-recording'({ recording }) {
			const file = await recordings.end(recording);
			return file.ok ? ok(samples.add(file.value)) : file;
		},
		'voice.discard-sample': async ({ sample }) => ok(await samples.discard(sample)),
		async 'voice.make'({ draft, sample }) {
			const fields = checkVoiceDraft(draft, samples.find(sample));
			if (fields.length > 0) return err({ kind: 'voice-invalid', fields: [...fields] });
			const ready = await parts.ready();
			if (!ready.ok) return ready;
			const file = samples.take(sample);
			if (!file) return err({ kind: 'voice-invalid', fields: [...checkVoiceDraft(draft, null)] });
			const begun = await cloning.begin(draft, file, clock.wall());
			if (begun.ok) return ok(view(begun.value));
			samples.giveBack(sample, file);
			return begun;
		},
		async 'voice.cancel'({ handle }) {
			if (!(await find(handle))) return unknownVoice;
			await cloning.cancel(handle, CANCELLED);
			// If only the polling ended, do not resume it automatically.
			await register.change((all) =>
				all.map((one) => (one.handle === handle && isOpen(one) ? { ...one, problem: CANCELLED } : one)),
			);
			await tell();
			const voice = await find(handle);
			return voice ? ok(view(voice)) : unknownVoice;
		},
		'voice.retry': ({ handle }) =>
			withVoice(handle, async (voice) => (view(voice).canRetry ? cloning.again(voice) : ok(voice))),
		async 'voice.rename'({ handle, name }) {
			const wrong = checkVoiceDraft({ ...emptyDraft, name }, null).filter(({ field }) => field === 'name');
			if (wrong.length > 0) return err({ kind: 'voice-invalid', fields: wrong });
			if (!(await find(handle))) return unknownVoice;
			const written = await register.change((all) => amendedVoice(all, handle, { name: tidyName(name) }));
			if (!written.ok) return written;
			await tell();
			const voice = known.find((one) => one.handle === handle);
			return voice ? ok(view(voice)) : unknownVoice;
		},
		async 'voice.forget'({ handle, atService }) {
			const voice = await find(handle);
			if (!voice) return ok();
			// An upload stops at once; a voice that was sent is followed until it is deleted.
			if (voice.sentAt === null) await cloning.cancel(handle, CANCELLED);
			if (atService && voice.voiceId !== null) {
				const inForce = api.account();
				if (!inForce.ok) return inForce;
				const removed = await inForce.value.remove(voice.voiceId);
				if (!removed.ok) return removed;
			}
			const written = await register.change((all) => withoutVoice(all, handle));
			if (!written.ok) return written;
			await cloning.cancel(handle, CANCELLED);
			if (voice.sample.recorded && voice.sample.path !== null) await recordings.remove(voice.sample.path);
			await tell();
			return ok();
		},
		'voice.refresh': ({ handle }) => withVoice(handle, cloning.refresh),
	};

	return {
		answers,
		listen: listeners.listen,
		/** The account may have changed: shows its voices and resumes unfinished work. */
		async accountChanged(): Promise<void> {
			if (isClosed) return;
			const inForce = await read();
			const mine = account;
			const isOther = account !== workedOn;
			workedOn = account;
			if (isOther) await cloning.stopAll({ kind: 'account-changed' });
			await tidy();
			// Another account may be active now; its own change continues the work.
			if (inForce && !isClosed && account === mine) {
				const own = known.filter((voice) => voice.account === account);
				await cloning.resume(inForce, own);
			}
			await tell();
		},
		/** Call when the page was closed: erases its samples. Work already started continues. */
		pageGone: samples.discardAll,
		/** Ends all work; samples that were not sent can be sent next time. */
		async close(): Promise<void> {
			isClosed = true;
			// A description under way is not cut off, but the program does not wait for its answer.
			const limit = new AbortController();
			const stopped = cloning.stopAll(INTERRUPTED).then(() => limit.abort());
			await Promise.race([stopped, pause(clock, CLOSE_MS, limit.signal)]);
			await samples.discardAll();
			// Otherwise `tell` would still read, and so lock, the files that are being closed.
			await told;
			register.close();
		},
	};
}

/** Samples from which the window may make a voice, under opaque names. */
function createSamples(recordings: Pick<SampleRecordings, 'remove' | 'discard'>) {
	const held = new Map<string, SampleFile>();

	async function discard(sample: string): Promise<void> {
		const file = held.get(sample);
		held.delete(sample);
		if (file?.recorded) await recordings.remove(file.path);
	}

	return {
		add(file: SampleFile): VoiceSample {
			const [oldest] = held.keys();
			if (held.size >= MOST && oldest !== undefined) void discard(oldest);
			const sample = randomUUID();
			held.set(sample, file);
			const { name, bytes, mimeType, durationMs } = file;
			return { sample, name, bytes, mimeType, durationMs };
		},
		find: (sample: string): SampleFile | null => held.get(sample) ?? null,
		/** Takes a sample for a voice: afterwards it is not erased here, and cannot be used twice. */
		take(sample: string): SampleFile | null {
			const file = held.get(sample) ?? null;
			held.delete(sample);
			return file;
		},
		/** Takes a sample back if no voice was made from it. */
		giveBack: (sample: string, file: SampleFile): void => void held.set(sample, file),
		async discard(sample: string): Promise<void> {
			await recordings.discard(sample);
			await discard(sample);
		},
		/** The page was closed: erases the samples and forgets their names. */
		async discardAll(): Promise<void> {
			await recordings.discard(null);
			for (const sample of [...held.keys()]) await discard(sample);
		},
	};
}

/** An entry as the window may see it: without the path of its sample. */
export function viewOf(
	voice: StoredVoice,
	{
		cloning,
		isElsewhere,
		now,
	}: {
		readonly cloning: Pick<Cloning, 'isActive' | 'progress'>;
		/** True if another running program is working on it. */
		readonly isElsewhere: (voice: StoredVoice) => boolean;
		/** Unix ms of this computer. */
		readonly now: number;
	},
): VoiceEntry {
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

/** True if a retry is possible: a sent voice can be polled; one that was not sent, or failed, needs its sample. */
function canRetry({ status, sentAt, sample }: StoredVoice): boolean {
	if (status === 'ready') return false;
	return (sentAt !== null && status !== 'failed') || sample.path !== null;
}
