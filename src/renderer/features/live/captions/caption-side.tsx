import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { Icon } from '#renderer/ui/icon.tsx';
import { useParts } from '#renderer/window/parts.ts';
import type { CaptionRow } from '#shared/captions/segment.ts';
import styles from './caption-side.module.css';

export type Side = 'mine' | 'theirs';

/** Whose words a row is; undefined where only one side is written down. */
export function useSide(row: CaptionRow): Side | undefined {
	const sided = useStore(useParts().conversation.captions.store, (view) => view.sided ?? false);
	if (!sided) return undefined;
	return row.leg === 'incoming' ? 'theirs' : 'mine';
}

/** Its place and its edge. */
export function sideClass(side: Side | undefined): string {
	return (side && styles[side]) ?? '';
}

/** Said by a word and an icon; place and colour say it again. */
export function SideMark({ side }: { readonly side: Side }) {
	const { t } = useTranslation();
	return (
		<p className={styles.side} data-side={side}>
			<Icon name={side === 'mine' ? 'person' : 'people'} size={16} /> {t(`legs.${side}`)}
		</p>
	);
}
