import { homedir, release, type as systemName } from 'node:os';
import { parseArgs } from 'node:util';
import type { OpenedRoom } from '#main/diagnosis/parts.ts';
import { createDoctor, environmentProxy, roomOf } from '#main/doctor.ts';
import { amended, withoutEntry } from '#main/keeper/ledger.ts';
import { createRecorded } from '#main/keeper/recorded-create.ts';
import { PUBLIC_REST_BASE } from '#main/service/addresses.ts';
import { createSocketAgents } from '#main/service/socket-agents.ts';
import { openSettingsFile } from '#main/settings/settings-file.ts';
import { settingsInForce } from '#main/settings/sources.ts';
import { userDataFolder } from '#main/settings/user-data.ts';
import { exitStatusOfFindings } from '#shared/diagnosis/exit-status.ts';
import { type Finding, mainChecks, skipped, windowChecks } from '#shared/diagnosis/finding.ts';
import { runChecks } from '#shared/diagnosis/run-checks.ts';
import { EXIT, type ExitStatus } from '#shared/exit-status.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { type CommonValues, type Context, createContext, type Terminal } from './context.ts';
import { documentOf, lineOf, stepOf, titleOf } from './finding-words.ts';
import { keyRefusal } from './key-binding.ts';
import { createOutput, table } from './output.ts';
import { detailLines } from './problem-words.ts';
import { createStreamContext, streamHelp, streamOptions } from './stream-context.ts';
import { wrongLevel, wrongLine } from './wrong-line.ts';

const help = `Usage: npm run cli -- doctor [options]

  Looks at everything Dragoman needs, from this computer to a room of the service, and says of each
  what was found and what to do. It makes one session for a look and deletes it again. Microphone,
  loudspeakers and the way of the sound (UDP, TCP, 443) can be seen by the window alone: there it is
  the page Diagnostics.

${streamHelp}
  The exit status is 0 when nothing failed (warnings may stand), else that of the worst failure.`;

const { out: _, ...options } = streamOptions;

/** The command `doctor`. */
export async function runDoctor(args: readonly string[], terminal: Terminal): Promise<ExitStatus> {
	const values = parse(args);
	if (typeof values === 'string') {
		terminal.error(`${values}\nTry: npm run cli -- doctor --help\n`);
		return EXIT.usage;
	}
	if (values.help) {
		terminal.out(`${help}\n`);
		return EXIT.done;
	}
	// Both contexts want the key, which can be read only once.
	let read: Promise<string> | null = null;
	const once: Terminal = {
		...terminal,
		readInput() {
			read ??= terminal.readInput();
			return read;
		},
	};
	const output = createOutput(terminal, { json: values.json === true });
	const context = await createContext(values, once, output);
	const progress = looking(terminal);
	try {
		const checks = await checksOf(values, once, context);
		const { clock, signal } = context;
		const found = await runChecks(checks, { clock, signal, told: progress.found });
		progress.clear();
		const findings = [
			...found,
			...windowChecks.map((check): Finding => ({ check, ...skipped('windowOnly') })),
		];
		const status = exitStatusOfFindings(findings);
		output.result({ findings: findings.map(documentOf), exit_status: status }, linesOf(findings));
		return signal.aborted ? EXIT.interrupted : status;
	} finally {
		progress.clear();
		context.ledger.close();
	}
}

/** How far it is, where a line can be written over. */
function looking({ error, isErrorTerminal }: Terminal) {
	const isShown = isErrorTerminal === true;
	let done = 0;
	return {
		found({ check }: Finding): void {
			done += 1;
			if (isShown) error(`\r\u001b[KLooking: ${done} of ${mainChecks.length} (${titleOf(check)})`);
		},
		clear(): void {
			if (isShown) error('\r\u001b[K');
		},
	};
}

function parse(args: readonly string[]): CommonValues | string {
	try {
		const { values } = parseArgs({ args: [...args], options, strict: true });
		return wrongLevel(values['log-level']) || values;
	} catch (thrown) {
		return wrongLine(thrown);
	}
}

async function checksOf(values: CommonValues, terminal: Terminal, context: Context) {
	const { env } = terminal;
	const { client, ledger, clock } = context;
	const text = (name: keyof CommonValues) => (typeof values[name] === 'string' ? values[name] : undefined);
	const folder = userDataFolder({ platform: process.platform, home: homedir(), env }, text('user-data-dir'));
	const file = openSettingsFile(folder, clock);
	const apiUrl = text('api-url');
	const settings = settingsInForce(apiUrl ? { 'api-url': apiUrl } : {}, env, file.stored());
	const base = settings.values.apiUrl || PUBLIC_REST_BASE;
	const { sockets, address } = await createStreamContext(values, terminal);
	const key = values['key-stdin'] ? (await terminal.readInput()).trim() : (env.DRAGOMAN_API_KEY ?? '');
	const { npm_package_version: version = '' } = process.env;
	return createDoctor({
		clock,
		fetch: globalThis.fetch,
		folder,
		ledger,
		sockets,
		address: (product) => address(product)(),
		versions: () => ({
			app: version || '-',
			shell: 'command line',
			node: process.versions.node,
			system: `${systemName()} ${release()}`,
		}),
		settingsProblem: file.problem,
		base: () => base,
		key() {
			if (key === '') return err({ kind: 'api-key-missing' });
			const refusal = keyRefusal('api', settings);
			const source = values['key-stdin'] ? 'standard input' : 'DRAGOMAN_API_KEY';
			return refusal ? err(refusal) : ok({ source, host: URL.parse(base)?.host ?? '' });
		},
		checkKey: (signal) => client.checkKey(signal),
		busy: () => false,
		room: { open: (signal) => openRoom(context, env, signal) },
		proxyOf: async (to) => environmentProxy(env, to),
		soundEnv: process.platform === 'linux' ? env : null,
	});
}

/** Recorded before it is made; if it cannot be deleted, `sessions prune` will. */
async function openRoom(
	{ client, ledger, clock }: Context,
	env: NodeJS.ProcessEnv,
	signal: AbortSignal,
): Promise<Result<OpenedRoom, Problem>> {
	const account = client.account();
	if (!account.ok) return account;
	async function close(intent: string, id: string): Promise<Result<void, Problem>> {
		if (!account.ok) return account;
		const removed = await account.value.remove(id);
		await ledger.change((all) =>
			removed.ok ? withoutEntry(all, intent) : amended(all, intent, { state: 'closing' }),
		);
		return removed.ok ? ok() : removed;
	}
	const created = await createRecorded({ account: account.value, ledger, clock, signal, state: 'open' });
	if (created.ok) {
		const { intent, session } = created.value;
		const agent = createSocketAgents({ env, clock });
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
