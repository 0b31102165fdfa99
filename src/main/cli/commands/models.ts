import type { Context } from '#main/cli/context.ts';
import type { Line } from '#main/cli/line.ts';
import { createTransferProgress, table } from '#main/cli/output.ts';
import { wordsOf } from '#main/cli/problems.ts';
import { TRIES } from '#main/models/download.ts';
import { createModels, type Models, modelsFolder, modelsHere } from '#main/models/models.ts';
import { createSocketAgents } from '#main/service/proxy.ts';
import { EXIT, type ExitStatus } from '#shared/exit-status.ts';
import type { ModelEntry, ModelsState } from '#shared/host/models.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { chooseAmong } from '#shared/models/choose-models.ts';
import type { Problem } from '#shared/problem.ts';

function openModels({ terminal, clock, random, folder }: Context, line: Line): Models {
	const { env } = terminal;
	return createModels({
		clock,
		random,
		log: silentLogger,
		plan: TRIES.command,
		folder: modelsFolder(folder, env, line.text('models')),
		mirror: env.DRAGOMAN_MODELS_URL ?? '',
		agent: createSocketAgents({ env, clock }),
	});
}

export async function listModels(context: Context, line: Line): Promise<ExitStatus> {
	const { models } = await openModels(context, line).read();
	const head = ['MODEL', 'ROLE', 'LANGUAGES', 'MB', 'LICENCE', 'STATE'];
	const rows = models.map((one) => [
		...[one.id, one.role, languagesOf(one), (one.bytes / 1_000_000).toFixed(1), one.licence, stateOf(one)],
	]);
	context.output.result(models.map(documentOf), table([head, ...rows]));
	return EXIT.done;
}

export async function addModels(context: Context, line: Line): Promise<ExitStatus> {
	const { output, signal } = context;
	const ids: string[] = [];
	for (const name of line.arguments) {
		const found = modelsHere().models.some(({ id }) => id === name) ? [name] : ofPair(name);
		if (!found) return output.problem({ kind: 'not-found', what: 'model', name });
		ids.push(...found);
	}
	const store = openModels(context, line);
	const end = () => void store.close();
	signal.addEventListener('abort', end, { once: true });
	try {
		const problem = await follow(store, [...new Set(ids)], context, line.text('from'));
		const installed = entriesOf(await store.read(), ids);
		if (problem) return output.problem(problem, { models: installed.map(documentOf) });
		output.result(
			installed.map(documentOf),
			installed.map(({ id }) => `${id} is installed.`),
		);
		return EXIT.done;
	} finally {
		signal.removeEventListener('abort', end);
		await store.close();
	}
}

export async function removeModels(context: Context, line: Line): Promise<ExitStatus> {
	const store = openModels(context, line);
	try {
		const removed = await store.remove(line.arguments);
		if (!removed.ok) return context.output.problem(removed.error);
		context.output.result(
			{ removed: line.arguments },
			line.arguments.map((id) => `${id} is removed.`),
		);
		return EXIT.done;
	} finally {
		await store.close();
	}
}

/** The models for a pair such as `en-pt` or `zh-hans-en`; null = no pair, or no model translates it. */
function ofPair(name: string): readonly string[] | null {
	const { neededFor } = chooseAmong(modelsHere().models);
	const parts = name.toLowerCase().split('-');
	for (let cut = 1; cut < parts.length; cut += 1) {
		const needed = neededFor(parts.slice(0, cut).join('-'), parts.slice(cut).join('-'));
		if (needed) return needed;
	}
	return null;
}

/** Resolves to null when all are installed, or to the first problem. */
async function follow(
	store: Models,
	ids: readonly string[],
	{ output, signal }: Context,
	from: string,
): Promise<Problem | null> {
	const transfers = new Map<string, ReturnType<typeof createTransferProgress>>();
	let said = '';
	const settled = new Promise<Problem | null>((done) => {
		signal.addEventListener('abort', () => done({ kind: 'cancelled' }), { once: true });
		const look = (state: ModelsState) => {
			const wanted = entriesOf(state, ids);
			const stopped = wanted.find(
				({ state: at }) => !['installed', 'waiting', 'downloading', 'checking'].includes(at),
			);
			for (const entry of wanted) show(entry);
			if (stopped) done(stopped.problem ?? { kind: 'cancelled' });
			else if (wanted.every(({ state: at }) => at === 'installed')) done(null);
		};
		store.listen(look);
	});
	function show({ id, state, problem, doneBytes, bytes, bytesPerS }: ModelEntry): void {
		if (state === 'waiting' && problem) {
			const words = `${id}: ${wordsOf(problem)} Trying again.`;
			if (words !== said) output.note(words);
			said = words;
		}
		if (state !== 'downloading' && state !== 'checking') return;
		said = '';
		const shown =
			transfers.get(id) ??
			createTransferProgress(output, from === '' ? `Downloading ${id}` : `Copying ${id}`);
		transfers.set(id, shown);
		const secondsLeft = bytesPerS ? Math.ceil(Math.max(0, bytes - doneBytes) / bytesPerS) : null;
		shown.show({ sentBytes: doneBytes, totalBytes: bytes, bytesPerS: bytesPerS ?? 0, secondsLeft });
	}
	if (signal.aborted) return { kind: 'cancelled' };
	const begun = await store.add(ids, from || undefined);
	return begun.ok ? settled : begun.error;
}

function entriesOf(state: ModelsState, ids: readonly string[]): readonly ModelEntry[] {
	return state.models.filter(({ id }) => ids.includes(id));
}

/** An incomplete model is installed in the same way as one that is missing altogether. */
function stateOf({ state }: ModelEntry): 'installed' | 'available' | 'broken' {
	return state === 'installed' || state === 'broken' ? state : 'available';
}

function documentOf(entry: ModelEntry) {
	const { id, role, languages, bytes, licence } = entry;
	return { id, role, languages, bytes, licence, state: stateOf(entry) };
}

function languagesOf({ role, languages }: ModelEntry): string {
	if (languages.length > 3) return `${languages.length} languages`;
	return languages.join(role === 'translator' ? ' > ' : ', ');
}
