import type { GlossaryAccount } from '#main/service/glossary-client.ts';
import type { Correction } from '#shared/captions/correction.ts';
import type { CorrectionsPut } from '#shared/host/glossaries.ts';
import { csvOf } from '#shared/lib/csv.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { baseOf } from '#shared/protocol/languages.ts';

/** The name of a glossary of corrections, before its language code; by this it is found again. */
const NAME = 'Dragoman corrections';

/**
 * Turns the corrections of each language into a glossary with which the service corrects what it recognises (protocol 8),
 * on or off like the earlier one, and only then deletes earlier ones, so that a failure leaves them as they were. Called
 * again, it continues.
 */
export async function putCorrections(
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
			...{ name, kind: 'asr', source: code, target: code, csv: csvOf(rows), entries: rows.length },
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
