import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '#renderer/ui/button.tsx';
import field from '#renderer/ui/field.module.css';
import { Icon } from '#renderer/ui/icon.tsx';
import { SearchField } from '#renderer/ui/search-field.tsx';
import { WindowedList } from '#renderer/ui/windowed-list.tsx';
import { LanguageLabel } from '#renderer/window/components/language-label.tsx';
import { isolate } from '#renderer/window/words/i18n.ts';
import type { Correction } from '#shared/captions/correction.ts';
import { folded } from '#shared/history/fold.ts';
import { localeTag } from '#shared/protocol/languages.ts';
import styles from './corrections-setting.module.css';

/** From this many on there is a search box and only rows in view are rendered: a thousand would take seconds. */
const MANY = 20;
/** Height of a row, px. */
const ROW_HEIGHT = 36;

export interface CorrectionsListProps {
	readonly corrections: readonly Correction[];
	readonly onEdit: (correction: Correction) => void;
	readonly onRemove: (correction: Correction) => void;
}

/** Every correction, newest first; with a search box if there are many. */
export function CorrectionsList({ corrections, onEdit, onRemove }: CorrectionsListProps) {
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
