import { release, type as systemName } from 'node:os';
import type { ServiceContext } from '#main/cli/context.ts';
import { table } from '#main/cli/output.ts';
import { detailLines, errorDocuments, hintFor, wordsOf } from '#main/cli/problems.ts';
import type { OpenedRoom } from '#main/diagnosis/checks.ts';
import { createDoctor, environmentProxy, roomOf } from '#main/doctor.ts';
import { createRecorded } from '#main/sessions/create-session.ts';
import { amended, withoutEntry } from '#main/sessions/ledger.ts';
import {
	type CheckName,
	type Finding,
	mainChecks,
	runChecks,
	skipped,
	windowChecks,
} from '#shared/diagnosis/checks.ts';
import { EXIT, type ExitStatus, exitStatusOf } from '#shared/exit-status.ts';
import en from '#shared/i18n/en.json' with { type: 'json' };
import { err, ok, type Result } from '#shared/lib/result.ts';
import { type Problem, recoveryOf } from '#shared/problem.ts';

/** The most fundamental first: with a refused key or without a network nothing else can work. */
const WORST_FIRST: readonly ExitStatus[] = [EXIT.credential, EXIT.network, EXIT.limit, EXIT.notFound];

const titles: Readonly<Record<CheckName, string>> = en.diagnosis.check;

const sayings: Readonly<Record<string, string>> = en.diagnosis.says;

const steps: Readonly<Record<string, string>> = en.diagnosis.step;

export async function runDoctor(context: ServiceContext): Promise<ExitStatus> {
	const { clock, output, signal } = context;
	let done = 0;
	const found = await runChecks(checksOf(context), {
		clock,
		signal,
		told({ check }) {
			done += 1;
			output.status(`Checking: ${done} of ${mainChecks.length} (${titleOf(check)})`);
		},
	});
	output.clear();
	const findings = [...found, ...windowChecks.map((check): Finding => ({ check, ...skipped('windowOnly') }))];
	const status = exitStatusOfFindings(findings);
	output.result({ findings: findings.map(documentOf), exit_status: status }, linesOf(findings));
	return signal.aborted ? EXIT.interrupted : status;
}

function checksOf(context: ServiceContext) {
	const { clock, folder, ledger, sockets, sessions, base, key, settingsProblem } = context;
	const { env } = context.terminal;
	const { npm_package_version: version = '' } = process.env;
	return createDoctor({
		clock,
		folder,
		ledger,
		sockets,
		key,
		settingsProblem,
		fetch: globalThis.fetch,
		address: context.socketAddress,
		versions: () => ({
			app: version || '-',
			shell: 'command line',
			node: process.versions.node,
			system: `${systemName()} ${release()}`,
		}),
		base: () => base,
		checkKey: (signal) => sessions.checkKey(signal),
		busy: () => false,
		room: { open: (signal) => openRoom(context, signal) },
		proxyOf: async (to) => environmentProxy(env, to),
		soundEnv: process.platform === 'linux' ? env : null,
	});
}

/** Opens a session, noted in the ledger beforehand; if deletion fails, `sessions prune` deletes it later. */
async function openRoom(
	{ sessions, ledger, clock, agent }: ServiceContext,
	signal: AbortSignal,
): Promise<Result<OpenedRoom, Problem>> {
	const account = sessions.account();
	if (!account.ok) return account;
	async function close(intent: string, id: string): Promise<Result<void, Problem>> {
		if (!account.ok) return account;
		const removed = await account.value.remove(id);
		await ledger.change((all) =>
			removed.ok ? withoutEntry(all, intent) : amended(all, intent, { state: 'closing' }),
		);
		return removed.ok ? ok() : removed;
	}
	const created = await createRecorded({ account: account.value, ledger, clock, signal });
	if (created.ok) {
		const { intent, session } = created.value;
		return ok(roomOf(session, { clock, agent }, () => close(intent, session.id)));
	}
	const { toRemove, problem } = created.error;
	if (toRemove) await close(toRemove.intent, toRemove.id);
	return err(created.error.created === 'no' ? problem : { kind: 'session-uncertain' });
}

function linesOf(findings: readonly Finding[]): readonly string[] {
	const marks = { ok: 'ok', warning: 'WARNING', failed: 'FAILED', skipped: '-' } as const;
	const rows = findings.flatMap((finding) => [
		[marks[finding.state], titleOf(finding.check), lineOf(finding)],
		...(finding.problem ? detailLines(finding.problem).map((line) => ['', '', line]) : []),
	]);
	const steps = stepsOf(findings);
	return steps.length === 0 ? table(rows) : [...table(rows), '', 'What to do:', ...steps];
}

/** The same advice for several checks is given once. */
function stepsOf(findings: readonly Finding[]): readonly string[] {
	const titles = new Map<string, string[]>();
	for (const finding of findings) {
		const step = stepOf(finding);
		if (step !== '') titles.set(step, [...(titles.get(step) ?? []), titleOf(finding.check)]);
	}
	return [...titles].map(([step, about]) => `${about.join(', ')}: ${step}`);
}

function titleOf(check: CheckName): string {
	return titles[check];
}

/** Describes the finding in a sentence. */
function lineOf({ says, facts, problem }: Finding): string {
	if (problem) return wordsOf(problem);
	const sentence = sayings[says ?? ''] ?? '';
	return sentence.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
		const value = facts[name] ?? '';
		// The value is the name of a check, so show the check's title.
		return name === 'check' ? (titles[value as CheckName] ?? String(value)) : String(value);
	});
}

/** The step that solves the problem; empty if there is none. */
function stepOf({ state, problem }: Finding): string {
	if (!problem || (state !== 'failed' && state !== 'warning')) return '';
	return hintFor(problem) || (steps[recoveryOf[problem.kind]] ?? '');
}

function documentOf(finding: Finding): unknown {
	const { check, state, says, facts, problem } = finding;
	return {
		check,
		state,
		finding: problem?.kind ?? says,
		message: lineOf(finding),
		next_step: stepOf(finding) || null,
		facts,
		...(problem && errorDocuments(problem)),
	};
}

/** Exit status: 0 if nothing failed (warnings allowed), otherwise that of the worst finding. */
export function exitStatusOfFindings(findings: readonly Finding[]): ExitStatus {
	const statuses = findings
		.filter(({ state }) => state === 'failed')
		.map(({ check, problem }) => {
			// A room's address comes from the service, any other from the user.
			if ((problem?.kind === 'address-refused' || problem?.kind === 'port-refused') && check !== 'room')
				return EXIT.usage;
			return problem ? exitStatusOf(problem) : EXIT.failed;
		});
	return WORST_FIRST.find((status) => statuses.includes(status)) ?? statuses[0] ?? EXIT.done;
}
