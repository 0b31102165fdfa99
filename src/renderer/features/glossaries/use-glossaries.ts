import { useCallback, useEffect, useState } from 'react';
import { useParts } from '#renderer/window/parts.ts';
import { useUndo } from '#renderer/window/use-undo.ts';
import type { Glossary } from '#shared/host/glossaries.ts';
import type { Problem } from '#shared/problem.ts';

/** How long a deletion can be undone; then it is sent. */
const UNDO_MS = 6000;

export interface Glossaries {
	/** Null until the service has answered; without the one that is about to be deleted. */
	readonly all: readonly Glossary[] | null;
	readonly loading: boolean;
	readonly problem: Problem | null;
	/** The problem is that they could not be read. */
	readonly unread: boolean;
	/** Will be deleted in a moment unless that is undone. */
	readonly leaving: Glossary | null;
	/** Glossaries whose switching the service has not answered yet. */
	readonly switching: ReadonlySet<string>;
	refresh(): Promise<void>;
	/** Reads the list anew: has it one of this name that was not there before? */
	hasSince(name: string): Promise<boolean>;
	add(made: Glossary): void;
	/** It was made in place of another, which may still be there. */
	replace(id: string, made: Glossary, left: boolean): void;
	enable(glossary: Glossary, enabled: boolean): Promise<void>;
	remove(glossary: Glossary): void;
	takeBack(): void;
	setProblem(problem: Problem | null): void;
}

/** The glossaries of the account, and what can be done with them. */
export function useGlossaries(): Glossaries {
	const { host, settings } = useParts();
	const [all, setAll] = useState<readonly Glossary[] | null>(null);
	const [loading, setLoading] = useState(false);
	const [problem, setProblem] = useState<Problem | null>(null);
	const [unread, setUnread] = useState<Problem | null>(null);
	const [switching, setSwitching] = useState<ReadonlySet<string>>(new Set());
	const removing = useUndo(
		UNDO_MS,
		({ id }: Glossary) => id,
		async ({ id }) => {
			const deleted = await host.ask('glossary.delete', { id });
			if (!deleted.ok) return setProblem(deleted.error);
			change(id, null);
			const { glossaries } = settings.store.getState().values;
			if (typeof glossaries !== 'string' && glossaries.includes(id))
				void settings.write({ glossaries: glossaries.filter((other) => other !== id) });
		},
	);

	const refresh = useCallback(async () => {
		setLoading(true);
		const listed = await host.ask('glossary.list', undefined);
		setLoading(false);
		if (listed.ok) setAll(listed.value);
		setUnread(listed.ok ? null : listed.error);
		setProblem(listed.ok ? null : listed.error);
	}, [host]);
	useEffect(() => void refresh(), [refresh]);

	function change(id: string, to: Glossary | null): void {
		setAll((before) => before?.flatMap((one) => (one.id === id ? (to ?? []) : one)) ?? null);
	}

	async function hasSince(name: string): Promise<boolean> {
		const listed = await host.ask('glossary.list', undefined);
		if (!listed.ok) return false;
		setAll(listed.value);
		const before = all?.map(({ id }) => id);
		return listed.value.some((one) => one.name === name && before?.includes(one.id) === false);
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
		all: all?.filter((one) => !removing.isHidden(one)) ?? null,
		...{
			loading,
			problem,
			unread: unread !== null && unread === problem,
			switching,
			refresh,
			hasSince,
			enable,
			setProblem,
		},
		leaving: removing.held,
		remove: removing.hold,
		add: (made) => setAll((before) => [...(before ?? []), made]),
		replace(id, made, left) {
			setAll((before) => (before ?? []).flatMap((one) => (one.id !== id ? one : left ? [one, made] : made)));
			const { glossaries } = settings.store.getState().values;
			if (typeof glossaries !== 'string' && glossaries.includes(id))
				void settings.write({ glossaries: glossaries.map((other) => (other === id ? made.id : other)) });
		},
		takeBack: removing.takeBack,
	};
}
