import { type Check, type Finding, runChecks } from '#shared/diagnosis/checks.ts';
import type { DiagnosisState, diagnosisRequests } from '#shared/host/contract.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import { createListeners } from '#shared/lib/listeners.ts';
import { ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';

type Name = keyof typeof diagnosisRequests;

/** The requests of the window that the diagnosis answers. */
export type DiagnosisAnswers = {
	readonly [One in Name]: () => Promise<Result<One extends 'diagnosis.run' ? DiagnosisState : void, Problem>>;
};

/** Runs one diagnosis at a time, for the window and for the report. */
export interface Diagnosis {
	readonly answers: DiagnosisAnswers;
	/** The findings of the last diagnosis; empty before the first. */
	findings(): readonly Finding[];
	/** The returned function removes the listener. */
	listen(heard: (state: DiagnosisState) => void): Cancel;
	/** Ends a running diagnosis. Resolves when everything it created is cleaned up. */
	close(): Promise<void>;
}

export function createDiagnosis(parts: {
	readonly checks: readonly Check[];
	readonly clock: Clock;
}): Diagnosis {
	const listeners = createListeners<[state: DiagnosisState]>();
	let state: DiagnosisState = { revision: 1, running: false, findings: [] };
	let control = new AbortController();
	let under: Promise<void> | null = null;
	let closed = false;

	function set(change: Partial<DiagnosisState>): void {
		state = { ...state, ...change, revision: state.revision + 1 };
		listeners.tell(state);
	}

	async function look(): Promise<void> {
		control = new AbortController();
		set({ running: true, findings: [] });
		const told = (finding: Finding) => set({ findings: [...state.findings, finding] });
		await runChecks(parts.checks, { clock: parts.clock, signal: control.signal, told });
		set({ running: false });
	}

	return {
		answers: {
			async 'diagnosis.run'() {
				if (!closed) {
					under ??= look().finally(() => {
						under = null;
					});
					await under;
				}
				return ok(state);
			},
			async 'diagnosis.cancel'() {
				control.abort();
				return ok();
			},
		},
		findings: () => state.findings,
		listen: listeners.listen,
		async close() {
			closed = true;
			control.abort();
			await under;
		},
	};
}
