import { useState } from 'react';
import { FileTrigger } from 'react-aria-components';
import { CorrectDialog } from '#renderer/captions/correct-word.tsx';
import { list } from '#renderer/i18n/format.ts';
import { isolate } from '#renderer/i18n/i18n.ts';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { LanguageLabel } from '#renderer/languages/language-label.tsx';
import { NoticeLine, ProblemNotice } from '#renderer/problems/problem-notice.tsx';
import { TableFaults, textOf } from '#renderer/problems/table-file.tsx';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import { Button, ButtonRow } from '#renderer/ui/button.tsx';
import field from '#renderer/ui/field.module.css';
import { Icon } from '#renderer/ui/icon.tsx';
import { SearchField } from '#renderer/ui/search-field.tsx';
import { WindowedList } from '#renderer/ui/windowed-list.tsx';
import { withCorrections } from '#shared/captions/apply-corrections.ts';
import type { Correction } from '#shared/captions/corrections.ts';
import { folded } from '#shared/history/search-text.ts';
import { type CorrectionsPut, LONGEST_CORRECTIONS_TABLE } from '#shared/host/glossaries.ts';
import { csvOf, withoutFormulas } from '#shared/lib/csv.ts';
import type { Problem } from '#shared/problem.ts';
import { localeTag } from '#shared/protocol/languages.ts';
import { CAPTION_SIZE_PX } from '#shared/settings/schema.ts';
import styles from './corrections-setting.module.css';
import { ButtonsRow, NumberSetting, Section, SelectSetting, SwitchSetting } from './setting-fields.tsx';

export function CaptionsSection() {
	const { t } = useTranslation();
	return (
		<Section title={t('settings.captions')}>
			<NumberSetting
				name="captionSize"
				label={t('settings.captionSize')}
				min={CAPTION_SIZE_PX.smallest}
				max={CAPTION_SIZE_PX.largest}
				step={2}
			/>
			<SelectSetting
				name="captionLayout"
				label={t('captions.arrange')}
				options={[
					{ value: 'beside', label: t('captions.beside') },
					{ value: 'under', label: t('captions.under') },
					{ value: 'target', label: t('captions.targetOnly') },
				]}
			/>
			<SwitchSetting name="checkFacts" label={t('facts.setting')} hint={t('facts.hint')} />
			<SwitchSetting
				name="announceCaptions"
				label={t('settings.announceCaptions')}
				hint={t('settings.announceHint')}
			/>
			<CorrectionsSetting />
		</Section>
	);
}

/** With more rows there is a search box, and only those in view are rendered: all would take seconds. */
const MANY = 20;

/** Height of a row, px. */
const ROW_HEIGHT = 36;

/** Outcome of the last action on the corrections. */
type Outcome =
	| { readonly said: string; readonly before?: readonly Correction[] }
	| { readonly problem: Problem };

/** All corrected words, newest first: to change, remove, restore, import, export, add to glossaries. */
function CorrectionsSetting() {
	const { t, i18n } = useTranslation();
	const { settings, host } = useParts();
	const corrections = useSetting('corrections');
	const [editing, setEditing] = useState<Correction | null>(null);
	const [outcome, setOutcome] = useState<Outcome | null>(null);
	const [busy, setBusy] = useState(false);
	const write = (next: readonly Correction[]) => void settings.write({ corrections: [...next] });
	const isEmpty = corrections.length === 0;

	function edit(one: Correction): void {
		// Undoing an earlier action would undo this change as well.
		setOutcome(null);
		setEditing(one);
	}

	function remove(one: Correction): void {
		write(corrections.filter((other) => other !== one));
		setOutcome({ said: t('correct.removed'), before: corrections });
	}

	async function read(file: File): Promise<void> {
		const tooMany: Problem = { kind: 'table-invalid', lines: [{ line: 0, reason: 'too-many' }], more: 0 };
		if (file.size > 4 * LONGEST_CORRECTIONS_TABLE) return setOutcome({ problem: tooMany });
		const table = await textOf(file);
		if (table === null) return setOutcome({ said: t('glossary.fileUnreadable') });
		if (table.length > LONGEST_CORRECTIONS_TABLE) return setOutcome({ problem: tooMany });
		const found = await host.ask('corrections.read', { table });
		if (!found.ok) return setOutcome({ problem: found.error });
		const before = settings.store.getState().values.corrections;
		const next = withCorrections(before, found.value);
		if (next === null) return setOutcome({ problem: tooMany });
		write(next);
		setOutcome({ said: t('correct.added'), before });
	}

	async function save(): Promise<void> {
		const text = csvOf([
			['language', 'wrong', 'right'],
			...corrections.map(({ language, wrong, right }) => [
				language,
				withoutFormulas(wrong),
				withoutFormulas(right),
			]),
		]);
		// Excel on Windows reads a file without a byte order mark as something other than UTF-8.
		const file = { suggestedName: 'corrections.csv', text: `\ufeff${text}` };
		const saved = await host.ask('file.save-text', file);
		if (!saved.ok) return setOutcome({ problem: saved.error });
		if (saved.value !== null) setOutcome({ said: t('correct.saved', { file: isolate(saved.value) }) });
	}

	async function putIntoGlossaries(): Promise<void> {
		setBusy(true);
		const put = await host.ask('glossary.from-corrections', undefined);
		setBusy(false);
		if (!put.ok) return setOutcome({ problem: put.error });
		const { made, replaced, problem } = put.value;
		keepChosen(replaced);
		if (problem) return setOutcome({ problem });
		const names = list(
			made.map(({ name }) => isolate(name)),
			i18n.language,
		);
		setOutcome({ said: t('correct.inGlossaries', { names }) });
	}

	/** In the chosen glossaries, replaces each replaced glossary by its successor. */
	function keepChosen(replaced: CorrectionsPut['replaced']): void {
		const { glossaries } = settings.store.getState().values;
		if (typeof glossaries === 'string' || !replaced.some(({ id }) => glossaries.includes(id))) return;
		const newIdOf = new Map(replaced.map(({ id, by }) => [id, by]));
		const next = glossaries.map((id) => (newIdOf.has(id) ? newIdOf.get(id) : id));
		void settings.write({ glossaries: [...new Set(next.filter((id) => typeof id === 'string'))] });
	}

	const words = (
		<div className={styles.words}>
			{isEmpty ? (
				<p className={field.hint}>{t('correct.none')}</p>
			) : (
				<CorrectionsList corrections={corrections} onEdit={edit} onRemove={remove} />
			)}
			<ButtonRow>
				<FileTrigger
					acceptedFileTypes={['.csv', '.tsv', '.txt', 'text/csv']}
					onSelect={(files) => {
						const file = files?.[0];
						if (file) void read(file);
					}}
				>
					<Button>{t('correct.file')}</Button>
				</FileTrigger>
				<Button isDisabled={isEmpty} onPress={() => void save()}>
					{t('correct.saveCsv')}
				</Button>
				<Button isDisabled={isEmpty || busy} onPress={() => void putIntoGlossaries()}>
					{t(busy ? 'correct.puttingIn' : 'correct.toGlossaries')}
				</Button>
			</ButtonRow>
			{outcome && <Came outcome={outcome} onUndo={write} onDone={() => setOutcome(null)} />}
			{editing && (
				<CorrectDialog
					texts={[{ language: editing.language, text: editing.wrong }]}
					marked={{ language: editing.language, words: editing.wrong }}
					given={editing}
					onClose={() => setEditing(null)}
				/>
			)}
		</div>
	);
	return (
		<ButtonsRow name="corrections" label={t('correct.list')} words={words}>
			{null}
		</ButtonsRow>
	);
}

