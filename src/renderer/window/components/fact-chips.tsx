import { useState } from 'react';
import { Button as AriaButton } from 'react-aria-components';
import { useTranslation } from 'react-i18next';
import { Icon } from '#renderer/ui/icon.tsx';
import { isolate } from '#renderer/window/words/i18n.ts';
import type { CaptionRow } from '#shared/captions/segment.ts';
import type { Judged } from '#shared/facts/compare-facts.ts';
import { rowFacts } from '#shared/facts/row-facts.ts';
import { localeTag } from '#shared/protocol/languages.ts';
import styles from './fact-chips.module.css';
import { FactDialog } from './fact-dialog.tsx';

export interface FactChipsProps {
	readonly row: CaptionRow;
	/** Language of a translation; null: the source. */
	readonly language: string | null;
	/** The source is not shown: its missing facts are listed with the translation. */
	readonly alsoSaid?: boolean;
}

/**
 * The numbers, dates and addresses of a sentence; one that the other text lacks is amber and opens both texts, large.
 */
export function FactChips({ row, language, alsoSaid = false }: FactChipsProps) {
	const { t } = useTranslation();
	const [isOpen, setOpen] = useState(false);
	const facts = rowFacts(row);
	const judged = language === null ? facts.said : (facts.translated.get(language) ?? []);
	const missing = alsoSaid ? facts.said.filter(({ verdict }) => verdict === 'missing') : [];
	const shown = [...missing, ...judged];
	if (shown.length === 0) return null;

	function words(one: Judged): string {
		const fact = { fact: isolate(one.fact.text) };
		if (one.verdict === 'differs') return t('facts.differs', fact);
		const isOfSaid = language === null || missing.includes(one);
		return isOfSaid ? t('facts.missing', fact) : t('facts.added', fact);
	}

	return (
		// biome-ignore lint/a11y/useSemanticElements: a fieldset cannot stand in a paragraph.
		<span className={styles.chips} role="group" aria-label={t('facts.label')}>
			{shown.map((one) =>
				one.verdict === 'same' ? (
					<span
						key={keyOf(one)}
						className={styles.chip}
						data-fact="same"
						dir="auto"
						lang={langOf(row, language)}
					>
						{one.fact.text}
					</span>
				) : (
					<AriaButton
						key={keyOf(one)}
						className={`${styles.chip} ${styles.doubt}`}
						data-fact={one.verdict}
						aria-label={words(one)}
						onPress={() => setOpen(true)}
					>
						<Icon name="alert" size={16} />
						<bdi>{one.fact.text}</bdi>
					</AriaButton>
				),
			)}
			{isOpen && <FactDialog row={row} onClose={() => setOpen(false)} />}
		</span>
	);
}

function keyOf({ fact }: Judged): string {
	return `${fact.start} ${fact.text}`;
}

function langOf({ source }: CaptionRow, language: string | null): string | undefined {
	return localeTag(language ?? source?.language ?? '');
}
