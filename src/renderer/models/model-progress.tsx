import { duration, factsOf, size, speed } from '#renderer/i18n/format.ts';
import { isolate } from '#renderer/i18n/i18n.ts';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import hidden from '#renderer/ui/hidden.module.css';
import type { ModelEntry } from '#shared/host/models.ts';
import styles from './models.module.css';
import { bytesOf } from './use-models.ts';

/** Announced at a quarter, a half and three quarters: more would drown out everything else. */
const SPOKEN_STEPS = 4;

/** How much of these models is downloaded, how fast, and how long the rest takes. */
export function ModelProgress({ models }: { readonly models: readonly ModelEntry[] }) {
	const { t, i18n } = useTranslation();
	const locale = i18n.language;
	const total = bytesOf(models);
	const done = models.reduce((sum, { state, bytes, doneBytes }) => {
		return sum + (state === 'installed' || state === 'checking' ? bytes : Math.min(doneBytes, bytes));
	}, 0);
	const perS = models.reduce(
		(sum, { state, bytesPerS }) => sum + ((state === 'downloading' && bytesPerS) || 0),
		0,
	);
	const leftMs = perS > 0 ? ((total - done) / perS) * 1000 : null;
	const reached = total > 0 ? Math.floor((done / total) * SPOKEN_STEPS) / SPOKEN_STEPS : 0;
	const percent = new Intl.NumberFormat(locale, { style: 'percent' }).format(reached);
	const words = [
		t('voices.sent', { sent: isolate(size(done, locale)), total: isolate(size(total, locale)) }),
		perS > 0 ? isolate(speed(perS, locale)) : '',
		leftMs === null ? '' : t('voices.left', { time: isolate(duration(leftMs, locale)) }),
	];
	return (
		<div className={styles.progress}>
			<progress aria-label={t('models.progress')} value={done} max={Math.max(1, total)} />
			<p className={styles.facts}>{factsOf(words)}</p>
			<p className={hidden.hidden} role="status">
				{reached > 0 && reached < 1 ? t('models.reached', { percent }) : ''}
			</p>
		</div>
	);
}
