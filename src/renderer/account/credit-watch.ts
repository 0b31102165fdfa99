import type { StoreApi } from 'zustand/vanilla';
import { interpretedAt, isOver, type WholeConversation } from '#renderer/conversation/conversation.ts';
import type { AccountStatus, Balance } from '#shared/host/contract.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import type { Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { isFree } from '#shared/settings/schema.ts';

/** The credit that a conversation uses, if the service reports it. */
export type CreditUse = StoreApi<CreditUseView>;

export interface CreditUseView {
	/** Credit used since the conversation began, by any client of the account; null = unknown, or none yet. */
	readonly used: Balance | null;
	/** How long the rest of the credit lasts at this pace, ms; null = unknown, or long enough. */
	readonly lastsMs: number | null;
	/** The user has dismissed the notice that little credit is left. */
	readonly isPutAway?: true;
}

export const noCreditUse: CreditUseView = { used: null, lastsMs: null };

/** Time between two readings while the conversation runs, ms; `LOW_EVERY_MS` applies while little credit is left. */
export const CREDIT_EVERY_MS = 5 * 60_000;
export const LOW_EVERY_MS = 60_000;
/** Credit for less than this time counts as low, ms. */
export const LOW_CREDIT_MS = 15 * 60_000;
/** A smaller amount would be shown as zero, in credits or dollars. */
const LEAST_SHOWN = 0.005;
/** How long the service may need to book the usage until the end, ms. */
export const BOOKED_MS = 5000;

/** Reads the balance when a conversation begins, runs and ends. Returns an unsubscribe function. */
export function watchCredit({
	conversation,
	account,
	ask,
	clock,
	creditUse,
}: {
	readonly conversation: Pick<WholeConversation, 'store'>;
	readonly account: {
		readonly store: StoreApi<{ readonly status: Pick<AccountStatus, 'revision' | 'service' | 'key'> }>;
	};
	readonly ask: () => Promise<Result<Balance, Problem>>;
	readonly clock: Clock;
	readonly creditUse: CreditUse;
}): Cancel {
	let disarm: Cancel = () => {};
	/** `last`: the one reading after the end is pending or done. */
	let stage: 'off' | 'running' | 'last' = 'off';
	/** Counts the readings, so that answers to earlier ones are ignored. */
	let asked = 0;
	let askedAtMs = 0;
	let left: Balance | null = null;
	let used: Balance = { credits: null, usd: null };
	/** Interpreted time at the first answer, and the longest time interpreted since, ms. */
	let fromMs = 0;
	let overMs = 0;

	function forget(): void {
		disarm();
		asked += 1;
		stage = 'off';
		left = null;
		used = { credits: null, usd: null };
		overMs = 0;
		creditUse.setState(noCreditUse, true);
	}

	function begin(): void {
		const { service, key } = account.store.getState().status;
		// With two directions, restarting one makes the conversation live again.
		if (stage === 'running' || isFree(service) || !key.present) return;
		stage = 'running';
		void read();
	}

	function end(): void {
		stage = 'last';
		disarm();
		disarm = clock.after(BOOKED_MS, () => void read());
		creditUse.setState({ lastsMs: null });
	}

	/** Schedules the next reading at the usual interval after the last one, but not in a pause. */
	function arm(): void {
		disarm();
		if (stage !== 'running' || conversation.store.getState().paused) return;
		const everyMs = creditUse.getState().lastsMs === null ? CREDIT_EVERY_MS : LOW_EVERY_MS;
		disarm = clock.after(Math.max(0, askedAtMs + everyMs - clock.now()), () => void read());
	}

	async function read(): Promise<void> {
		asked += 1;
		askedAtMs = clock.now();
		const own = asked;
		const answer = await ask();
		if (own !== asked) return;
		if (answer.ok) take(answer.value);
		else if (answer.error.kind === 'balance-unavailable') {
			stage = 'off';
			creditUse.setState({ lastsMs: null });
		}
		if (stage === 'running') arm();
	}

	function take(now: Balance): void {
		used = {
			credits: usedOf(used.credits, left?.credits, now.credits),
			usd: usedOf(used.usd, left?.usd, now.usd),
		};
		// Pauses are not billed.
		const interpretedMs = interpretedAt(conversation.store.getState(), clock.now());
		if (!left) fromMs = interpretedMs;
		left = now;
		// With two directions, this is the time of one of them, which may end.
		overMs = Math.max(overMs, interpretedMs - fromMs);
		const lasts = stage === 'running' ? lastsMs(used, now, overMs) : null;
		creditUse.setState({
			used: Math.max(used.credits ?? 0, used.usd ?? 0) >= LEAST_SHOWN ? used : null,
			lastsMs: lasts !== null && lasts < LOW_CREDIT_MS ? lasts : null,
		});
	}

	const unfollow = conversation.store.subscribe((view, before) => {
		if (isOver(view) !== isOver(before)) {
			// A failed conversation that resumes has been live before.
			if (!isOver(view)) (view.liveSinceMs === null ? forget : begin)();
			else if (stage === 'running') end();
		} else if (before.phase === 'ending' && view.phase === 'preparing') {
			forget();
		} else if (view.liveSinceMs !== null && before.liveSinceMs === null) {
			begin();
		} else if (view.paused !== before.paused) {
			arm();
		}
	});
	// The credit of another account cannot be compared. The account does not change while a conversation runs.
	const unfollowAccount = account.store.subscribe(({ status }, before) => {
		const view = conversation.store.getState();
		const isRunning = !isOver(view) && view.phase !== 'ending';
		if (isRunning || status.revision === before.status.revision) return;
		disarm();
		asked += 1;
		stage = 'off';
	});
	// A conversation may already be running.
	const now = conversation.store.getState();
	if (!isOver(now) && now.liveSinceMs !== null) begin();
	return () => {
		unfollow();
		unfollowAccount();
		forget();
	};
}

/** The credit used so far; a rising balance means that the account was topped up. */
function usedOf(before: number | null, last: number | null | undefined, now: number | null): number | null {
	if (now === null || last === null || last === undefined) return before;
	return (before ?? 0) + Math.max(0, last - now);
}

function lastsMs(used: Balance, left: Balance, overMs: number): number | null {
	const [spent, rest] = used.credits ? [used.credits, left.credits] : [used.usd, left.usd];
	if (!spent || rest === null) return null;
	return (Math.max(0, rest) / spent) * overMs;
}
