import { randomUUID } from 'node:crypto';
import type { CreateFailure, OpenedSession, SessionAccount } from '#main/service/session-client.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { markedSessions } from './account-sessions.ts';
import type { HeldSession } from './held-session.ts';
import { amended, type Ledger, type LedgerEntry, withEntry, withoutEntry } from './ledger.ts';
import type { Sweeper, SweepReport } from './sweep.ts';

interface RecordedSession {
	readonly intent: string;
	readonly session: OpenedSession;
}

export interface RecordedFailure {
	readonly problem: Problem;
	/** Like `CreateFailure.created`: might a session exist whose id we do not know? */
	readonly created: CreateFailure['created'];
	/** The ledger entry for such a session; null without one. */
	readonly lostIntent: string | null;
	/** A session that exists and is in the ledger, but cannot be used and must be deleted. */
	readonly toRemove: { readonly intent: string; readonly id: string } | null;
}

interface RecordedCreateParts {
	readonly account: SessionAccount;
	readonly ledger: Ledger;
	readonly clock: Clock;
	/** Ends waiting; a create call under way is still awaited. */
	readonly signal?: AbortSignal | undefined;
}

/**
 * Creates a session so that none is lost: the intent is in the ledger before the call, the id before its first use.
 * If either cannot be written, no session is opened.
 */
export async function createRecorded(
	parts: RecordedCreateParts,
): Promise<Result<RecordedSession, RecordedFailure>> {
	const { account, ledger, signal } = parts;
	const salt = await ledger.salt();
	if (!salt.ok) return err(nothing(salt.error));
	const intent = newIntent(parts, account.hash(salt.value));
	const recorded = await ledger.change((entries) => withEntry(entries, intent));
	if (!recorded.ok) return err(nothing(recorded.error));
	const created = await account.create(signal);
	return created.ok
		? await keepId(parts, intent.intent, created.value)
		: await keepFailure(parts, intent.intent, created.error);
}

async function keepId(
	{ account, ledger }: RecordedCreateParts,
	intent: string,
	session: OpenedSession,
): Promise<Result<RecordedSession, RecordedFailure>> {
	const refusal = account.checkMediaAddress(session.webrtcUrl);
	const kept = await ledger.change((all) =>
		amended(all, intent, { id: session.id, state: refusal ? 'closing' : 'open' }),
	);
	const problem = refusal ?? (kept.ok ? null : kept.error);
	return problem
		? err({ problem, created: 'no', lostIntent: null, toRemove: { intent, id: session.id } })
		: ok({ intent, session });
}

async function keepFailure(
	{ account, ledger }: RecordedCreateParts,
	intent: string,
	{ problem, created, id }: CreateFailure,
): Promise<Result<RecordedSession, RecordedFailure>> {
	if (id !== null) {
		await ledger.change((all) => amended(all, intent, { id, state: 'closing' }));
		return err({ problem, created: 'no', lostIntent: null, toRemove: { intent, id } });
	}
	const lostAt = account.serverNow();
	// If this write fails, an intent without id remains: it names nothing that could be deleted by mistake.
	await ledger.change((all) =>
		created === 'no' ? withoutEntry(all, intent) : amended(all, intent, { lostAt }),
	);
	return err({ problem, created, lostIntent: created === 'no' ? null : intent, toRemove: null });
}

function newIntent({ account, ledger, clock }: RecordedCreateParts, hash: string): LedgerEntry {
	return {
		intent: randomUUID(),
		account: hash,
		state: 'intent',
		id: null,
		owner: ledger.owner,
		createdWall: Math.round(clock.wall()),
		createdServer: Math.round(account.serverNow()),
		expiresAt: null,
		lostAt: null,
	};
}

function nothing(problem: Problem): RecordedFailure {
	return { problem, created: 'no', lostIntent: null, toRemove: null };
}

interface FailureParts {
	readonly account: SessionAccount;
	readonly ledger: Ledger;
	readonly sweep: () => Promise<Result<SweepReport, Problem>>;
	/** How long ago the create call began, ms. */
	readonly sinceMs: () => number;
	/** True if a session of this program was deleted since. */
	readonly isRoomMade: boolean;
}

/** `again` if a failed opening may be retried at once; otherwise the problem to show. */
export async function nextAfterFailure(
	failure: RecordedFailure,
	parts: FailureParts,
): Promise<'again' | Problem> {
	const { problem } = failure;
	if (failure.created !== 'no') return await afterLostAnswer(failure, parts);
	if (problem.kind === 'session-limit') return await afterLimit(problem, parts);
	if (problem.kind === 'forbidden') return await afterRefusal(problem, parts);
	return problem;
}

