import type { Account } from '#main/account/account.ts';
import { createGlossaryClient, type GlossaryAccount } from '#main/service/glossary-client.ts';
import type { HttpParts } from '#main/service/http.ts';
import type { Correction } from '#shared/captions/corrections.ts';
import type { CorrectionsPut, Glossary, GlossaryDraft } from '#shared/host/glossaries.ts';
import { csvOf } from '#shared/lib/csv.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { baseOf } from '#shared/protocol/languages.ts';
import { readTable } from './glossary-table.ts';

/** The name of a glossary of corrections, before its language code; it identifies the glossary later. */
const NAME = 'Dragoman corrections';

/** Glossaries of the current account, as the window may use them. */
export interface Glossaries {
	readonly answers: {
		'glossary.list'(): Promise<Result<Glossary[], Problem>>;
		'glossary.add'(draft: GlossaryDraft): Promise<Result<Glossary, Problem>>;
		'glossary.table'(input: { id: string }): Promise<Result<string | null, Problem>>;
		'glossary.change'(
			input: GlossaryDraft & { id: string },
		): Promise<Result<{ glossary: Glossary; left: boolean }, Problem>>;
		'glossary.enable'(input: { id: string; enabled: boolean }): Promise<Result<Glossary, Problem>>;
		'glossary.from-corrections'(): Promise<Result<CorrectionsPut, Problem>>;
		'glossary.delete'(input: { id: string }): Promise<Result<void, Problem>>;
	};
	/** Resolves when no deletion is under way any more. */
	close(): Promise<void>;
}

export function createGlossaries(
	parts: HttpParts & {
		readonly account: Pick<Account, 'baseUrl' | 'key' | 'ready'>;
		readonly corrections: () => readonly Correction[];
	},
): Glossaries {
	const { account } = parts;
	const client = createGlossaryClient({ ...parts, baseUrl: account.baseUrl, key: account.key });

	/** Deletions under way: a request for the list waits for them, or the list would still contain the deleted ones. */
	const deleting = new Set<Promise<unknown>>();

	async function withAccount<Value>(
		run: (glossaries: GlossaryAccount) => Promise<Result<Value, Problem>>,
	): Promise<Result<Value, Problem>> {
		const ready = await account.ready();
		if (!ready.ok) return ready;
		const glossaries = client.account();
		return glossaries.ok ? run(glossaries.value) : glossaries;
	}

	return {
		answers: {
			'glossary.list': () =>
				withAccount(async (glossaries) => {
					await Promise.allSettled(deleting);
					const all = await glossaries.list();
					return all.ok ? ok([...all.value]) : all;
				}),
			async 'glossary.add'({ table, ...draft }) {
				const read = readTable(table, draft);
				if (!read.ok) return read;
				return withAccount(async (glossaries) => {
					const { value: rows } = read;
					const added = await glossaries.add({ ...draft, csv: csvOf(rows), entries: rows.length });
					return added.ok ? added : err(added.error.problem);
				});
			},
			'glossary.table': ({ id }) => withAccount((glossaries) => glossaries.table(id)),
			async 'glossary.change'({ id, table, ...draft }) {
				const read = readTable(table, draft);
				if (!read.ok) return read;
				const { value: rows } = read;
				return withAccount(async (glossaries) => {
					const old = await glossaries.read(id);
					if (!old.ok) return old;
					const enabled = old.value.enabled ?? true;
					const added = await glossaries.add({
						...draft,
						csv: csvOf(rows),
						entries: rows.length,
						enabled,
					});
					if (!added.ok) return err(added.error.problem);
					const removed = await glossaries.remove(id);
					return ok({ glossary: added.value, left: !removed.ok });
				});
			},
			'glossary.enable': ({ id, enabled }) =>
				withAccount(async (glossaries) => {
					const found = await glossaries.read(id);
					return found.ok ? glossaries.setEnabled(found.value, enabled) : found;
				}),
			'glossary.from-corrections': () =>
				withAccount((glossaries) => putCorrections(glossaries, parts.corrections())),
			'glossary.delete'({ id }) {
				const deletion = withAccount<void>(async (glossaries) => {
					const removed = await glossaries.remove(id);
					return removed.ok ? ok() : removed;
				});
				deleting.add(deletion);
				return deletion.finally(() => deleting.delete(deletion));
			},
		},
		async close() {
			await Promise.allSettled(deleting);
		},
	};
}

/**
 * Turns the corrections of each language into a glossary with which the service corrects what it recognises (protocol 8),
 * on or off like the earlier one, and only then deletes earlier ones, so that a failure leaves them as they were. Called
 * again, it continues.
 */
async function putCorrections(
	account: GlossaryAccount,
	corrections: readonly Correction[],
): Promise<Result<CorrectionsPut, Problem>> {
	const listed = await account.list();
	if (!listed.ok) return listed;
	const before = listed.value.filter(({ name, kind }) => kind === 'asr' && name.startsWith(`${NAME} `));
	const made: CorrectionsPut['made'] = [];
	const byName = new Map<string, string>();
	const byLanguage = Map.groupBy(corrections, ({ language }) => baseOf(language));
	for (const [code, group] of byLanguage) {
		const rows = group.map(({ wrong, right }) => [wrong, right]);
		const name = `${NAME} ${code}`;
		const earlier = before.filter((one) => one.name === name);
		const added = await account.add({
			name,
			kind: 'asr',
			source: code,
			target: code,
			csv: csvOf(rows),
			entries: rows.length,
			enabled: earlier.length === 0 || earlier.some(({ enabled }) => enabled !== false),
		});
		if (!added.ok) return err(added.error.problem);
		made.push(added.value);
		byName.set(name, added.value.id);
	}
	const replaced = before.map(({ id, name }) => ({ id, by: byName.get(name) ?? null }));
	for (const { id } of before) {
		const removed = await account.remove(id);
		if (!removed.ok) return ok({ made, replaced, problem: removed.error });
	}
	return ok({ made, replaced, problem: null });
}
