import { type Check, type Finding, runChecks } from '#shared/diagnosis/checks.ts';
import type {
	AccountStatus,
	AppInfo,
	DiagnosisState,
	diagnosisRequests,
	SettingsSnapshot,
} from '#shared/host/contract.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import { createListeners } from '#shared/lib/listeners.ts';
import { redact } from '#shared/lib/log.ts';
import { ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { withoutIds } from '#shared/protocol/envelope.ts';
import { VOICE } from '#shared/protocol/vocabulary.ts';
import type { Settings } from '#shared/settings/schema.ts';

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

/** Number of log lines in a report: enough to help without burying the rest. */
export const REPORT_LINES = 200;

/** The settings that support needs, without texts that the user wrote and without ids. */
function settingsFor({
	corrections,
	glossaries,
	phrases,
	voices,
	...rest
}: Settings): Readonly<Record<string, unknown>> {
	const named = (device: Settings['output']) => device && { label: device.label };
	const voiceOf = (id: string) => (id === VOICE.low || id === VOICE.high ? id : 'another');
	return {
		...rest,
		microphone: named(rest.microphone),
		output: named(rest.output),
		callOutput: named(rest.callOutput),
		roomOutput: named(rest.roomOutput),
		corrections: corrections.length,
		glossaries: typeof glossaries === 'string' ? glossaries : glossaries.length,
		phrases: Object.keys(phrases),
		voices: Object.fromEntries(Object.entries(voices).map(([language, id]) => [language, voiceOf(id)])),
	};
}

/** A text for support: versions, settings and the last events. It holds no keys, ids or speech. */
export function diagnosticsReport(facts: {
	readonly info: AppInfo;
	readonly settings: SettingsSnapshot;
	readonly account: AccountStatus;
	/** The findings of the last diagnosis, main's and the window's. */
	readonly findings?: readonly Finding[];
	readonly log: string;
	readonly secrets: readonly string[];
}): string {
	const { info, settings, account, log } = facts;
	const { lastFour: _, ...key } = account.key;
	const { lastFour: __, ...voiceToken } = account.voiceToken ?? { lastFour: '' };
	// A folder's path names its user.
	const { userData, ...app } = info;
	const head = {
		app: {
			...app,
			userData: userData?.source,
			node: process.versions.node,
			chromium: process.versions.chrome ?? 'outside',
		},
		account: { ...account, key, voiceToken },
		settings: settingsFor(settings.values),
		origins: settings.origins,
		sources: settings.sources,
		problem: settings.problem,
		findings: facts.findings ?? [],
	};
	const withoutId = (name: string, value: unknown) =>
		name === 'instance' && typeof value === 'string' ? withoutIds(value) : value;
	return redact(`${JSON.stringify(head, withoutId, 2)}\n\n${log}\n`, facts.secrets);
}
