import { declined, type ServiceContext, unaskable } from '#main/cli/context.ts';
import type { Line } from '#main/cli/line.ts';
import { isoTime, localTime, table, timeLeft } from '#main/cli/output.ts';
import { wordsOf } from '#main/cli/problems.ts';
import type { SessionAccount } from '#main/service/session-client.ts';
import { type MarkedSession, markedSessions, noteExpiry } from '#main/sessions/account-sessions.ts';
import { createRecorded } from '#main/sessions/create-session.ts';
import { amended, sessionLabel, withoutEntry } from '#main/sessions/ledger.ts';
import type { SessionOwner } from '#main/sessions/session-owner.ts';
import { type SweepReport, sweepLedger } from '#main/sessions/sweep.ts';
import { EXIT, type ExitStatus, exitStatusOf } from '#shared/exit-status.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';

const ownerWords: Readonly<Record<SessionOwner, string>> = {
	'this-conversation': 'this computer',
	'this-app': 'this computer',
	'this-computer': 'this computer',
	'probably-ours': 'probably ours',
	foreign: 'foreign',
	unknown: 'unknown: the ledger cannot be read',
};

export async function listSessions(context: ServiceContext): Promise<ExitStatus> {
	const { sessions: client, ledger, output, signal } = context;
	const account = client.account();
	if (!account.ok) return context.output.problem(account.error);
	const marked = await markedSessions(account.value, ledger, new Map(), signal);
	if (!marked.ok) return context.output.problem(marked.error);
	const { sessions, complete } = marked.value;
	const now = account.value.serverNow();
	const head = ['SESSION', 'WHOSE', 'CREATED', 'UPDATED', 'EXPIRES', 'LEFT'];
	const rows = sessions.map((session) => [
		sessionLabel(session.id),
		ownerWords[session.owner],
		localTime(session.createdAt),
		localTime(session.updatedAt),
		localTime(session.expiresAt),
		timeLeft(session.expiresAt, now),
	]);
	const lines = rows.length === 0 ? ['No open sessions.'] : table([head, ...rows]);
	output.result({ sessions: sessions.map(documentOf), complete }, lines);
	if (!complete) output.note("The service's list is too long to be shown in full.");
	return EXIT.done;
}

export async function showSession(context: ServiceContext, line: Line): Promise<ExitStatus> {
	const found = await find(context, line.argument);
	if (!found.ok) return context.output.problem(found.error);
	const { account, session } = found.value;
	const lines = table([
		['session', sessionLabel(session.id)],
		['id', session.id],
		['whose', ownerWords[session.owner]],
		['created', localTime(session.createdAt)],
		['updated', localTime(session.updatedAt)],
		['expires', `${localTime(session.expiresAt)} (${timeLeft(session.expiresAt, account.serverNow())})`],
	]);
	context.output.result(documentOf(session), lines);
	return EXIT.done;
}

/** Prints the publisher token. The session is the user's once the ledger says so; if anything fails before that, it is deleted. */
export async function createSession(context: ServiceContext): Promise<ExitStatus> {
	const { sessions: client, ledger, clock, terminal, output, signal } = context;
	const account = client.account();
	if (!account.ok) return context.output.problem(account.error);
	const created = await createRecorded({ account: account.value, ledger, clock, signal });
	if (!created.ok) {
		const { toRemove, problem } = created.error;
		if (toRemove) await removeAndForget(context, account.value, toRemove.id);
		return context.output.problem(created.error.created === 'no' ? problem : { kind: 'session-uncertain' });
	}
	const { intent, session } = created.value;
	const read = await account.value.read(session.id, signal);
	if (signal.aborted) {
		await removeAndForget(context, account.value, session.id);
		return output.problem({ kind: 'cancelled' });
	}
	const expiresAt = read.ok ? read.value.expiresAt : null;
	const { id, webrtcUrl, publisher } = session;
	output.result(
		{ id, label: sessionLabel(id), webrtc_url: webrtcUrl, publisher, expires_at: isoTime(expiresAt) },
		table([
			['session', sessionLabel(id)],
			['id', id],
			['webrtc_url', webrtcUrl],
			['publisher', publisher],
			['expires', `${localTime(expiresAt)} (${timeLeft(expiresAt, account.value.serverNow())})`],
		]),
	);
	// The output could not be written, so nobody has the token; `index.ts` reports why.
	if ((await terminal.outTaken?.()) === false) {
		await removeAndForget(context, account.value, session.id);
		return EXIT.failed;
	}
	const handedOver = await ledger.change((all) => amended(all, intent, { state: 'handed-over' }));
	if (!handedOver.ok) {
		await removeAndForget(context, account.value, session.id);
		// Only a note, because the document is already printed.
		output.note(wordsOf(handedOver.error));
		return exitStatusOf(handedOver.error);
	}
	output.note('This session is yours: it stays open until you delete it or it expires.');
	return EXIT.done;
}

