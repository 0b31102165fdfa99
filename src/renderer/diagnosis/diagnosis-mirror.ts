import { createStore } from 'zustand/vanilla';
import type { Host } from '#renderer/host.ts';
import { type Check, type Finding, mainChecks, runChecks, windowChecks } from '#shared/diagnosis/checks.ts';
import type { DiagnosisState } from '#shared/host/contract.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';

export interface DiagnosisView {
	readonly running: boolean;
	/** The findings so far, in display order. */
	readonly findings: readonly Finding[];
	/** The problem if main did not answer. */
	readonly problem: Problem | null;
}

const order: readonly string[] = [...mainChecks, ...windowChecks];

export type DiagnosisMirror = ReturnType<typeof createDiagnosisMirror>;

/** All checks: main's checks, and those that only a window can make. */
export function createDiagnosisMirror(parts: {
	readonly host: Host;
	readonly clock: Clock;
	/** The window's own checks. */
	readonly checks: readonly Check[];
	/** The window's checks that create a session: they run after main's, since a plan may allow one session at a time. */
	readonly later: readonly Check[];
}) {
	const { host, clock } = parts;
	const store = createStore<DiagnosisView>()(() => ({ running: false, findings: [], problem: null }));
	let own: readonly Finding[] = [];
	let main: DiagnosisState = { revision: -1, running: false, findings: [] };
	let control = new AbortController();
	let under: Promise<void> | null = null;

	function show(): void {
		const findings = [...main.findings, ...own].sort(
			(one, other) => order.indexOf(one.check) - order.indexOf(other.check),
		);
		store.setState({ findings });
	}

	host.listen('diagnosis.changed', receive);
	function receive(next: DiagnosisState): void {
		if (next.revision < main.revision || under === null) return;
		main = next;
		show();
	}

	function look(checks: readonly Check[]): Promise<unknown> {
		const told = (finding: Finding): void => {
			own = [...own, finding];
			show();
		};
		return runChecks(checks, { clock, signal: control.signal, told });
	}

	async function lookAtAll(): Promise<void> {
		control = new AbortController();
		own = [];
		main = { ...main, findings: [] };
		store.setState({ running: true, findings: [], problem: null });
		const askMain = host.ask('diagnosis.run', undefined).then((answer) => {
			if (answer.ok) receive(answer.value);
			else store.setState({ problem: answer.error });
		});
		await Promise.all([askMain, look(parts.checks)]);
		await look(parts.later);
	}

	return {
		store,
		/** Runs all checks. Does nothing while they run. */
		async run(): Promise<void> {
			under ??= lookAtAll().finally(() => {
				under = null;
				store.setState({ running: false });
			});
			await under;
		},
		/** Resolves when everything created for the checks is cleaned up. */
		async cancel(): Promise<void> {
			control.abort();
			await host.ask('diagnosis.cancel', undefined);
			await under;
		},
		/** A report for support: findings, settings and log, without secrets. */
		report: (): Promise<Result<string, Problem>> => host.ask('diagnostics.report', [...own]),
	};
}
