import type { Clock } from '#shared/lib/clock.ts';
import type { Problem } from '#shared/problem.ts';
import type { HeldSession } from './held-session.ts';
import type { Ledger } from './ledger.ts';
import { isAnyLost, nextAfterFailure, stillAway } from './open-failure.ts';
import type { RecordedFailure } from './recorded-create.ts';
import type { SessionAccount } from './session-api.ts';
import type { Sweeper } from './sweep-times.ts';

/** Remembers create calls that were not answered well, so that none is blindly followed by another (faults 13). */
export interface LostAnswers {
	/** Before a session that a person waits for; the problem where asking is pointless. */
	before(account: SessionAccount): Promise<Problem | null>;
	/** As `nextAfterFailure`. `isRoomMade`: a session of this program was deleted since. */
	after(failed: HeldSession, failure: RecordedFailure, isRoomMade: boolean): Promise<'again' | Problem>;
	/** A session was opened: the service is well. */
	opened(): void;
	/** May one be open that nobody can delete, as far as the service's list tells? */
	isAnyLeft(account: SessionAccount): Promise<boolean>;
}

export function createLostAnswers(parts: {
	readonly ledger: Ledger;
	readonly sweeper: Sweeper;
	readonly clock: Pick<Clock, 'now' | 'after'>;
}): LostAnswers {
	const { ledger, sweeper, clock } = parts;
	/** Nobody answered the last create: first find out whether the service is there. */
	let isUnanswered = false;
	let inDoubt = false;

	return {
		async before(account) {
			const away = isUnanswered ? await stillAway(account, clock) : null;
			if (away) return away;
			isUnanswered = false;
			await sweeper.before(account);
			return null;
		},
		async after({ account, startedAt }, failure, isRoomMade) {
			isUnanswered = failure.created === 'unanswered';
			const sinceMs = () => clock.now() - startedAt;
			const asked = { account, ledger, sweep: sweeper.sweep, sinceMs, isRoomMade };
			const verdict = await nextAfterFailure(failure, asked);
			if (verdict !== 'again' && verdict.kind === 'session-uncertain') inDoubt = true;
			return verdict;
		},
		opened() {
			inDoubt = false;
		},
		async isAnyLeft(account) {
			if (inDoubt) inDoubt = await isAnyLost(account, ledger);
			return inDoubt;
		},
	};
}