export async function extendSession(context: ServiceContext, line: Line): Promise<ExitStatus> {
	const ttl = line.text('ttl');
	if (!/^[1-9]\d{0,8}$/.test(ttl)) return context.output.usage('--ttl must be a whole number of seconds.');
	const found = await find(context, line.argument);
	if (!found.ok) return context.output.problem(found.error);
	const { account, session } = found.value;
	const extended = await account.extend(session.id, Number(ttl), context.signal);
	if (!extended.ok) return context.output.problem(extended.error);
	const read = await account.read(session.id, context.signal);
	const expiresAt = read.ok ? read.value.expiresAt : null;
	await noteExpiry(context.ledger, session.id, expiresAt);
	const left = timeLeft(expiresAt, account.serverNow());
	const said = `Session ${sessionLabel(session.id)} expires ${localTime(expiresAt)} (${left}).`;
	context.output.result(documentOf({ ...session, expiresAt }), [said]);
	return EXIT.done;
}

export async function deleteSession(context: ServiceContext, line: Line): Promise<ExitStatus> {
	const refused = unaskable(context, line);
	if (refused !== null) return refused;
	const found = await find(context, line.argument);
	if (!found.ok) return context.output.problem(found.error);
	const { account, session } = found.value;
	const label = sessionLabel(session.id);
	const question = `Delete session ${label} (${ownerWords[session.owner]}, made ${localTime(session.createdAt)})?`;
	const kept = await declined(context, line, question);
	if (kept !== null) return kept;
	const removed = await removeAndForget(context, account, session.id);
	if (!removed.ok) return context.output.problem(removed.error);
	context.output.result({ id: session.id, label, deleted: true }, [`Session ${label} is deleted.`]);
	return EXIT.done;
}

export async function pruneSessions(context: ServiceContext): Promise<ExitStatus> {
	const { sessions: client, ledger, clock, log, output, signal } = context;
	const account = client.account();
	if (!account.ok) return context.output.problem(account.error);
	const swept = await sweepLedger({ account: account.value, ledger, wall: clock.wall, log, signal });
	if (!swept.ok) return context.output.problem(swept.error);
	const report = swept.value;
	const failure = report.problem?.kind === 'cancelled' ? null : report.problem;
	if (!output.json || !failure) output.result(pruneDocument(report), pruneLines(report));
	if (report.brokenLedger) {
		output.note(`The ledger could not be read in full and was set aside as ${report.brokenLedger}.`);
		output.note('Sessions in it may still be open: see "sessions list".');
	}
	if (failure) return output.problem(failure, pruneDocument(report));
	if (report.problem) return EXIT.interrupted;
	return report.brokenLedger ? EXIT.failed : EXIT.done;
}

function pruneDocument(report: SweepReport): object {
	const { deleted, absent, failed, outdated, uncertain } = report;
	const kept = { in_use: report.inUse, handed_over: report.handedOver, other_accounts: report.otherAccounts };
	return {
		deleted,
		already_gone: absent,
		failed,
		kept,
		outdated,
		uncertain,
		broken_ledger: report.brokenLedger,
	};
}

function pruneLines(report: SweepReport): readonly string[] {
	const counted: readonly (readonly [number, string])[] = [
		[report.deleted, 'deleted'],
		[report.absent, 'already gone'],
		[report.failed, 'could not be deleted, kept in the ledger'],
		[report.inUse, 'in use by a running program, kept'],
		[report.handedOver, 'handed to you by "sessions create", kept'],
		[report.otherAccounts, 'of another service or key, kept'],
		[report.outdated, 'of another service or key, expired long ago, removed from the list'],
		[report.uncertain, 'perhaps made by us: an answer was lost, "sessions list" shows it as probably ours'],
	];
	const lines = counted.filter(([count]) => count > 0).map(([count, words]) => `${count} ${words}`);
	return lines.length === 0 ? ['Nothing to do: the ledger is empty.'] : lines;
}

interface Found {
	readonly account: SessionAccount;
	readonly session: MarkedSession;
}

/** Finds a session by the service's id, or by the short name that the list shows. */
async function find(context: ServiceContext, name: string): Promise<Result<Found, Problem>> {
	const { sessions: client, ledger, signal } = context;
	const account = client.account();
	if (!account.ok) return account;
	const marked = await markedSessions(account.value, ledger, new Map(), signal);
	if (!marked.ok) return marked;
	const listed = marked.value.sessions.find(({ id }) => id === name || sessionLabel(id) === name);
	if (listed) return ok({ account: account.value, session: listed });
	// Ask for this one directly: the list may be incomplete, or may not show a new session yet.
	const read = await account.value.read(name, signal);
	if (read.ok) return ok({ account: account.value, session: { ...read.value, owner: 'foreign' } });
	return read.error.kind === 'not-found' ? err({ kind: 'not-found', what: 'session', name }) : read;
}

async function removeAndForget(
	{ ledger }: ServiceContext,
	account: SessionAccount,
	id: string,
): Promise<Result<'deleted' | 'absent', Problem>> {
	const removed = await account.remove(id);
	const entries = await ledger.read();
	const entry = entries.ok ? entries.value.find((one) => one.id === id) : undefined;
	if (entry && removed.ok) await ledger.change((all) => withoutEntry(all, entry.intent));
	return removed;
}

function documentOf(session: MarkedSession): unknown {
	return {
		id: session.id,
		label: sessionLabel(session.id),
		owner: session.owner,
		created_at: isoTime(session.createdAt),
		updated_at: isoTime(session.updatedAt),
		expires_at: isoTime(session.expiresAt),
	};
}
