import type { Host } from '#renderer/host.ts';
import type { Output } from '#shared/host/contract.ts';
import { PAGE_AT_MOST } from '#shared/host/history.ts';
import type { Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';

/**
 * Whether conversations are kept that had ended by `endedMs` (Unix ms): somebody who limits the days loses them at once.
 * Also true if that cannot be read. The newest come first, so that all pages have to be looked through.
 */
export async function holdsOlder(host: Host, endedMs: number): Promise<boolean> {
	let after: string | null = null;
	do {
		const page: Result<Output<'history.list'>, Problem> = await host.ask('history.list', {
			after,
			limit: PAGE_AT_MOST,
		});
		if (!page.ok) return true;
		const isOlder = page.value.rows.some(
			({ state, endedAt, startedAt }) =>
				// What is undecided counts from the choice on.
				(state === 'kept' || state === 'cut-off') && (endedAt ?? startedAt) <= endedMs,
		);
		if (isOlder) return true;
		after = page.value.next;
	} while (after !== null);
	return false;
}
