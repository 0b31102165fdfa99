import { memo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '#renderer/ui/button.tsx';
import { Icon } from '#renderer/ui/icon.tsx';
import { seconds } from '#renderer/window/format.ts';
import { languageName } from '#renderer/window/languages.ts';
import { useSetting } from '#renderer/window/parts.ts';
import { problemWords } from '#renderer/window/problem-notice.tsx';
import type { CaptionRow, Segment } from '#shared/captions/segment.ts';
import type { TypedState } from '#shared/captions/typed-texts.ts';
import { isRightToLeft, localeTag, sameLanguage } from '#shared/protocol/languages.ts';
import { SideMark, sideClass, useSide } from './caption-side.tsx';
import styles from './captions-region.module.css';

/** One thing said, with its translations. A row is the same object until it changes, so `memo` is exact. */
export const CaptionRowView = memo(function CaptionRowView({ row }: { readonly row: CaptionRow }) {
	const { t, i18n } = useTranslation();
	const voiceOf = useSetting('voiceOf');
	const detecting = useSetting('speak') === 'auto';
	const side = useSide(row);
	const several = new Set(row.translations.map((segment) => segment.language)).size > 1;
	if (row.lost) {
		const lost = seconds(row.lost.endMs - row.lost.startMs, i18n.language);
		return (
			<p className={styles.lost} data-kind="lost">
				<Icon name="alert" size={16} /> {t('captions.lost', { seconds: lost })}
			</p>
		);
	}
	return (
		<div className={`${styles.row} ${sideClass(side)}`} data-side={side}>
			{side && <SideMark side={side} />}
			{row.typed && <TypedMark state={row.typed} />}
			<p className={styles.source} dir={directionOf(row.source?.language)}>
				{row.source && (
					<>
						{detecting && <LanguageTag code={row.source.language} />}
						<SegmentText segment={row.source} label={t('captions.original')} />
					</>
				)}
			</p>
			<div className={styles.translations}>
				{byLanguage(row.translations).map(([language, segments]) => (
					<p
						key={language}
						dir={directionOf(language)}
						className={`${styles.translation} ${several && !sameLanguage(language, voiceOf) ? styles.other : ''}`}
					>
						{several && <LanguageTag code={language} />}
						{segments.map((segment, index) => (
							<span key={segment.key}>
								{index > 0 && ' '}
								<SegmentText segment={segment} label={t('captions.translation')} />
							</span>
						))}
					</p>
				))}
			</div>
			<CopyButton row={row} />
		</div>
	);
});

function SegmentText({ segment }: { readonly segment: Segment; readonly label: string }) {
	return (
		<span
			lang={localeTag(segment.language)}
			dir="auto"
			className={segment.final ? styles.final : styles.partial}
			data-final={segment.final}
			data-kind={segment.kind}
		>
			{segment.text}
		</span>
	);
}

/** Each language is set from its own side, whatever the side of the interface. */
function directionOf(language: string | undefined): 'ltr' | 'rtl' {
	return language !== undefined && isRightToLeft(language) ? 'rtl' : 'ltr';
}

/** Typed, not said, and how far it got; a refusal is announced. */
function TypedMark({ state }: { readonly state: TypedState }) {
	const { t, i18n } = useTranslation();
	return (
		<p className={styles.typed} data-typed={state.is}>
			<span className={styles.tag}>{t('typing.typed')}</span>
			{state.is === 'sending' && <span>{t('typing.sending')}</span>}
			{state.is === 'refused' && (
				<span role="alert" className={styles.refused}>
					{t('typing.refused')} {problemWords(state.problem, t, i18n.language)}
				</span>
			)}
		</p>
	);
}

function LanguageTag({ code }: { readonly code: string }) {
	const { i18n } = useTranslation();
	return <span className={styles.tag}>{languageName(code, i18n.language).local}</span>;
}

function CopyButton({ row }: { readonly row: CaptionRow }) {
	const { t } = useTranslation();
	const [copied, setCopied] = useState(false);
	return (
		<div className={styles.copy}>
			<Button
				look="quiet"
				square
				onHoverEnd={() => setCopied(false)}
				onBlur={() => setCopied(false)}
				aria-label={t(copied ? 'captions.copied' : 'captions.copy')}
				onPress={() => void navigator.clipboard.writeText(rowText(row)).then(() => setCopied(true))}
			>
				<Icon name={copied ? 'check' : 'copy'} size={16} />
			</Button>
		</div>
	);
}

/** Source first, each translation on a line of its own. */
function rowText(row: CaptionRow): string {
	const translations = byLanguage(row.translations).map(([, segments]) =>
		segments.map(({ text }) => text).join(' '),
	);
	return [...(row.source ? [row.source.text] : []), ...translations].join('\n');
}

function byLanguage(segments: readonly Segment[]): readonly (readonly [string, readonly Segment[]])[] {
	const groups = new Map<string, Segment[]>();
	for (const segment of segments) {
		const group = groups.get(segment.language);
		if (group) group.push(segment);
		else groups.set(segment.language, [segment]);
	}
	return [...groups];
}
