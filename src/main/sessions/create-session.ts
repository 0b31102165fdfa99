import { randomUUID } from 'node:crypto';
import type { CreateFailure, OpenedSession, SessionAccount } from '#main/service/session-client.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { amended, type Ledger, type LedgerEntry, withEntry, withoutEntry } from './ledger.ts';

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
 * Creates a session so that none is lost: the intent is in the ledger before the call, the id before its
 * first use. If the disk refuses either write, no session is opened.
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
