import type { GlossaryAccount } from '#main/service/glossary-client.ts';
import type { Correction } from '#shared/captions/correction.ts';
import { csvOf } from '#shared/lib/csv.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import type { GlossaryRecord } from '#shared/protocol/glossary.ts';
import { baseOf } from '#shared/protocol/languages.ts';

/** What a glossary of corrections is called, before the code of its language: by this it is found again. */
const NAME = 'Dragoman corrections';

/**
 * Makes of the corrections of each language a glossary of the service that corrects what is recognised (protocol 8), then
 * deletes those made so before: never the other way, so that a failure leaves them as they were. Asked again it goes on.
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
