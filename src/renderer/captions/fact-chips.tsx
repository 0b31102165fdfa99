import { type ReactNode, useState } from 'react';
import { Button as AriaButton } from 'react-aria-components';
import { useStore } from 'zustand';
import { isolate } from '#renderer/i18n/i18n.ts';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import { Button } from '#renderer/ui/button.tsx';
import { Dialog } from '#renderer/ui/dialog.tsx';
import { Icon } from '#renderer/ui/icon.tsx';
import { byLanguage } from '#shared/captions/copied-text.ts';
import type { CaptionRow } from '#shared/captions/segment.ts';
import type { Judged } from '#shared/facts/compare-facts.ts';
import { rowFacts } from '#shared/facts/find-facts.ts';
import { isRightToLeft, localeTag } from '#shared/protocol/languages.ts';
import { TASK_RANGE } from '#shared/protocol/limits.ts';
import styles from './fact-chips.module.css';

export interface FactChipsProps {
	readonly row: CaptionRow;
	/** Language of a translation; null: the source. */
	readonly language: string | null;
	/** True if the source is not shown, so that its missing facts are listed with the translation. */
	readonly alsoSaid?: boolean;
}

/**
 * A sentence's numbers, dates and addresses.
 * One that is missing in the other text is amber, and opens both texts in large letters.
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

interface FactDialogProps {
	readonly row: CaptionRow;
	readonly onClose: () => void;
}

/** A sentence and its translation in large letters to show to somebody, with doubtful facts marked. */
function FactDialog({ row, onClose }: FactDialogProps) {
	const { t } = useTranslation();
	const { conversation } = useParts();
	const mode = useSetting('mode');
	const canSay = useStore(conversation.store, ({ phase, paused }) => phase === 'live' && !paused);
	const { source, leg } = row;
	if (!source) return null;
	const facts = rowFacts(row);
	const isMine = leg !== 'incoming' && mode !== 'captions' && mode !== 'listen';
	const fits = source.text.trim().length <= TASK_RANGE.ttsText;

	function again(): void {
		if (source && conversation.say({ text: source.text, language: source.language, translate: true }))
			onClose();
	}

	return (
		<Dialog
			title={t('facts.title')}
			isOpen
			closeLabel={t('app.close')}
			onClose={onClose}
			actions={
				<>
					{isMine && fits && (
						<Button isDisabled={!canSay} onPress={again}>
							{t('facts.again')}
						</Button>
					)}
					<Button look="primary" onPress={onClose}>
						{t('app.close')}
					</Button>
				</>
			}
		>
			<p>{t('facts.intro')}</p>
			<Large title={t('facts.said')} language={source.language} text={source.text} judged={facts.said} />
			{byLanguage(row.translations).map((segments) => {
				const language = segments[0]?.language ?? '';
				return (
					<Large
						key={language}
						title={t('facts.told')}
						language={language}
						text={segments.map(({ text }) => text).join(' ')}
						judged={facts.translated.get(language) ?? []}
					/>
				);
			})}
		</Dialog>
	);
}

interface LargeProps {
	readonly title: string;
	readonly language: string;
	readonly text: string;
	readonly judged: readonly Judged[];
}

function Large({ title, language, text, judged }: LargeProps) {
	const pieces: ReactNode[] = [];
	let upTo = 0;
	for (const { fact, verdict } of judged) {
		if (verdict === 'same' || fact.start < upTo) continue;
		pieces.push(
			text.slice(upTo, fact.start),
			<mark key={fact.start}>{text.slice(fact.start, fact.end)}</mark>,
		);
		upTo = fact.end;
	}
	pieces.push(text.slice(upTo));
	return (
		<>
			<h3 className={styles.side}>{title}</h3>
			<p className={styles.large} lang={localeTag(language)} dir={isRightToLeft(language) ? 'rtl' : 'ltr'}>
				{pieces}
			</p>
		</>
	);
}
