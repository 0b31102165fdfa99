import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { type Context, declined, type ServiceContext, unaskable, withService } from '#main/cli/context.ts';
import type { Line } from '#main/cli/line.ts';
import { table } from '#main/cli/output.ts';
import { readTable } from '#main/glossaries/glossary-table.ts';
import type { GlossaryAccount } from '#main/service/glossary-client.ts';
import { EXIT, type ExitStatus } from '#shared/exit-status.ts';
import { csvOf } from '#shared/lib/csv.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import {
	GLOSSARY_KINDS,
	GLOSSARY_MOST_BYTES,
	GLOSSARY_NAME,
	type GlossaryKind,
	type GlossaryRecord,
} from '#shared/protocol/glossary.ts';
import { decodeText } from '#shared/protocol/json.ts';
import {
	ACCEPTED_SOURCES,
	ACCEPTED_TARGETS,
	AUTO,
	baseOf,
	sameLanguage,
} from '#shared/protocol/languages.ts';

export async function listGlossaries({ glossaries, output, signal }: ServiceContext): Promise<ExitStatus> {
	const account = glossaries.account();
	if (!account.ok) return output.problem(account.error);
	const all = await account.value.list(signal);
	if (!all.ok) return output.problem(all.error);
	const head = ['GLOSSARY', 'NAME', 'KIND', 'LANGUAGES', 'STATE', 'ENTRIES'];
	const rows = all.value.map((one) => [
		one.id,
		one.name,
		one.kind,
		pairOf(one),
		stateOf(one),
		entriesOf(one),
	]);
	const lines = rows.length === 0 ? ['No glossaries.'] : table([head, ...rows]);
	output.result({ glossaries: all.value.map(documentOf) }, lines);
	return EXIT.done;
}

export async function showGlossary(context: ServiceContext, line: Line): Promise<ExitStatus> {
	const found = await find(context, line.argument);
	return found.ok ? tell(context, found.value.glossary) : context.output.problem(found.error);
}

export async function enableGlossary(context: ServiceContext, line: Line): Promise<ExitStatus> {
	return setEnabled(context, line.argument, true);
}

export async function disableGlossary(context: ServiceContext, line: Line): Promise<ExitStatus> {
	return setEnabled(context, line.argument, false);
}

async function setEnabled(context: ServiceContext, name: string, enabled: boolean): Promise<ExitStatus> {
	const { output, signal } = context;
	const found = await find(context, name);
	if (!found.ok) return output.problem(found.error);
	const { account, glossary } = found.value;
	const changed = await account.setEnabled(glossary, enabled, signal);
	return changed.ok ? tell(context, changed.value) : output.problem(changed.error);
}

export async function deleteGlossary(context: ServiceContext, line: Line): Promise<ExitStatus> {
	const { output } = context;
	const refused = unaskable(context, line);
	if (refused !== null) return refused;
	const found = await find(context, line.argument);
	if (!found.ok) return output.problem(found.error);
	const { account, glossary } = found.value;
	const { id, name } = glossary;
	const kept = await declined(context, line, `Delete the glossary "${name}" (${pairOf(glossary)}) for good?`);
	if (kept !== null) return kept;
	const removed = await account.remove(id);
	if (!removed.ok) return output.problem(removed.error);
	output.result({ glossary_id: id, name, deleted: true }, [`The glossary "${name}" is deleted.`]);
	return EXIT.done;
}

/** `glossaries add`: checks everything that can be wrong before anything is sent. */
export async function addGlossary(context: Context, line: Line): Promise<ExitStatus> {
	const { output } = context;
	const wanted = wantedOf(line);
	if (typeof wanted === 'string') return output.usage(wanted);
	const text = await readText(line.argument);
	if (!text.ok) return output.problem(text.error);
	const read = readTable(text.value, wanted);
	if (!read.ok) return output.problem(read.error);
	const glossary = { ...wanted, csv: csvOf(read.value), entries: read.value.length };
	return withService(async (service) => {
		const account = service.glossaries.account();
		if (!account.ok) return output.problem(account.error);
		const added = await account.value.add(glossary, service.signal);
		if (added.ok) {
			output.result(documentOf(added.value), [added.value.id]);
			return EXIT.done;
		}
		const { problem, made, left } = added.error;
		if (left !== null) output.note(`A glossary without entries is left at the service: ${left}. Delete it.`);
		if (made === 'maybe') output.note('It may have been made all the same: see "glossaries list".');
		return output.problem(problem);
	})(context, line);
}

