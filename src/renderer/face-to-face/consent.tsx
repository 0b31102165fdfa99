import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import { Button } from '#renderer/ui/button.tsx';
import styles from './face-page.module.css';
import type { HalfWords } from './use-half-words.ts';

const kept = {
	erase: 'face.half.keptNot',
	ask: 'face.half.keptMaybe',
	days: 'face.half.kept',
	keep: 'face.half.kept',
} as const;

interface ConsentProps {
	readonly words: HalfWords;
	readonly onAgree: () => void;
}

/** What happens here, in the partner's language, until they have agreed. The conversation does not wait for it. */
export function Consent({ words: { t }, onAgree }: ConsentProps) {
	const { t: own } = useTranslation();
	const history = useSetting('history');
	// The file is kept, whatever becomes of the text.
	const isRecorded = useStore(
		useParts().recording.store,
		({ state }) => state === 'armed' || state === 'recording',
	);
	return (
		<div className={styles.consent}>
			<p>
				{t('face.half.consent', { app: own('app.name') })}{' '}
				{t(isRecorded ? 'face.half.recorded' : kept[history])}
			</p>
			<Button onPress={onAgree}>{t('face.half.agree')}</Button>
		</div>
	);
}
