import { useCallback, useEffect, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { useParts } from '#renderer/shell/parts.ts';
import { type HistoryHit, type HistoryRow, PAGE_AT_MOST, SHORT_AT_MOST } from '#shared/host/history.ts';
import type { Cancel } from '#shared/lib/clock.ts';
import type { Problem } from '#shared/problem.ts';
import { cut } from '#shared/protocol/json.ts';

/** Rows asked for at once. */
const PAGE = 50;
/** A search waits until the typing rests, ms. */
const TYPING_MS = 200;

export interface HistoryList {
	/** Null until the first page has come. */
	readonly hits: readonly HistoryHit[] | null;
	readonly loading: boolean;
	readonly next: string | null;
	readonly problem: Problem | null;
	/** The problem is that they could not be read. */
	readonly unread: boolean;
	/** The search that the list answers; empty = everything. */
	readonly query: string;
	refresh(): Promise<void>;
	more(): Promise<void>;
	/** Shows another title without reading everything again. */
	replace(row: HistoryRow): void;
	setProblem(problem: Problem | null): void;
}

type View = Pick<HistoryList, 'hits' | 'loading' | 'next' | 'problem' | 'unread' | 'query'>;

/** Kept conversations, or those in which something was found, a page at a time; read again when main says that they changed. */
export function useHistory(typed: string): HistoryList {
	const { host, clock, history } = useParts();
	const revision = useStore(history.store, (state) => state.revision);
	const [view, setView] = useState<View>({
		hits: null,
		loading: true,
		next: null,
		problem: null,
		unread: false,
		query: '',
	});
	/** How many are shown, for which search: as many are read again. */
	const shown = useRef({ query: '', count: 0 });
	/** Number of the latest reading; answers to earlier ones are dropped. */
	const reading = useRef(0);
	const query = cut(typed.trim(), SHORT_AT_MOST);

	const read = useCallback(
		async (after: string | null): Promise<void> => {
			const mine = ++reading.current;
			setView((before) => ({ ...before, loading: true, problem: null, unread: false }));
			const again = after === null && shown.current.query === query ? shown.current.count : 0;
			const page = { after, limit: Math.min(Math.max(PAGE, again), PAGE_AT_MOST) };
			const answer =
				query === ''
					? await host.ask('history.list', page)
					: await host.ask('history.search', { ...page, query });
			if (mine !== reading.current) return;
			if (!answer.ok)
				return setView((before) => ({ ...before, loading: false, problem: answer.error, unread: true }));
			const { value } = answer;
			const hits = 'hits' in value ? value.hits : value.rows.map((row) => ({ row, hits: 0, first: null }));
			shown.current = { query, count: after === null ? hits.length : shown.current.count + hits.length };
			setView((before) => ({
				loading: false,
				next: value.next,
				problem: null,
				unread: false,
				query,
				hits: after === null ? hits : [...(before.hits ?? []), ...hits],
			}));
		},
		[host, query],
	);
	const refresh = useCallback(() => read(null), [read]);

	// biome-ignore lint/correctness/useExhaustiveDependencies: another revision says that main has something else
	useEffect(() => {
		let cancel: Cancel = () => {};
		if (query === '') void refresh();
		else cancel = clock.after(TYPING_MS, () => void refresh());
		return () => {
			reading.current++;
			cancel();
		};
	}, [clock, query, refresh, revision]);

	return {
		...view,
		refresh,
		more: () => read(view.next),
		replace: (row) =>
			setView((before) => ({
				...before,
				hits: before.hits?.map((hit) => (hit.row.id === row.id ? { ...hit, row } : hit)) ?? null,
			})),
		setProblem: (problem) => setView((before) => ({ ...before, problem, unread: false })),
	};
}