interface CameProps {
	readonly outcome: Outcome;
	readonly onUndo: (before: readonly Correction[]) => void;
	readonly onDone: () => void;
}

function Came({ outcome, onUndo, onDone }: CameProps) {
	const { t } = useTranslation();
	if ('problem' in outcome) {
		const { problem } = outcome;
		return (
			<>
				<ProblemNotice problem={problem} onDismiss={onDone} />
				{problem.kind === 'table-invalid' && <TableFaults problem={problem} />}
			</>
		);
	}
	const { said, before } = outcome;
	const take = () => {
		onDone();
		if (before) onUndo(before);
	};
	return (
		<NoticeLine
			tone="info"
			text={said}
			{...(before && { action: { label: t('correct.undo'), take, undo: true } })}
			{...(!before && { dismiss: { label: t('notice.dismiss'), take: onDone } })}
		/>
	);
}

interface CorrectionsListProps {
	readonly corrections: readonly Correction[];
	readonly onEdit: (correction: Correction) => void;
	readonly onRemove: (correction: Correction) => void;
}

/** Every correction, newest first; with a search box if there are many. */
function CorrectionsList({ corrections, onEdit, onRemove }: CorrectionsListProps) {
	const { t } = useTranslation();
	const [typed, setTyped] = useState('');
	const hasSearch = corrections.length > MANY;
	const wanted = hasSearch ? folded(typed.trim()) : '';
	const shown = corrections
		.filter(({ wrong, right }) => wanted === '' || folded(`${wrong}\n${right}`).includes(wanted))
		.toReversed();
	const row = (one: Correction) => <Row correction={one} onEdit={onEdit} onRemove={onRemove} />;
	const label = t('correct.list');
	return (
		<>
			{hasSearch && <SearchField label={t('correct.search')} typed={typed} onTyped={setTyped} />}
			{shown.length === 0 && (
				<p role="status" className={field.hint}>
					{t('history.nothingFound', { query: isolate(typed.trim()) })}
				</p>
			)}
			{shown.length > 0 && shown.length <= MANY && (
				<ul className={styles.list} aria-label={label}>
					{shown.map((one) => (
						<li key={`${one.language} ${one.wrong}`}>{row(one)}</li>
					))}
				</ul>
			)}
			{shown.length > MANY && (
				<div className={styles.window}>
					<WindowedList
						// A new search starts at the top.
						key={wanted}
						label={label}
						count={shown.length}
						estimate={ROW_HEIGHT}
						from="start"
						row={(index) => {
							const one = shown[index];
							return one && row(one);
						}}
					/>
				</div>
			)}
		</>
	);
}

interface RowProps {
	readonly correction: Correction;
	readonly onEdit: (correction: Correction) => void;
	readonly onRemove: (correction: Correction) => void;
}

function Row({ correction, onEdit, onRemove }: RowProps) {
	const { t } = useTranslation();
	const { language, wrong, right } = correction;
	const names = { wrong: isolate(wrong), right: isolate(right) };
	return (
		<div className={styles.row}>
			<span className={styles.pair}>
				<del>
					<bdi lang={localeTag(language)}>{wrong}</bdi>
				</del>{' '}
				<ins>
					<bdi lang={localeTag(language)}>{right}</bdi>
				</ins>
			</span>
			<span className={field.hint}>
				<LanguageLabel code={language} />
			</span>
			<Button look="quiet" square aria-label={t('correct.edit', names)} onPress={() => onEdit(correction)}>
				<Icon name="edit" size={16} />
			</Button>
			<Button
				look="quiet"
				square
				aria-label={t('correct.remove', names)}
				onPress={() => onRemove(correction)}
			>
				<Icon name="trash" size={16} />
			</Button>
		</div>
	);
}
