import { z } from 'zod/mini';
import type { Clock } from '#shared/lib/clock.ts';
import { createScope } from '#shared/lib/scope.ts';
import { Problem } from '#shared/problem.ts';

/** The checks of main and the command line, in display order. */
export const mainChecks = [
	'versions',
	'settings',
	'folder',
	'disk',
	'ledger',
	'history',
	'proxy',
	'service',
	'clock',
	'certificate',
	'key',
	'account',
	'room',
	's2s',
	'stt',
	'tts',
	'sound',
] as const;

/** Checks that only a window can make. */
export const windowChecks = ['permission', 'microphone', 'output', 'media'] as const;

export const CheckName = z.enum([...mainChecks, ...windowChecks]);
export type CheckName = z.infer<typeof CheckName>;
export type MainCheck = (typeof mainChecks)[number];

/** The result of a check that no `Problem` covers; its text is `diagnosis.says.<saying>`. */
export const Saying = z.lazy(() =>
	z.enum([
		'versions',
		'settingsFine',
		'folderWritable',
		'diskFree',
		'diskLow',
		'ledgerFine',
		'ledgerLeft',
		'ledgerBroken',
		'historyNone',
		'historyFine',
		'historyLater',
		'historyDamaged',
		'proxyNone',
		'proxyUsed',
		'proxyUnusable',
		'serviceAnswers',
		'clockRight',
		'clockWrong',
		'clockUnknown',
		'certificateFine',
		'certificateSoon',
		'certificateOpen',
		'certificateBehindProxy',
		'keyHere',
		'keyAccepted',
		'roomFine',
		'roomLeft',
		'roomBusy',
		'socketFine',
		'socketOff',
		'soundServer',
		'soundNone',
		'permissionGranted',
		'permissionDenied',
		'permissionUnasked',
		'microphoneHeard',
		'microphoneQuiet',
		'outputsThere',
		'mediaUdp',
		'mediaTcp',
		'mediaTls',
		'mediaJoined',
		'windowOnly',
		'waitsFor',
		'cancelled',
	]),
);
export type Saying = z.infer<typeof Saying>;

export const Finding = z.lazy(() =>
	z.object({
		check: CheckName,
		/** `warning`: works, but the user should know about it. `skipped`: not checked. */
		state: z.enum(['ok', 'warning', 'failed', 'skipped']),
		/** The result, unless `problem` describes it. */
		says: z.nullable(Saying),
		/** Values for the text; never a secret, an id or a path. Times in ms are whole numbers called `ms`. */
		facts: z.record(z.string(), z.union([z.string().check(z.maxLength(300)), z.number()])),
		problem: z.nullable(Problem),
	}),
);
export type Finding = z.infer<typeof Finding>;
/** The result of a check; the runner adds its name. */
export type Outcome = Omit<Finding, 'check'>;
type Facts = Finding['facts'];

export function fine(says: Saying, facts: Facts = {}): Outcome {
	return { state: 'ok', says, facts, problem: null };
}

export function warning(says: Saying, facts: Facts = {}): Outcome {
	return { state: 'warning', says, facts, problem: null };
}

export function skipped(says: Saying, facts: Facts = {}): Outcome {
	return { state: 'skipped', says, facts, problem: null };
}

/** `state` is `warning` if everything else works without it. */
export function trouble(problem: Problem, state: 'failed' | 'warning' = 'failed'): Outcome {
	if (problem.kind === 'cancelled') return skipped('cancelled');
	return { state, says: null, facts: {}, problem };
}

export interface Check {
	readonly name: CheckName;
	/** The check is meaningless unless these succeeded (or only warned). */
	readonly needs?: readonly CheckName[];
	/**
	 * Runs after these checks, whatever their result, because they would disturb each other if run together.
	 */
	readonly after?: readonly CheckName[];
	/** After this time the check counts as failed, and its signal is aborted. */
	readonly limitMs: number;
	/** Leaves nothing behind, even if `signal` aborts it; resolves once everything is cleaned up. */
	run(signal: AbortSignal): Promise<Outcome>;
}

/** How long an aborted check may take to clean up, ms. */
const CLEAR_UP_MS = 8000;

/** Runs checks in parallel where none `needs` another; absent names count as done. Never rejects. */
export async function runChecks(
	checks: readonly Check[],
	parts: {
		readonly clock: Clock;
		/** Aborts all checks; unfinished ones become `cancelled`. */
		readonly signal: AbortSignal;
		/** Receives each finding as it arrives. */
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
		// Runs in a later microtask, so that a check may name one listed below it.
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
