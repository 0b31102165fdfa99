import { type CSSProperties, useLayoutEffect, useRef } from 'react';
import { gapLength } from '#renderer/i18n/format.ts';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { splitSteady } from '#shared/captions/steady.ts';
import type { FramePiece, FrameRow } from '#shared/overlay/frames.ts';
import {
	EVERY_LANGUAGE,
	lineHeight,
	type OverlaySettings,
	shownTexts,
	textHeight,
	withOpacity,
} from '#shared/overlay/style.ts';
import { isRightToLeft, localeTag } from '#shared/protocol/languages.ts';
import styles from './caption-box.module.css';

export interface CaptionBoxProps {
	readonly style: OverlaySettings;
	readonly rows: readonly FrameRow[];
	/** Text shown until the first caption. */
	readonly empty: string;
	/** Names the speaker of each row; false for an audience, which "You" would confuse. */
	readonly sides?: boolean;
}

/** Captions in a box with a fixed number of lines, the newest in view: the text scrolls, the box never changes. */
export function CaptionBox({ style, rows, empty, sides = true }: CaptionBoxProps) {
	const box = useRef<HTMLDivElement>(null);
	// biome-ignore lint/correctness/useExhaustiveDependencies: scroll to the end whenever the content changes
	useLayoutEffect(() => {
		if (box.current) toEnd(box.current);
	}, [rows, style]);
	// At another width, the same text has more or fewer lines.
	useLayoutEffect(() => {
		const { current } = box;
		if (!current) return;
		const observer = new ResizeObserver(() => toEnd(current));
		observer.observe(current);
		return () => observer.disconnect();
	}, []);

	const look: CSSProperties & Record<`--${string}`, string> = {
		blockSize: `${textHeight(style)}px`,
		color: style.color,
		backgroundColor: withOpacity(style.background, style.opacity),
		fontSize: `${style.size}px`,
		lineHeight: `${lineHeight(style)}px`,
		'--text-color': style.color,
	};
	return (
		<div
			ref={box}
			className={styles.box}
			style={look}
			data-font={style.font}
			data-layout={style.layout}
			data-testid="caption-box"
		>
			<span className={styles.more} aria-hidden="true">
				…
			</span>
			<div className={styles.rows}>
				{rows.length === 0 && <p className={styles.empty}>{empty}</p>}
				{rows.map((row) => (
					<Row key={row.key} row={row} style={style} side={sides ? row.side : undefined} />
				))}
			</div>
		</div>
	);
}

/** Scrolls to the end, and marks whether there is more above. */
function toEnd(box: HTMLElement): void {
	box.scrollTop = box.scrollHeight;
	box.dataset['more'] = String(box.scrollHeight > box.clientHeight + 1);
}

interface RowProps {
	readonly row: FrameRow;
	readonly style: OverlaySettings;
	readonly side: FrameRow['side'];
}

function Row({ row, style, side }: RowProps) {
	const { t, i18n } = useTranslation();
	const [lost] = row.pieces.filter(({ kind }) => kind === 'lost');
	if (lost)
		return (
			<p className={styles.lost}>
				{t('captions.lost', { seconds: gapLength(lost.lostMs ?? 0, i18n.language) })}
			</p>
		);
	const { said, translated } = shownTexts(row.pieces, style);
	// Without a target language or a translation, or if the original is wanted, only the source is shown.
	const isAll = style.language !== EVERY_LANGUAGE || style.layout === 'target';
	const onlySaid = isAll && translated.length === 0;
	return (
		<div className={styles.row} data-lit={row.lit} data-side={side}>
			{side && <span className={styles.side}>{t(`legs.${side}`)}</span>}
			{said.length > 0 && <OneKind pieces={said} className={onlySaid ? undefined : styles.said} />}
			{translated.length > 0 && <OneKind pieces={translated} />}
		</div>
	);
}

function OneKind({
	pieces,
	className,
}: {
	readonly pieces: readonly FramePiece[];
	readonly className?: string | undefined;
}) {
	const groups = Map.groupBy(pieces, ({ language }) => language);
	return (
		<div className={className}>
			{[...groups].map(([language, group]) => (
				<p key={language} lang={localeTag(language)} dir={isRightToLeft(language) ? 'rtl' : 'ltr'}>
					{group.map((piece, index) => (
						<span key={piece.key} data-final={piece.final} data-kind={piece.kind}>
							{index > 0 && ' '}
							<Text piece={piece} />
						</span>
					))}
				</p>
			))}
		</div>
	);
}

function Text({ piece }: { readonly piece: FramePiece }) {
	const [stands, tail] = splitSteady(piece.text, piece.steady);
	return (
		<>
			{stands}
			{tail !== '' && <span className={styles.tail}>{tail}</span>}
		</>
	);
}
