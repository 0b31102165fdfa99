import { useTranslation } from 'react-i18next';
import { CaptionBox } from '#renderer/window/components/caption-box.tsx';
import type { FramePiece, FrameRow } from '#shared/overlay/frame.ts';
import {
	ENOUGH_CONTRAST,
	EVERY_LANGUAGE,
	ORIGINAL,
	type OverlaySettings,
	worstContrast,
} from '#shared/overlay/style.ts';
import { isRightToLeft } from '#shared/protocol/languages.ts';
import styles from './overlay-section.module.css';

/** The same box that is shown over other windows, on a light and a dark screen, and how readable it is. */
export function OverlayPreview({ style }: { readonly style: OverlaySettings }) {
	const { t, i18n } = useTranslation();
	const sample = isRightToLeft(i18n.language) ? samples.ar : samples.es;
	const contrast = worstContrast(style);
	// The sample is in no language of the conversation.
	const language = style.language === ORIGINAL ? ORIGINAL : EVERY_LANGUAGE;
	// Not rounded up: 4.46 would pass for 4.5.
	const ratio = new Intl.NumberFormat(i18n.language, {
		maximumFractionDigits: 1,
		roundingMode: 'floor',
	}).format(contrast);
	const isLow = contrast < ENOUGH_CONTRAST;
	return (
		<figure className={styles.figure} aria-label={t('overlay.preview')}>
			<div className={styles.stage} data-testid="overlay-preview">
				<CaptionBox style={{ ...style, language }} rows={sample} empty="" />
			</div>
			<figcaption>
				<p role="status" className={`${styles.contrast} ${isLow ? styles.low : ''}`}>
					{t(isLow ? 'overlay.contrastLow' : 'overlay.contrast', { ratio })}
				</p>
			</figcaption>
		</figure>
	);
}

function row(id: number, said: string, [language, text]: readonly [string, string]): FrameRow {
	const isFirst = id === 1;
	const piece = (kind: FramePiece['kind'], of: string, words: string): FramePiece => ({
		key: `${kind}${id}`,
		kind,
		language: of,
		text: words,
		steady: isFirst ? words.length : words.lastIndexOf(' '),
		final: isFirst,
	});
	return {
		key: String(id),
		lit: isFirst,
		pieces: [piece('source', 'en', said), piece('translation', language, text)],
	};
}

/** Samples of speech, not words of the interface. */
const samples = {
	es: [
		row(1, 'Shall we begin with the second point?', ['es', '¿Empezamos por el segundo punto?']),
		row(2, 'I have the figures', ['es', 'Tengo las cifras']),
	],
	ar: [
		row(1, 'Shall we begin with the second point?', ['ar', 'هل نبدأ بالنقطة الثانية؟']),
		row(2, 'I have the figures', ['ar', 'لديّ الأرقام']),
	],
} as const;
