import type { GlossaryAccount } from '#main/service/glossary-client.ts';
import type { Correction } from '#shared/captions/correction.ts';
import { csvOf } from '#shared/lib/csv.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import type { GlossaryRecord } from '#shared/protocol/glossary.ts';
import { baseOf } from '#shared/protocol/languages.ts';

/** The name of a glossary of corrections, before its language code; by this it is found again. */
const NAME = 'Dragoman corrections';

/**
 * Turns the corrections of each language into a glossary with which the service corrects what it recognises (protocol 8),
 * and only then deletes earlier ones, so that a failure leaves them as they were. Called again, it continues.
 */
export async function putCorrections(
	account: GlossaryAccount,
	corrections: readonly Correction[],
): Promise<Result<GlossaryRecord[], Problem>> {
	const listed = await account.list();
	if (!listed.ok) return listed;
	const made: GlossaryRecord[] = [];
	const byLanguage = Map.groupBy(corrections, ({ language }) => baseOf(language));
	for (const [code, group] of byLanguage) {
		const rows = group.map(({ wrong, right }) => [wrong, right]);
		const added = await account.add({
			...{ name: `${NAME} ${code}`, kind: 'asr', source: code, target: code },
			...{ csv: csvOf(rows), entries: rows.length },
		});
		if (!added.ok) return err(added.error.problem);
		made.push(added.value);
	}
	const before = listed.value.filter(({ name, kind }) => kind === 'asr' && name.startsWith(`${NAME} `));
	for (const { id } of before) {
		const removed = await account.remove(id);
		if (!removed.ok) return removed;
	}
	return ok(made);
}
