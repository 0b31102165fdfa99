import type { Clock } from '#shared/lib/clock.ts';
import { createScope } from '#shared/lib/scope.ts';
import { type CheckName, type Finding, type Outcome, skipped, trouble } from './finding.ts';

/** One check. */
export interface Check {
	readonly name: CheckName;
	/** Meaningless unless these went well (or only warned). */
	readonly needs?: readonly CheckName[];
	/** Waits for these, however they end, because at the same time they would disturb each other. */
	readonly after?: readonly CheckName[];
	/** After this it has failed, and its signal is aborted. */
	readonly limitMs: number;
	/** Leaves nothing behind, even when `signal` ends it; resolves once everything is cleaned up. */
	run(signal: AbortSignal): Promise<Outcome>;
}

/** An ended check has this long to clean up, ms. */
const CLEAR_UP_MS = 8000;

/**
 * Runs the checks side by side as far as they do not need each other. Every name in `needs` and `after`
 * that is not among the checks counts as done. Resolves in the order given, when nothing runs any more;
 * never rejects.
 */
export async function runChecks(
	checks: readonly Check[],
	parts: {
		readonly clock: Clock;
		/** Ends everything; checks unfinished by then are `cancelled`. */
		readonly signal: AbortSignal;
		/** Each finding as it comes. */
		readonly told: (finding: Finding) => void;
	},
): Promise<readonly Finding[]> {
	const outcomes = new Map<CheckName, Promise<Finding>>();
	const clearing: Promise<unknown>[] = [];

	async function look(check: Check): Promise<Finding> {
		const before = [...(check.needs ?? []), ...(check.after ?? [])];
		const known = await Promise.all(before.flatMap((name) => outcomes.get(name) ?? []));
		const missing = known.find(
			({ check: name, state }) => check.needs?.includes(name) && (state === 'failed' || state === 'skipped'),
		);
		if (parts.signal.aborted) return tell(check, skipped('cancelled'));
		if (missing) return tell(check, skipped('waitsFor', { check: missing.check }));
		return tell(check, await bounded(check));
	}

	function tell({ name }: Check, outcome: Outcome): Finding {
		const finding: Finding = { check: name, ...outcome };
		parts.told(finding);
		return finding;
	}

	function bounded(check: Check): Promise<Outcome> {
		const own = new AbortController();
		const scope = createScope(parts.clock);
		const work = check
			.run(own.signal)
			.catch((): Outcome => trouble({ kind: 'bug', where: `diagnosis.${check.name}` }));
		clearing.push(work);
		return new Promise((done) => {
			const end = (outcome: Outcome): void => {
				scope.close();
				done(outcome);
			};
			const stop = (outcome: Outcome) => (): void => {
				own.abort();
				end(outcome);
			};
			const cancel = stop(skipped('cancelled'));
			parts.signal.addEventListener('abort', cancel, { once: true });
			scope.add(() => parts.signal.removeEventListener('abort', cancel));
			const afterMs = check.limitMs;
			scope.after(afterMs, stop(trouble({ kind: 'timed-out', what: `check-${check.name}`, afterMs })));
			void work.then(end);
		});
	}

	for (const check of checks) {
		// In the next turn, so that a check may name one listed below it.
		outcomes.set(
			check.name,
			Promise.resolve().then(() => look(check)),
		);
	}
	const findings = await Promise.all(outcomes.values());
	await within(parts.clock, Promise.all(clearing), CLEAR_UP_MS);
	return findings;
}

function within(clock: Clock, work: Promise<unknown>, limitMs: number): Promise<void> {
	return new Promise((done) => {
		const cancel = clock.after(limitMs, done);
		void work.then(() => {
			cancel();
			done();
		});
	});
}
