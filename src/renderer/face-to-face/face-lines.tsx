import { type ReactNode, useLayoutEffect, useRef } from 'react';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import { useFramed } from '#renderer/shell/use-framed.ts';
import hidden from '#renderer/ui/hidden.module.css';
import tags from '#renderer/ui/tag.module.css';
import unsettled from '#renderer/ui/unsettled.module.css';
import type { FaceSide } from '#shared/conversation/turns.ts';
import { directionOf, localeTag } from '#shared/protocol/languages.ts';
import styles from './face-page.module.css';
import { type FaceLanguages, type Line, lineFor } from './face-sides.ts';
import type { HalfWords } from './use-half-words.ts';

/** Enough to look back a moment; the whole conversation is in the captions. */
const LINES_SHOWN = 6;
/** Read by screen readers; more would be read twice by people who walk through it. */
const LINES_ANNOUNCED = 3;

export interface FaceLinesProps {
	readonly side: FaceSide;
	readonly languages: FaceLanguages;
	readonly words: HalfWords;
	/** Shown before the lines; gives way to them where there is little room. */
	readonly children?: ReactNode;
}

/** What this person needs to read: the other's words in their language, large, and their own as they were heard. */
export function FaceLines({ side, languages, words: { t, tag }, children }: FaceLinesProps) {
	const { captions } = useParts().conversation;
	const { rows: all, held } = useFramed(captions.store);
	// What was said with somebody else is not for the one who sits here now.
	const rows = held ? 0 : all;
	const announce = useSetting('announceCaptions');
	const region = useRef<HTMLDivElement>(null);
	const lines: Line[] = [];
	for (let index = rows - 1; index >= 0 && index >= rows - 2 * LINES_SHOWN; index--) {
		const row = captions.row(index);
		const line = row && lineFor(row, side, languages);
		if (line && lines.length < LINES_SHOWN) lines.unshift(line);
	}
	const newest = lines.findLast(({ own }) => !own);
	const said = lines.filter(({ own, final }) => !own && final).slice(-LINES_ANNOUNCED);
	const end = lines.at(-1);

	// biome-ignore lint/correctness/useExhaustiveDependencies: the text may have grown
	useLayoutEffect(() => {
		if (region.current) showNewest(region.current);
	}, [end?.text, end?.key]);

	// After a resize, or when the turn's words appear or the notice rewraps, the visible lines stay in view.
	useLayoutEffect(() => {
		const shown = region.current;
		if (!shown) return;
		const observer = new ResizeObserver(() => showNewest(shown));
		observer.observe(shown);
		return () => observer.disconnect();
	}, []);

	return (
		<div className={styles.linesFrame}>
			{/* biome-ignore lint/a11y/useSemanticElements: no form; and both halves may have the same words, so no landmark either */}
			<div
				ref={region}
				role="group"
				className={styles.lines}
				// biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
				tabIndex={0}
				lang={tag}
				aria-label={t('face.half.other')}
			>
				{children}
				{lines.length === 0 && <p className={styles.nothing}>{t('face.half.empty')}</p>}
				{lines.map((line) => (
					<p
						key={line.key}
						className={line.final ? styles.line : `${styles.line} ${unsettled.unsettled}`}
						lang={localeTag(line.language)}
						dir={directionOf(line.language)}
						data-own={line.own}
						data-newest={line === newest}
						data-final={line.final}
					>
						{line.own && (
							<>
								<span className={`${tags.tag} ${styles.who}`} lang={tag}>
									{t('face.half.you')}
								</span>{' '}
							</>
						)}
						{line.text}
					</p>
				))}
				{announce && (
					<div role="log" className={hidden.hidden}>
						{said.map((line) => (
							<p key={line.key} lang={localeTag(line.language)}>
								{line.text}
							</p>
						))}
					</div>
				)}
			</div>
		</div>
	);
}

/** The end of the newest sentence, and all of it where that fits; one's own words never push it out of sight. */
function showNewest(region: HTMLElement): void {
	region.scrollTop = region.scrollHeight;
	const newest = region.querySelector<HTMLElement>('[data-newest="true"]');
	if (!newest) return;
	const top = newest.offsetTop;
	const endInSight = top + newest.offsetHeight - region.clientHeight;
	if (top < region.scrollTop) region.scrollTop = Math.max(top, endInSight);
}
