import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { Button } from '#renderer/ui/button.tsx';
import { Dialog } from '#renderer/ui/dialog.tsx';
import { useParts, useSetting } from '#renderer/window/parts.ts';
import { byLanguage } from '#shared/captions/copying.ts';
import type { CaptionRow } from '#shared/captions/segment.ts';
import type { Judged } from '#shared/facts/compare-facts.ts';
import { rowFacts } from '#shared/facts/row-facts.ts';
import { isRightToLeft, localeTag } from '#shared/protocol/languages.ts';
import { TASK_RANGE } from '#shared/protocol/limits.ts';
import styles from './fact-chips.module.css';

interface FactDialogProps {
	readonly row: CaptionRow;
	readonly onClose: () => void;
}

/**
 * A sentence and its translation in large letters, to show to somebody, with doubtful facts marked. My own sentence can
 * be repeated.
 */
export function FactDialog({ row, onClose }: FactDialogProps) {
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
