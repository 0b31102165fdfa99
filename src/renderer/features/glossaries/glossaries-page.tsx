import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '#renderer/ui/button.tsx';
import { EmptyState } from '#renderer/ui/empty-state.tsx';
import page from '#renderer/ui/page.module.css';
import { PageHead } from '#renderer/ui/page-head.tsx';
import { Segmented } from '#renderer/ui/segmented.tsx';
import { NoticeLine, ProblemNotice } from '#renderer/window/components/problem-notice.tsx';
import { useParts, useSetting } from '#renderer/window/parts.ts';
import { isolate } from '#renderer/window/words/i18n.ts';
import type { Glossary } from '#shared/host/glossaries.ts';
import type { Problem } from '#shared/problem.ts';
import { GlossaryCard } from './glossary-card.tsx';
import { MakeGlossary } from './make-glossary.tsx';
import { useGlossaries } from './use-glossaries.ts';

const USES = ['all', 'chosen', 'none'] as const;

/** The account's glossaries: which apply, and the way to a new one. */
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
	const labels = {
		all: t('glossary.useAll'),
		chosen: t('glossary.useChosen'),
		none: t('glossary.useNone'),
	};

	function choose(next: (typeof USES)[number]): void {
		const ids = () => (all ?? []).filter(({ enabled }) => enabled !== false).map(({ id }) => id);
		void settings.write({ glossaries: next === 'chosen' ? ids() : next });
	}

	function tick({ id }: Glossary, isUsed: boolean): void {
		if (typeof use === 'string') return;
		const others = use.filter((other) => other !== id);
		void settings.write({ glossaries: isUsed ? [...others, id] : others });
	}

	function made(old: Glossary | null, glossary: Glossary, left: boolean): void {
		const name = isolate(glossary.name);
		if (old) {
			glossaries.replace(old.id, glossary, left);
			setSaid(t(left ? 'glossary.changedLeft' : 'glossary.changed', { name }));
		} else {
			glossaries.add(glossary);
			setSaid(t('glossary.made', { name }));
		}
	}

	async function failed(failure: Problem, name: string, isSaid: boolean): Promise<void> {
		if (!isSaid) glossaries.setProblem(failure);
		// Of a table with faults nothing was sent.
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
				{all && all.length > 0 && (
					<Segmented
						label={t('glossary.use')}
						options={USES.map((value) => ({ value, label: labels[value] }))}
						value={typeof use === 'string' ? use : 'chosen'}
						onChange={choose}
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
							isUsed={typeof use === 'string' ? null : use.includes(glossary.id)}
							isBusy={glossaries.switching.has(glossary.id)}
							onTick={(isUsed) => tick(glossary, isUsed)}
							onSwitch={(enabled) => void glossaries.enable(glossary, enabled)}
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