/** The parsed request, or a sentence about the error in the command line. */
function wantedOf(
	line: Line,
): (Pick<GlossaryRecord, 'name' | 'source' | 'target'> & { kind: GlossaryKind }) | string {
	const name = line.text('name').trim();
	if (name === '') return '--name is missing.';
	if (!GLOSSARY_NAME.test(name))
		return '--name needs 3 to 64 letters without accents, digits, spaces and _ - .';
	const kind = GLOSSARY_KINDS.find((one) => one === (line.text('kind') || 'translation'));
	if (!kind) return `--kind must be one of ${GLOSSARY_KINDS.join(', ')}.`;
	const source = line.text('from').toLowerCase();
	if (source === '') return '--from is missing: the language of the first column.';
	if (source === AUTO || !ACCEPTED_SOURCES.has(baseOf(source)))
		return `--from: "${source}" is not a language of the service.`;
	const target = line.all('to').join(',').toLowerCase() || (kind === 'translation' ? '' : source);
	if (target === '') return '--to is missing: the language of the second column.';
	if (target !== source && !ACCEPTED_TARGETS.has(target))
		return `--to: "${target}" is not a language of the service.`;
	const isSame = sameLanguage(source, target);
	if (kind === 'translation' && isSame) return '--from and --to are the same language.';
	if (kind !== 'translation' && !isSame) return `--kind ${kind} is about one language: leave --to out.`;
	return { name, kind, source, target };
}

async function readText(path: string): Promise<Result<string, Problem>> {
	const unreadable = (reason: string): Result<string, Problem> =>
		err({ kind: 'file-unreadable', file: path, reason });
	try {
		const found = await stat(path);
		if (!found.isFile()) return unreadable('it is not a file');
		// Twice what the service takes: anything larger is refused unread.
		if (found.size > 2 * GLOSSARY_MOST_BYTES)
			return err({ kind: 'table-invalid', lines: [{ line: 0, reason: 'too-large' }], more: 0 });
		const text = decodeText(await readFile(path));
		return text === null ? unreadable('it is not UTF-8 text; save it as CSV UTF-8') : ok(text);
	} catch {
		return unreadable(`there is no file ${basename(path)}, or it cannot be read`);
	}
}

interface Found {
	readonly account: GlossaryAccount;
	readonly glossary: GlossaryRecord;
}

/** Finds a glossary by the service's id, or by its name if only one has it. */
async function find({ glossaries, signal }: ServiceContext, name: string): Promise<Result<Found, Problem>> {
	const account = glossaries.account();
	if (!account.ok) return account;
	const read = await account.value.read(name, signal);
	if (read.ok) return ok({ account: account.value, glossary: read.value });
	if (read.error.kind !== 'not-found') return read;
	const all = await account.value.list(signal);
	// Return the problem: without the list we cannot know whether the name exists.
	if (!all.ok) return all;
	const [only, second] = all.value.filter((one) => one.id === name || one.name === name);
	if (only && !second) return ok({ account: account.value, glossary: only });
	return err({ kind: 'not-found', what: second ? 'single glossary with the name' : 'glossary', name });
}

function tell({ output }: ServiceContext, glossary: GlossaryRecord): ExitStatus {
	const { id, name, kind, createdAt } = glossary;
	const rows = [
		['glossary', id],
		['name', name],
		['kind', kind],
		['languages', pairOf(glossary)],
		['state', stateOf(glossary)],
		['entries', entriesOf(glossary)],
		['made', createdAt],
	];
	output.result(documentOf(glossary), table(rows.filter(([, value]) => value !== '')));
	return EXIT.done;
}

function documentOf({ id, name, kind, source, target, enabled, entries, createdAt }: GlossaryRecord) {
	const about = { glossary_id: id, name, kind, from: source, to: target, enabled, entries };
	return { ...about, created_at: createdAt || null };
}

function pairOf({ source, target }: GlossaryRecord): string {
	return target === '' || target === source ? source : `${source} > ${target}`;
}

function stateOf({ enabled }: GlossaryRecord): string {
	return enabled === null ? 'unknown' : enabled ? 'on' : 'off';
}

function entriesOf({ entries }: GlossaryRecord): string {
	return entries === null ? '' : String(entries);
}
