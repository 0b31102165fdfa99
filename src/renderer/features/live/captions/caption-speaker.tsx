import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { Icon } from '#renderer/ui/icon.tsx';
import tag from '#renderer/ui/tag.module.css';
import { useParts } from '#renderer/window/parts.ts';
import type { CaptionRow } from '#shared/captions/segment.ts';
import styles from './caption-speaker.module.css';

export type Speaker = 'mine' | 'theirs';

/** Whose words a row is; undefined where only one speaker is written down. */
export function useSpeaker(row: CaptionRow): Speaker | undefined {
	const sided = useStore(useParts().conversation.captions.store, (view) => view.sided ?? false);
	if (!sided) return undefined;
	return row.leg === 'incoming' ? 'theirs' : 'mine';
}

/** Its place and its edge. */
export function speakerClass(speaker: Speaker | undefined): string {
	return (speaker && styles[speaker]) ?? '';
}

/** A word and an icon name the speaker; place and colour repeat it. */
export function SpeakerMark({ id, speaker }: { readonly id: string; readonly speaker: Speaker }) {
	const { t } = useTranslation();
	return (
		<p id={id} className={`${tag.pill} ${styles.side}`} data-side={speaker}>
			<Icon name={speaker === 'mine' ? 'person' : 'people'} size={16} /> {t(`legs.${speaker}`)}
		</p>
	);
}
