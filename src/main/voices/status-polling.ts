import type { VoiceAccount } from '#main/service/voice-client.ts';
import { type Clock, pause } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem, ProblemKind } from '#shared/problem.ts';
import type { VoiceRecord } from '#shared/protocol/cloned-voice-record.ts';
import type { StoredVoice } from './voices-file.ts';

/** When the service is asked about a voice again (protocol 7.2: 2 s, backing off to 30 s; after 15 min "check later"). */
const FIRST_MS = 2000;
const GROWTH = 1.5;
const LONGEST_MS = 30_000;
export const LONG_MS = 15 * 60_000;
/** The interval later on, while the program runs; from a day after the upload we ask only once by ourselves. */
const LATER_MS = 5 * 60_000;
const GIVE_UP_MS = 24 * 3_600_000;

/**
 * Ms until question number `asked` (0 = the first), `sinceSentMs` after the upload; null = no more. The first
 * is always due soon, because a new run of the program or a user's retry starts with it. Varied by a fifth
 * either way, so that many clients do not ask at once.
 */
export function nextQuestionMs(asked: number, sinceSentMs: number, random: () => number): number | null {
	if (asked > 0 && sinceSentMs >= GIVE_UP_MS) return null;
	const isLate = asked > 0 && sinceSentMs >= LONG_MS;
	const plain = isLate ? LATER_MS : Math.min(LONGEST_MS, FIRST_MS * GROWTH ** asked);
	return Math.round(plain * (0.8 + 0.4 * random()));
}

export interface Work {
	readonly signal: AbortSignal;
	/** Why it was ended; null = the program ends or the account changes, and the work will be resumed. */
	readonly reason: () => Problem | null;
	readonly account: VoiceAccount;
}

/** "Not found" counts only after this many answers: a new voice may not be known everywhere at once. */
const ABSENT_BEFORE_BELIEVED = 5;
/** Problems that a retry does not solve; the user must act. */
const HOPELESS: ReadonlySet<ProblemKind> = new Set<ProblemKind>([
	'api-key-missing',
	'api-key-rejected',
	'key-characters',
	'voice-token-rejected',
	'forbidden',
	'no-credit',
	'address-refused',
	'port-refused',
]);

/** Asks the service about voices whose sample it has. */
export function createStatusPolling(parts: {
	readonly clock: Clock;
	readonly random: () => number;
	readonly log: Logger;
	readonly amend: (handle: string, fields: Partial<StoredVoice>) => Promise<StoredVoice | null>;
	readonly changed: () => void;
	readonly finished: (voice: StoredVoice) => void;
}) {
	const { clock, amend } = parts;
	const isFinal = ({ status }: StoredVoice) => status === 'ready' || status === 'failed';
	const sinceSentMs = ({ sentAt }: StoredVoice) => Math.max(0, clock.wall() - (sentAt ?? clock.wall()));

	async function ask(voice: StoredVoice, work: Work): Promise<Result<StoredVoice, Problem>> {
		if (voice.voiceId === null) return err({ kind: 'not-found', what: 'voice' });
		const read = await work.account.read(voice.voiceId, work.signal);
		if (!read.ok) return read;
		const fields = recordedFields(read.value, voice);
		if (isSame(voice, fields)) return ok(voice);
		const amended = await amend(voice.handle, fields);
		if (!amended) return err({ kind: 'not-found', what: 'voice' });
		if (isFinal(amended) && !isFinal(voice)) {
			parts.log.info('voice finished', { status: amended.status });
			parts.finished(amended);
		}
		return ok(amended);
	}

	async function follow(begun: StoredVoice, work: Work): Promise<void> {
		let voice: StoredVoice | null = begun;
		let absent = 0;
		for (let asked = 0; voice !== null && !isFinal(voice); asked += 1) {
			const wasLong = sinceSentMs(voice) >= LONG_MS;
			const delayMs = nextQuestionMs(asked, sinceSentMs(voice), parts.random);
			if (delayMs === null || !(await pause(clock, delayMs, work.signal))) return;
			if (!wasLong && sinceSentMs(voice) >= LONG_MS) parts.changed();
			const answer = await ask(voice, work);
			if (work.signal.aborted) return;
			absent = !answer.ok && answer.error.kind === 'not-found' ? absent + 1 : 0;
			voice = answer.ok ? answer.value : await failed(voice, answer.error, absent);
		}
	}

	/** The entry to continue with, or null if continuing is useless. */
	async function failed(voice: StoredVoice, problem: Problem, absent: number): Promise<StoredVoice | null> {
		const isOver = HOPELESS.has(problem.kind) || absent >= ABSENT_BEFORE_BELIEVED;
		// One "not found" proves nothing yet; show any other problem and keep polling.
		const isShown = isOver || absent === 0;
		if (!isShown || voice.problem?.kind === problem.kind) return isOver ? null : voice;
		const amended = await amend(voice.handle, { problem });
		return isOver ? null : amended;
	}

	async function arrived(voice: StoredVoice, work: Work): Promise<StoredVoice | null> {
		if (voice.voiceId === null) return null;
		const read = await work.account.read(voice.voiceId, work.signal);
		// `created` is the state before the sample; an unknown word proves nothing.
		if (!read.ok || read.value.status === 'created' || read.value.status === 'unknown') return null;
		const noted = { ...voice, sentAt: clock.wall() };
		const amended = await amend(voice.handle, {
			...recordedFields(read.value, noted),
			sentAt: noted.sentAt,
			owner: null,
		});
		if (amended && isFinal(amended)) parts.finished(amended);
		return amended;
	}

	return {
		/** Follows a voice until it is final, given up, ended or forgotten. Never rejects. */
		follow,
		/** Requests the status once and writes the answer into the entry. */
		ask,
		/** The entry if the service has the sample although that was never recorded; else null. */
		arrived,
		isFinal,
	};
}

/** The fields of an entry that a record updates. `created` after the upload only means that the service lags. */
export function recordedFields(record: VoiceRecord, voice: StoredVoice): Partial<StoredVoice> {
	const isSent = voice.sentAt !== null;
	const status = record.status === 'created' && isSent ? 'pending' : record.status;
	return {
		status,
		warnings: [...record.warnings],
		errors: [...record.errors],
		// An upload stopped before its sample arrived stays stopped, whatever the service's record is.
		...(isSent || status === 'ready' ? { problem: null } : {}),
		// The user's file is not needed once there is a voice.
		...(status === 'ready' ? { sample: { ...voice.sample, path: null } } : {}),
	};
}

function isSame(voice: StoredVoice, fields: Partial<StoredVoice>): boolean {
	return JSON.stringify({ ...voice, ...fields }) === JSON.stringify(voice);
}