/** Limit of a check, ms: a restored connection answers in two seconds; a dead one is checked again. */
const LOOK_MS = 5000;

/** After an unanswered call, checks whether the service is back (faults 13, 43): null, or the problem. */
export async function stillAway(
	account: SessionAccount,
	clock: Pick<Clock, 'after'>,
): Promise<Problem | null> {
	const control = new AbortController();
	const cancel = clock.after(LOOK_MS, () => control.abort());
	try {
		const listed = await account.list(control.signal);
		if (listed.ok) return null;
		switch (listed.error.kind) {
			case 'cancelled':
				return { kind: 'timed-out', what: 'list-sessions', afterMs: LOOK_MS };
			case 'timed-out':
			case 'service-unreachable':
			case 'proxy-refused':
			case 'proxy-login':
			case 'not-the-service':
				return listed.error;
			default:
				// A service is back even if it refuses the list or its answer is unreadable.
				return null;
		}
	} finally {
		cancel();
	}
}

/** Our leftovers may fill the plan's limit (faults 6, 27); ending other sessions is up to the user. */
async function afterLimit(problem: Problem, { sweep, isRoomMade }: FailureParts): Promise<'again' | Problem> {
	if (isRoomMade) return 'again';
	const swept = await sweep();
	return swept.ok && swept.value.deleted > 0 ? 'again' : problem;
}

/** A refusal without a known reason means the session limit if sessions are open (faults 3, 28). */
async function afterRefusal(problem: Problem & { kind: 'forbidden' }, parts: FailureParts): Promise<Problem> {
	const listed = await parts.account.list();
	const isLimit = listed.ok && listed.value.sessions.length > 0;
	return isLimit ? { ...problem, kind: 'session-limit' } : problem;
}

/** Never sends a blind second POST (faults 10, 13): tries again only if the list shows nothing new. */
async function afterLostAnswer(
	{ created, lostIntent }: RecordedFailure,
	{ account, ledger, sinceMs }: FailureParts,
): Promise<'again' | Problem> {
	const uncertain: Problem = { kind: 'session-uncertain' };
	const listed = await account.list();
	if (!listed.ok) return uncertain;
	// Until the service first answered, its time was only guessed; now it is known.
	const began = account.serverNow() - sinceMs();
	const window = { createdServer: began, lostAt: account.serverNow() };
	await ledger.change((all) => amended(all, lostIntent ?? '', window));
	if (created !== 'answered') return uncertain;
	return (await isAnyLost(account, ledger)) ? uncertain : 'again';
}

/** True if a session of ours with an unknown id may be open, or if the service has no list. */
async function isAnyLost(account: SessionAccount, ledger: Ledger): Promise<boolean> {
	const marked = await markedSessions(account, ledger, new Map());
	if (!marked.ok) return true;
	return marked.value.sessions.some(({ owner }) => owner === 'probably-ours' || owner === 'unknown');
}

/** Remembers create calls without a proper answer, so that no other is sent before a check (faults 13). */
export function createLostAnswers(parts: {
	readonly ledger: Ledger;
	readonly sweeper: Sweeper;
	readonly clock: Pick<Clock, 'now' | 'after'>;
}) {
	const { ledger, sweeper, clock } = parts;
	/** The last creation got no answer: check first whether the service is reachable. */
	let isUnanswered = false;
	let inDoubt = false;

	return {
		/** Call before opening a session for a waiting user; returns the problem if a request is pointless. */
		async before(account: SessionAccount): Promise<Problem | null> {
			const away = isUnanswered ? await stillAway(account, clock) : null;
			if (away) return away;
			isUnanswered = false;
			await sweeper.before(account);
			return null;
		},
		/** Like `nextAfterFailure`. `isRoomMade`: a session of this program was deleted since. */
		async after(
			{ account, startedAt }: HeldSession,
			failure: RecordedFailure,
			isRoomMade: boolean,
		): Promise<'again' | Problem> {
			isUnanswered = failure.created === 'unanswered';
			const sinceMs = () => clock.now() - startedAt;
			const asked = { account, ledger, sweep: sweeper.sweep, sinceMs, isRoomMade };
			const verdict = await nextAfterFailure(failure, asked);
			if (verdict !== 'again' && verdict.kind === 'session-uncertain') inDoubt = true;
			return verdict;
		},
		/** Call when a session was opened, which shows that the service works. */
		opened(): void {
			inDoubt = false;
		},
		/** True if, by the service's list, a session may be open that cannot be deleted. */
		async isAnyLeft(account: SessionAccount): Promise<boolean> {
			if (inDoubt) inDoubt = await isAnyLost(account, ledger);
			return inDoubt;
		},
	};
}
