import type { Account } from '#main/account/account.ts';
import { readTable } from '#main/glossaries/table.ts';
import { createGlossaryClient, type GlossaryAccount } from '#main/service/glossary-client.ts';
import type { HttpParts } from '#main/service/http.ts';
import type { Correction } from '#shared/captions/correction.ts';
import type { CorrectionsPut, Glossary, GlossaryDraft } from '#shared/host/glossaries.ts';
import { csvOf } from '#shared/lib/csv.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { putCorrections } from './corrections-glossaries.ts';

/** Glossaries of the account in force, as the window may use them. */
export interface AppGlossaries {
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

export function createAppGlossaries(
	parts: HttpParts & {
		readonly account: Pick<Account, 'baseUrl' | 'key' | 'ready'>;
		/** As the settings have them now. */
		readonly corrections: () => readonly Correction[];
	},
): AppGlossaries {
	const { account } = parts;
	const client = createGlossaryClient({ ...parts, baseUrl: account.baseUrl, key: account.key });

	/** Deletions under way: a list that is asked for meanwhile waits, or it would still have what they delete. */
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
						...{ csv: csvOf(rows), entries: rows.length, enabled },
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
