import { useCallback, useEffect, useRef, useState } from 'react';
import { useParts } from '#renderer/window/parts.ts';
import type { Glossary } from '#shared/host/glossaries.ts';
import type { Problem } from '#shared/problem.ts';

/** So long a deletion can be taken back; then it is sent. */
const UNDO_MS = 6000;

export interface Glossaries {
	/** Null until the service has answered; without the one that is about to be deleted. */
	readonly all: readonly Glossary[] | null;
	readonly loading: boolean;
	readonly problem: Problem | null;
	/** It is deleted in a moment, unless that is taken back. */
	readonly leaving: Glossary | null;
	/** Of which it is being asked whether they apply. */
	readonly switching: ReadonlySet<string>;
	refresh(): Promise<void>;
	add(made: Glossary): void;
	enable(glossary: Glossary, enabled: boolean): Promise<void>;
	remove(glossary: Glossary): void;
	takeBack(): void;
	setProblem(problem: Problem | null): void;
}

/** The glossaries of the account, and what can be done with them. */
export function useGlossaries(): Glossaries {
	const { host, clock } = useParts();
	const [all, setAll] = useState<readonly Glossary[] | null>(null);
	const [loading, setLoading] = useState(false);
	const [problem, setProblem] = useState<Problem | null>(null);
	const [leaving, setLeaving] = useState<Glossary | null>(null);
	const [switching, setSwitching] = useState<ReadonlySet<string>>(new Set());
	/** Sends the deletion that still waits. */
	const send = useRef<() => void>(() => {});
	const takeBack = useRef<() => void>(() => {});

	const refresh = useCallback(async () => {
		setLoading(true);
		const listed = await host.ask('glossary.list', undefined);
		setLoading(false);
		if (listed.ok) setAll(listed.value);
		setProblem(listed.ok ? null : listed.error);
	}, [host]);
	useEffect(() => {
		void refresh();
		// Whoever leaves the page has not taken it back.
		return () => send.current();
	}, [refresh]);

	function change(id: string, to: Glossary | null): void {
		setAll((before) => before?.flatMap((one) => (one.id === id ? (to ?? []) : one)) ?? null);
	}

	function remove(glossary: Glossary): void {
		send.current();
		setLeaving(glossary);
		const forget = () => {
			cancel();
			send.current = () => {};
			setLeaving(null);
		};
		send.current = () => {
			forget();
			change(glossary.id, null);
			void host.ask('glossary.delete', { id: glossary.id }).then((deleted) => {
				if (deleted.ok) return;
				setProblem(deleted.error);
				setAll((before) => before && [...before, glossary]);
			});
		};
		takeBack.current = forget;
		const cancel = clock.after(UNDO_MS, () => send.current());
	}

	async function enable({ id }: Glossary, enabled: boolean): Promise<void> {
		setProblem(null);
		setSwitching((before) => new Set(before).add(id));
		const changed = await host.ask('glossary.enable', { id, enabled });
		setSwitching((before) => new Set([...before].filter((other) => other !== id)));
		if (changed.ok) change(id, changed.value);
		else setProblem(changed.error);
	}

	return {
		all: all?.filter((one) => one !== leaving) ?? null,
		...{ loading, problem, leaving, switching, refresh, enable, remove, setProblem },
		add: (made) => setAll((before) => [...(before ?? []), made]),
		takeBack: () => takeBack.current(),
	};
}
