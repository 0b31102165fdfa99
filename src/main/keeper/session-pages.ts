import { randomUUID } from 'node:crypto';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import type { Use } from './keeper-machine.ts';
import type { Ledger } from './ledger.ts';
import type { SessionAccount, SessionFacts } from './session-api.ts';
import { type MarkedSession, markSessions } from './session-rows.ts';

/** A list that does not end is cut off here (faults 21). */
const MOST_PAGES = 50;
/** Most unfinished readings of the list that are remembered; the oldest is forgotten. */
const MOST_READINGS = 8;

export interface MarkedPage {
	/** Those not on an earlier page. */
	readonly sessions: readonly MarkedSession[];
	/** For `read`: the page after this one; `null` = this was the last. */
	readonly next: string | null;
	/** False when the list did not end and was cut off here. */
	readonly complete: boolean;
}

/** The list of an account, read a page at a time. The service's own page tokens stay here. */
export interface SessionPages {
	/** `after`: the previous page's `next`; `null` begins anew. `not-found` when it is too old. */
	read(
		account: SessionAccount,
		after: string | null,
		usedHere: () => ReadonlyMap<string, Use>,
	): Promise<Result<MarkedPage, Problem>>;
}

interface Reading {
	readonly account: string;
	readonly token: string;
	readonly seenTokens: ReadonlySet<string>;
	readonly sessions: readonly SessionFacts[];
}

export function createSessionPages(ledger: Ledger): SessionPages {
	const readings = new Map<string, Reading>();

	function keep(reading: Reading): string {
		const name = randomUUID();
		readings.set(name, reading);
		const [oldest] = readings.keys();
		if (readings.size > MOST_READINGS && oldest !== undefined) readings.delete(oldest);
		return name;
	}

	return {
		async read(account, after, usedHere) {
			const begun = { account: account.hash(''), token: '', seenTokens: new Set<string>(), sessions: [] };
			const reading: Reading | undefined = after === null ? begun : readings.get(after);
			if (!reading || reading.account !== begun.account) return err({ kind: 'not-found', what: 'page' });
			const page = await account.page(reading.token);
			if (!page.ok) return page;
			const known = new Map(reading.sessions.map((session) => [session.id, session]));
			const fresh = new Set<string>();
			for (const session of page.value.sessions) {
				if (known.has(session.id)) continue;
				known.set(session.id, session);
				fresh.add(session.id);
			}
			const { next } = page.value;
			const seenTokens = new Set([...reading.seenTokens, next]);
			const isCut = next !== '' && (reading.seenTokens.has(next) || seenTokens.size >= MOST_PAGES);
			const sessions = [...known.values()];
			const whole = next === '';
			const marked = await markSessions(account, ledger, usedHere(), { sessions, complete: whole });
			return ok({
				sessions: marked.sessions.filter(({ id }) => fresh.has(id)),
				next: whole || isCut ? null : keep({ account: begun.account, token: next, seenTokens, sessions }),
				complete: !isCut,
			});
		},
	};
}
