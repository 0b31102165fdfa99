import { useEffect, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { factsOf, list, size } from '#renderer/i18n/format.ts';
import { isolate } from '#renderer/i18n/i18n.ts';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { ModelProgress } from '#renderer/models/model-progress.tsx';
import styles from '#renderer/models/models.module.css';
import {
	bytesOf,
	factWords,
	isOnItsWay,
	languageNames,
	languagesOf,
	MOST_NAMED,
	type ModelActs,
	modelName,
	modelTitle,
	useModels,
} from '#renderer/models/use-models.ts';
import { ProblemNotice, problemWords } from '#renderer/problems/problem-notice.tsx';
import { AskDialog } from '#renderer/shell/ask-dialog.tsx';
import { useParts } from '#renderer/shell/parts.ts';
import { Button, ButtonRow } from '#renderer/ui/button.tsx';
import { EmptyState } from '#renderer/ui/empty-state.tsx';
import { SearchField } from '#renderer/ui/search-field.tsx';
import tag from '#renderer/ui/tag.module.css';
import { type ModelEntry, ModelRole } from '#shared/host/models.ts';
import { folded } from '#shared/i18n/language-names.ts';
import { Section, SwitchSetting } from './setting-fields.tsx';
import page from './settings-page.module.css';

/** The models of the interpreter on this computer: installed models, available models, and free disk space. */
export function ModelsSection() {
	const { t, i18n } = useTranslation();
	const { models: mirror, navigation } = useParts();
	const locale = i18n.language;
	const { models, freeBytes, folder, problem, failure } = useStore(mirror.store);
	const acts = useModels();
	const [removing, setRemoving] = useState<ModelEntry | null>(null);
	const [said, setSaid] = useState('');
	const top = useRef<HTMLDivElement>(null);
	useEffect(() => void mirror.load(), [mirror]);
	const mine = models.filter(({ state }) => state !== 'available');
	const used = bytesOf(models.filter(({ state }) => state === 'installed'));

	async function remove(model: ModelEntry): Promise<void> {
		setRemoving(null);
		const isGone = await acts.remove(model);
		setSaid(isGone ? t('models.removed', { name: modelName(model, t, locale) }) : '');
		// Move focus to the top, because the focused button disappeared with its row.
		if (document.activeElement === document.body) top.current?.focus();
	}

	return (
		<>
			<Section title={t('models.title')} place="models">
				<div ref={top} tabIndex={-1} data-setting="models">
					<p>{t('models.lead')}</p>
				</div>
				<SwitchSetting name="takeOverHere" label={t('models.takeOver')} hint={t('models.takeOverHint')} />
				{problem && <ProblemNotice problem={problem} tone="warning" />}
				{failure && <ProblemNotice problem={failure} onRetry={() => void mirror.load()} />}
				{acts.problem && <ProblemNotice problem={acts.problem} onDismiss={acts.dismiss} />}
				<dl className={page.facts}>
					<dt>{t('models.folder')}</dt>
					<dd>
						<bdi dir="ltr">{folder}</bdi>
					</dd>
				</dl>
				<div className={page.reason}>
					<p>
						{factsOf([
							t('models.used', { size: isolate(size(used, locale)) }),
							freeBytes === null ? '' : t('models.free', { size: isolate(size(freeBytes, locale)) }),
						])}
					</p>
					<p role="status">{said}</p>
				</div>
			</Section>
			<Section title={t('models.installed')}>
				{mine.length === 0 ? (
					<EmptyState
						icon="computer"
						title={t('models.none')}
						action={
							<Button onPress={() => navigation.go('live', 'languages')}>
								{t('models.chooseLanguages')}
							</Button>
						}
					>
						{t('models.noneHint')}
					</EmptyState>
				) : (
					<ul className={styles.list}>
						{mine.map((model) => (
							<ModelRow key={model.id} model={model} acts={acts} onRemove={() => setRemoving(model)} />
						))}
					</ul>
				)}
			</Section>
			{!problem && <Available models={models} acts={acts} free={freeBytes} />}
			<AskDialog
				role="alertdialog"
				title={t('models.removeNamed', { name: removing ? modelName(removing, t, locale) : '' })}
				isOpen={removing !== null}
				onClose={() => setRemoving(null)}
				verb={t('models.remove')}
				look="danger"
				onDo={() => removing && void remove(removing)}
			>
				<p>{t('models.removeLead')}</p>
			</AskDialog>
		</>
	);
}

interface AvailableProps {
	readonly models: readonly ModelEntry[];
	readonly acts: ModelActs;
	readonly free: number | null;
}

/** The available models, well over a hundred: one group per role, folded unless a search opens it. */
function Available({ models, acts, free }: AvailableProps) {
	const { t, i18n } = useTranslation();
	const locale = i18n.language;
	const [typed, setTyped] = useState('');
	const sought = folded(typed.trim());
	const found = models.filter(
		(model) =>
			model.state === 'available' &&
			(sought === '' || languageNames(model.languages, locale).some((name) => folded(name).includes(sought))),
	);
	return (
		<Section title={t('models.available')}>
			<SearchField label={t('models.search')} typed={typed} onTyped={setTyped} />
			<div role="status">{found.length === 0 && <p className={page.reason}>{t('models.noneFound')}</p>}</div>
			{ModelRole.options.map((role) => {
				const group = found.filter((model) => model.role === role);
				if (group.length === 0) return null;
				return (
					<details key={`${role} ${sought === ''}`} className={styles.group} open={sought !== ''}>
						<summary>
							{factsOf([t(`models.role.${role}`), new Intl.NumberFormat(locale).format(group.length)])}
						</summary>
						<ul className={styles.list}>
							{group.map((model) => (
								<ModelRow key={model.id} model={model} acts={acts} free={free} />
							))}
						</ul>
					</details>
				);
			})}
		</Section>
	);
}

interface ModelRowProps {
	readonly model: ModelEntry;
	readonly acts: ModelActs;
	readonly free?: number | null;
	readonly onRemove?: () => void;
}

/** One model: its purpose, size, quality and licence, and the actions possible now. */
function ModelRow({ model, acts, free = null, onRemove }: ModelRowProps) {
	const { t, i18n } = useTranslation();
	const locale = i18n.language;
	const { state } = model;
	const [naming, setNaming] = useState(false);
	const isComing = isOnItsWay(model);
	const isFull = free !== null && free < model.bytes;
	const name = modelName(model, t, locale);
	const named = (words: string) => ({ 'aria-label': `${words}: ${name}` });
	return (
		<li className={styles.row} data-model={model.id} data-state={state}>
			<div className={styles.words}>
				<p className={styles.name}>
					{modelTitle(model, t, locale)}{' '}
					{state !== 'installed' && state !== 'available' && (
						<span className={tag.tag}>{t(`models.state.${state}`)}</span>
					)}
				</p>
				<p className={styles.facts}>{factWords(model, t, locale)}</p>
				{model.languages.length > MOST_NAMED && (
					<details className={styles.facts} onToggle={({ currentTarget }) => setNaming(currentTarget.open)}>
						<summary>{languagesOf(model, t, locale)}</summary>
						{naming && list(languageNames(model.languages, locale), locale)}
					</details>
				)}
				{(isComing || state === 'paused') && <ModelProgress models={[model]} />}
				{model.problem && <p className={styles.problem}>{problemWords(model.problem, t, locale)}</p>}
				{isFull && (
					<p className={styles.problem}>
						{t('models.room', {
							size: isolate(size(model.bytes, locale)),
							free: isolate(size(free, locale)),
						})}
					</p>
				)}
			</div>
			<ButtonRow>
				{isComing && (
					<Button {...named(t('models.pause'))} onPress={() => void acts.pause([model])}>
						{t('models.pause')}
					</Button>
				)}
				{(state === 'available' || state === 'paused' || state === 'broken') && (
					<AddButton model={model} acts={acts} name={name} isDisabled={isFull} />
				)}
				{(isComing || state === 'paused') && (
					<Button look="quiet" {...named(t('app.cancel'))} onPress={() => void acts.cancel([model])}>
						{t('app.cancel')}
					</Button>
				)}
				{(state === 'installed' || state === 'broken') && (
					<Button look="quiet" {...named(t('models.remove'))} onPress={() => onRemove?.()}>
						{t('models.remove')}
					</Button>
				)}
			</ButtonRow>
		</li>
	);
}

interface AddButtonProps {
	readonly model: ModelEntry;
	readonly acts: ModelActs;
	readonly name: string;
	readonly isDisabled: boolean;
}

function AddButton({ model, acts, name, isDisabled }: AddButtonProps) {
	const { t } = useTranslation();
	const words = t(model.state === 'paused' ? 'models.resume' : 'models.download');
	return (
		<Button aria-label={`${words}: ${name}`} isDisabled={isDisabled} onPress={() => void acts.add([model])}>
			{words}
		</Button>
	);
}
