import { useCallback, useEffect, useRef, useState } from 'react';
import { isolate } from '#renderer/i18n/i18n.ts';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { LanguageLabel } from '#renderer/languages/language-label.tsx';
import { NoticeLine, ProblemNotice } from '#renderer/problems/problem-notice.tsx';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import { useUndo } from '#renderer/shell/use-undo.ts';
import { Button } from '#renderer/ui/button.tsx';
import { EmptyState } from '#renderer/ui/empty-state.tsx';
import { Icon } from '#renderer/ui/icon.tsx';
import page from '#renderer/ui/page.module.css';
import { PageHead } from '#renderer/ui/page-head.tsx';
import { Switch } from '#renderer/ui/switch.tsx';
import type { Glossary } from '#shared/host/glossaries.ts';
import type { Problem } from '#shared/problem.ts';
import { GLOSSARY_KINDS } from '#shared/protocol/glossary.ts';
import styles from './glossaries-page.module.css';
import { MakeGlossary } from './make-glossary.tsx';

/** The account's glossaries: which ones apply, and the form for a new one. */
export function GlossariesPage() {
	const { t } = useTranslation();
	const { settings } = useParts();
	const glossaries = useGlossaries();
	const { all, loading, problem, leaving } = glossaries;
	const use = useSetting('glossaries');
	/** Whether the form is open: for a new glossary, or to change an old one. */
	const [making, setMaking] = useState<'new' | Glossary | null>(null);
	const [said, setSaid] = useState('');
	const title = useRef<HTMLHeadingElement>(null);
	const isUnavailable = problem?.kind === 'glossaries-unavailable';
	const isOn = ({ id, enabled }: Glossary) =>
		enabled !== false && (typeof use === 'string' ? use === 'all' : use.includes(id));

	/** Switches a glossary for conversations. The service's own switch is account-wide, so we only turn it on. */
	async function turn(glossary: Glossary, on: boolean): Promise<void> {
		if (on && glossary.enabled === false && !(await glossaries.enable(glossary, true))) return;
		const ids = (all ?? []).filter((one) => (one.id === glossary.id ? on : isOn(one))).map(({ id }) => id);
		choose(ids, all ?? []);
	}

	function choose(ids: readonly string[], of: readonly Glossary[]): void {
		const next = ids.length === of.length ? 'all' : ids.length === 0 ? 'none' : [...ids];
		void settings.write({ glossaries: next });
	}

	function made(old: Glossary | null, glossary: Glossary, left: boolean): void {
		const name = isolate(glossary.name);
		if (old) {
			glossaries.replace(old.id, glossary, left);
			setSaid(t(left ? 'glossary.changedLeft' : 'glossary.changed', { name }));
		} else {
			glossaries.add(glossary);
			if (use !== 'all') void settings.write({ glossaries: [...(use === 'none' ? [] : use), glossary.id] });
			setSaid(t('glossary.made', { name }));
		}
	}

	async function failed(failure: Problem, name: string, isSaid: boolean): Promise<void> {
		if (!isSaid) glossaries.setProblem(failure);
		// Nothing was sent if the table has faults.
		if (failure.kind === 'table-invalid') return;
		if (await glossaries.hasSince(name)) setSaid(t('glossary.madeEmpty', { name: isolate(name) }));
	}

	function close(done: boolean): void {
		setMaking(null);
		if (done) title.current?.focus();
	}

	const old = making === 'new' ? null : making;

	return (
		<main className={page.page}>
			<div className={page.column}>
				<PageHead title={t('glossary.title')} lead={t('glossary.lead')} titleRef={title}>
					{!making && !isUnavailable && (
						<Button look="primary" onPress={() => setMaking('new')}>
							{t('glossary.make')}
						</Button>
					)}
					<Button isDisabled={loading} onPress={() => void glossaries.refresh()}>
						{t('glossary.refresh')}
					</Button>
				</PageHead>
				{problem && (
					<ProblemNotice
						problem={problem}
						onDismiss={() => glossaries.setProblem(null)}
						onRetry={glossaries.unread ? () => void glossaries.refresh() : undefined}
					/>
				)}
				{making && (
					<MakeGlossary
						key={old?.id ?? ''}
						old={old}
						onMade={(glossary, left) => made(old, glossary, left)}
						onFailed={(failure, name, isSaid) => void failed(failure, name, isSaid)}
						onClose={close}
					/>
				)}
				<p role="status" className={page.lead}>
					{[said, loading && all === null ? t('glossary.loading') : '']
						.filter((text) => text !== '')
						.join(' ')}
				</p>
				{leaving && (
					<NoticeLine
						tone="info"
						text={t('glossary.deleting', { name: isolate(leaving.name) })}
						action={{ label: t('glossary.undo'), take: glossaries.takeBack, undo: true }}
					/>
				)}
				{all?.length === 0 && !leaving && !making && !problem && (
					<EmptyState icon="captions" title={t('glossary.none')}>
						{t('glossary.noneHint')}
					</EmptyState>
				)}
				<ul className={page.list} aria-busy={loading}>
					{all?.map((glossary) => (
						<GlossaryCard
							key={glossary.id}
							glossary={glossary}
							isOn={isOn(glossary)}
							isBusy={glossaries.switching.has(glossary.id)}
							onTurn={(on) => void turn(glossary, on)}
							onChange={() => setMaking(glossary)}
							onDelete={() => {
								glossaries.remove(glossary);
								title.current?.focus();
							}}
						/>
					))}
				</ul>
			</div>
		</main>
	);
}

