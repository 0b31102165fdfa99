import { useTranslation } from 'react-i18next';
import { CaptionBox } from '#renderer/window/caption-box.tsx';
import { useSetting } from '#renderer/window/parts.ts';
import type { FramePiece, FrameRow } from '#shared/overlay/frame.ts';
import { ENOUGH_CONTRAST, type OverlaySettings, worstContrast } from '#shared/overlay/style.ts';
import styles from './overlay-section.module.css';

/** The very box that stands over other windows, over a light and a dark screen, and how well it can be read. */
export function OverlayPreview({ style }: { readonly style: OverlaySettings }) {
	const { t, i18n } = useTranslation();
	const typed = useSetting('interfaceLanguage');
	const language = typed === 'system' ? i18n.language : typed;
	const contrast = worstContrast(style);
	// Rounded up, 4.46 would seem to be enough.
	const ratio = new Intl.NumberFormat(i18n.language, {
		maximumFractionDigits: 1,
		roundingMode: 'floor',
	}).format(contrast);
	const isLow = contrast < ENOUGH_CONTRAST;
	return (
		<figure className={styles.figure} aria-label={t('overlay.preview')}>
			<div className={styles.stage} data-testid="overlay-preview">
				<CaptionBox
					style={style}
					rows={[
						row(1, t('overlay.previewSaid'), [language, t('overlay.previewTranslated')], true),
						row(2, t('overlay.previewLast'), [language, t('overlay.previewLastTranslated')], false),
					]}
					empty=""
				/>
			</div>
			<figcaption role="status" className={`${styles.contrast} ${isLow ? styles.low : ''}`}>
				{t(isLow ? 'overlay.contrastLow' : 'overlay.contrast', { ratio })}
			</figcaption>
		</figure>
	);
}

function row(
	id: number,
	said: string,
	[language, text]: readonly [string, string],
	final: boolean,
): FrameRow {
	const piece = (kind: FramePiece['kind'], of: string, words: string): FramePiece => ({
		key: `${kind}${id}`,
		kind,
		language: of,
		text: words,
		steady: final ? words.length : words.lastIndexOf(' '),
		final,
	});
	return {
		key: String(id),
		lit: final,
		pieces: [piece('source', 'en', said), piece('translation', language === 'en' ? 'es' : language, text)],
	};
}
