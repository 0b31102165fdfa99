import { useCallback, useEffect, useRef, useState } from 'react';
import { useParts } from '#renderer/window/parts.ts';
import type { SessionRow } from '#shared/host/contract.ts';
import type { Problem } from '#shared/problem.ts';

/** Pages read unasked; further ones on request. */
const PAGES_AT_ONCE = 4;

export interface SessionsView {
	/** Null until the first page has come. */
	readonly rows: readonly SessionRow[] | null;
	readonly loading: boolean;
	readonly problem: Problem | null;
	/** The problem is that they could not be read. */
	readonly unread: boolean;
	/** There are more; `more` reads them. */
	readonly next: string | null;
	/** The service's list did not end and was cut off. */
	readonly cut: boolean;
	readonly brokenLedger: string | null;
	/** The server's time is the monotonic clock plus this, ms. */
	readonly serverAheadMs: number;
}

export interface Sessions extends SessionsView {
	refresh(): Promise<void>;
	more(): Promise<void>;
	/** Shows a new expiry without reading everything again. */
	setExpiry(handle: string, expiresAt: number): void;
	setProblem(problem: Problem | null): void;
}

const nothing: SessionsView = {
	rows: null,
	loading: false,
	problem: null,
	unread: false,
	next: null,
	cut: false,
	brokenLedger: null,
	serverAheadMs: 0,
};

/** The account's open sessions, a page at a time and shown as they come; read anew after a sleep. */
export function useSessions(): Sessions {
	const { host, clock } = useParts();
	const [view, setView] = useState(nothing);
	/** Number of the latest reading; pages of earlier ones are dropped. */
	const reading = useRef(0);

	const read = useCallback(
		async (from: string | null) => {
			const mine = ++reading.current;
			setView((before) => ({ ...before, loading: true, problem: null, unread: false }));
			let after = from;
			for (let page = 0; page < PAGES_AT_ONCE; page++) {
				const answer = await host.ask('session.list', { after });
				if (mine !== reading.current) return;
				if (!answer.ok)
					return setView((before) => ({ ...before, loading: false, problem: answer.error, unread: true }));
				const { rows, next, complete, serverNow, brokenLedger } = answer.value;
				const isFirst = after === null;
				const isLast = next === null || page === PAGES_AT_ONCE - 1;
				const serverAheadMs = serverNow - clock.now();
				setView((before) => ({
					rows: isFirst ? rows : [...(before.rows ?? []), ...rows],
					loading: !isLast,
					problem: null,
					unread: false,
					next,
					cut: !complete,
					brokenLedger,
					serverAheadMs,
				}));
				if (isLast) return;
				after = next;
			}
		},
		[host, clock],
	);

	const refresh = useCallback(() => read(null), [read]);
	useEffect(() => {
		void refresh();
		const unlisten = host.listen('power.changed', ({ event }) => {
			if (event === 'resume') void refresh();
		});
		return () => {
			reading.current++;
			unlisten();
		};
	}, [host, refresh]);

	return {
		...view,
		refresh,
		more: () => read(view.next),
		setExpiry: (handle, expiresAt) =>
			setView((before) => ({
				...before,
				rows: before.rows?.map((row) => (row.handle === handle ? { ...row, expiresAt } : row)) ?? null,
			})),
		setProblem: (problem) => setView((before) => ({ ...before, problem, unread: false })),
	};
}
