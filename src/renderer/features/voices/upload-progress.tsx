import { useTranslation } from 'react-i18next';
import { duration, factsOf } from '#renderer/window/words/format.ts';
import { isolate } from '#renderer/window/words/i18n.ts';
import type { VoiceEntry } from '#shared/host/voices.ts';
import { size, speed } from './facts.ts';
import styles from './voices-page.module.css';

/** How much of the sample is there, how fast it goes, and how long it takes. */
export function UploadProgress({ upload }: { readonly upload: NonNullable<VoiceEntry['upload']> }) {
	const { t, i18n } = useTranslation();
	const locale = i18n.language;
	const { sentBytes, totalBytes, bytesPerS, secondsLeft } = upload;
	const words = [
		t('voices.sent', { sent: isolate(size(sentBytes, locale)), total: isolate(size(totalBytes, locale)) }),
		bytesPerS > 0 ? isolate(speed(bytesPerS, locale)) : '',
		secondsLeft === null ? '' : t('voices.left', { time: isolate(duration(secondsLeft * 1000, locale)) }),
	];
	return (
		<div className={styles.stack}>
			<progress
				className={styles.progress}
				aria-label={t('voices.uploadProgress')}
				value={sentBytes}
				max={Math.max(1, totalBytes)}
			/>
			<p className={styles.quiet}>{factsOf(words)}</p>
		</div>
	);
}
