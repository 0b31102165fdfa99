import { declined, unaskable } from '#main/cli/consent-to-delete.ts';
import type { Line } from '#main/cli/line.ts';
import { localTime } from '#main/cli/times.ts';
import { anotherRuns } from '#main/sessions/ledger.ts';
import { EXIT, type ExitStatus } from '#shared/exit-status.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { find, type HistoryContext, use } from './history.ts';

/**
 * The command `history delete`. A conversation that may still be going on in the app is kept: without its row, nothing
 * more of it would be.
 */
export async function deleteHistory(context: HistoryContext, line: Line): Promise<ExitStatus> {
	const refused = unaskable(context, line);
	if (refused !== null) return refused;
	return line.has('all') ? deleteAll(context, line) : deleteOne(context, line);
}

async function deleteOne(context: HistoryContext, line: Line): Promise<ExitStatus> {
	const { output } = context;
	const found = find(context, line.argument);
	if (!found.ok) return output.problem(found.error);
	const { row } = found.value;
	if (row.state === 'live' && (await isAppRunning(context))) {
		const why =
			'This conversation has not ended, and the app or another command is running: it may still be going on.';
		return output.refusal(
			'conversation-running',
			`${why} Stop it there, or wait for its end, and try again.`,
		);
	}
	const question = `Delete the conversation of ${localTime(row.startedAt)} (${row.title || row.preview}) for good?`;
	const kept = await declined(context, line, question);
	if (kept !== null) return kept;
	const erased = use<void>(context, undefined, (store) => {
		store.erase([row.id]);
		store.checkpoint();
	});
	if (!erased.ok) return output.problem(erased.error);
	output.result({ deleted: [row.id], kept: [] }, ['The conversation is deleted.']);
	return EXIT.done;
}

interface Erased {
	readonly deleted: readonly string[];
	/** Those that may still be going on. */
	readonly kept: readonly string[];
}

async function deleteAll(context: HistoryContext, line: Line): Promise<ExitStatus> {
	const { output } = context;
	const refused = await declined(context, line, 'Delete every conversation of the history for good?');
	if (refused !== null) return refused;
	const open = use<readonly string[]>(context, [], (store) => store.namesWhere({ state: 'live' }));
	if (!open.ok) return output.problem(open.error);
	const isRunning = open.value.length > 0 && (await isAppRunning(context));
	const nothing: Erased = { deleted: [], kept: [] };
	const erased = use(context, nothing, (store): Erased => {
		const all = store.namesWhere('all');
		const live = isRunning ? store.namesWhere({ state: 'live' }) : [];
		const deleted = all.filter((name) => !live.includes(name));
		store.erase(deleted);
		store.checkpoint();
		return { deleted, kept: live };
	});
	if (!erased.ok) return output.problem(erased.error);
	const { deleted, kept } = erased.value;
	output.result(erased.value, [
		deleted.length === 1 ? 'The conversation is deleted.' : `Deleted: ${deleted.length}.`,
	]);
	if (kept.length > 0)
		output.note(`Not ended, and kept because the app or another command is running: ${kept.length}.`);
	return EXIT.done;
}

/** Does a program run that may be holding a conversation? After a crash none does. */
function isAppRunning({ folder, clock }: HistoryContext): Promise<boolean> {
	return anotherRuns({ folder, clock, log: silentLogger });
}
