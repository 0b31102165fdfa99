import type { Host } from '#renderer/host.ts';
import type { Output } from '#shared/host/contract.ts';
import { type HistoryCaption, PAGE_AT_MOST } from '#shared/host/history.ts';
import { ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';

/** Every caption of a conversation, in order of time. */
export async function readAll(host: Host, id: string): Promise<Result<readonly HistoryCaption[], Problem>> {
	const all: HistoryCaption[] = [];
	let after: string | null = null;
	do {
		const page: Result<Output<'history.read'>, Problem> = await host.ask('history.read', {
			id,
			after,
			limit: PAGE_AT_MOST,
		});
		if (!page.ok) return page;
		all.push(...page.value.captions);
		after = page.value.next;
	} while (after !== null);
	return ok(all);
}
