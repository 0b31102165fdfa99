import { useEffect, useState } from 'react';
import { useParts } from '#renderer/window/parts.ts';
import type { Output } from '#shared/host/contract.ts';
import { type HistoryCaption, type HistoryRow, PAGE_AT_MOST } from '#shared/host/history.ts';
import type { Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';

export interface Transcript {
	/** Null until it has come. */
	readonly row: HistoryRow | null;
	readonly captions: readonly HistoryCaption[];
	/** All of it is there. */
	readonly complete: boolean;
	readonly problem: Problem | null;
}

/** All captions of one conversation, shown as they come; `again` reads them once more. */
export function useTranscript(id: string): Transcript & { readonly again: () => void } {
	const { host } = useParts();
	const [view, setView] = useState<Transcript>({ row: null, captions: [], complete: false, problem: null });

	const [round, setRound] = useState(0);

	// biome-ignore lint/correctness/useExhaustiveDependencies: another round reads the same
	useEffect(() => {
		let gone = false;
		async function read(): Promise<void> {
			let after: string | null = null;
			do {
				const page: Result<Output<'history.read'>, Problem> = await host.ask('history.read', {
					id,
					after,
					limit: PAGE_AT_MOST,
				});
				if (gone) return;
				if (!page.ok) return setView((before) => ({ ...before, problem: page.error }));
				const { row, captions } = page.value;
				const next: string | null = page.value.next;
				const isFirst = after === null;
				after = next;
				setView((before) => ({
					...{ row, complete: next === null, problem: null },
					captions: isFirst ? captions : [...before.captions, ...captions],
				}));
			} while (after !== null);
		}
		void read();
		return () => {
			gone = true;
		};
	}, [host, id, round]);

	return { ...view, again: () => setRound((before) => before + 1) };
}