interface GlossaryCardProps {
	readonly glossary: Glossary;
	/** Whether conversations use this glossary. */
	readonly isOn: boolean;
	/** True while the service has not answered a request to switch the glossary. */
	readonly isBusy: boolean;
	readonly onTurn: (on: boolean) => void;
	readonly onChange: () => void;
	readonly onDelete: () => void;
}

/** One glossary: its purpose, and whether it applies. */
function GlossaryCard(props: GlossaryCardProps) {
	const { t } = useTranslation();
	const { name, kind, source, target, entries } = props.glossary;
	const known = GLOSSARY_KINDS.find((one) => one === kind);
	const isPair = target !== '' && target !== source;
	return (
		<li className={page.card}>
			<div className={page.row}>
				<div className={page.facts}>
					<p className={styles.name}>
						<bdi>{name}</bdi>
					</p>
					<p className={styles.about}>
						<span>{known ? t(`glossary.kind.${known}`) : <bdi>{kind}</bdi>}</span>
						{source !== '' && (
							<span>
								<LanguageLabel code={source} />
								{isPair && (
									<>
										{' '}
										<span className={styles.arrow}>→</span> <LanguageLabel code={target} />
									</>
								)}
							</span>
						)}
						{entries !== null && <span>{t('glossary.rows', { count: entries })}</span>}
					</p>
				</div>
				<div className={styles.acts}>
					<Switch
						label={t('glossary.on')}
						name={t('glossary.switch', { name: isolate(name) })}
						isOn={props.isOn}
						isDisabled={props.isBusy}
						onChange={props.onTurn}
					/>
					{known && (
						<Button
							look="quiet"
							square
							aria-label={t('glossary.changeNamed', { name: isolate(name) })}
							onPress={props.onChange}
						>
							<Icon name="edit" size={16} />
						</Button>
					)}
					<Button
						look="quiet"
						square
						aria-label={t('glossary.deleteNamed', { name: isolate(name) })}
						onPress={props.onDelete}
					>
						<Icon name="trash" size={16} />
					</Button>
				</div>
			</div>
		</li>
	);
}

interface Glossaries {
	/** All glossaries but one that is about to be deleted; null until the service has answered. */
	readonly all: readonly Glossary[] | null;
	readonly loading: boolean;
	readonly problem: Problem | null;
	/** True if the problem is that the list could not be read. */
	readonly unread: boolean;
	/** The glossary that will be deleted in a moment unless this is undone. */
	readonly leaving: Glossary | null;
	/** Ids of glossaries whose switch the service has not answered yet. */
	readonly switching: ReadonlySet<string>;
	refresh(): Promise<void>;
	/** Reads the list again; resolves to true if the list contains a new glossary with this name. */
	hasSince(name: string): Promise<boolean>;
	add(made: Glossary): void;
	/** Replaces a glossary in the list with a new one; `left`: true if the service still has the old one. */
	replace(id: string, made: Glossary, left: boolean): void;
	/** Switches a glossary at the service. Resolves to false if that failed. */
	enable(glossary: Glossary, enabled: boolean): Promise<boolean>;
	remove(glossary: Glossary): void;
	takeBack(): void;
	setProblem(problem: Problem | null): void;
}

/** The glossaries of the account, and the actions on them. */
function useGlossaries(): Glossaries {
	const { host, settings } = useParts();
	const [all, setAll] = useState<readonly Glossary[] | null>(null);
	const [loading, setLoading] = useState(false);
	const [problem, setProblem] = useState<Problem | null>(null);
	const [unread, setUnread] = useState<Problem | null>(null);
	const [switching, setSwitching] = useState<ReadonlySet<string>>(new Set());
	const removing = useUndo(
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

	async function enable({ id }: Glossary, enabled: boolean): Promise<boolean> {
		setProblem(null);
		setSwitching((before) => new Set(before).add(id));
		const changed = await host.ask('glossary.enable', { id, enabled });
		setSwitching((before) => new Set([...before].filter((other) => other !== id)));
		if (changed.ok) change(id, changed.value);
		else setProblem(changed.error);
		return changed.ok;
	}

	return {
		all: all?.filter((one) => !removing.isHidden(one)) ?? null,
		loading,
		problem,
		unread: unread !== null && unread === problem,
		switching,
		refresh,
		hasSince,
		enable,
		setProblem,
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
