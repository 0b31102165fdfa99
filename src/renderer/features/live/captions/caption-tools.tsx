import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { Button } from '#renderer/ui/button.tsx';
import { Icon } from '#renderer/ui/icon.tsx';
import { AskDialog } from '#renderer/window/components/ask-dialog.tsx';
import { RecordButton } from '#renderer/window/components/record-button.tsx';
import { isRunning } from '#renderer/window/live-changes.ts';
import { useParts, useSetting } from '#renderer/window/parts.ts';
import { CaptionChoices } from './caption-choices.tsx';
import styles from './captions-region.module.css';
import { SaveCaptions } from './save-captions.tsx';

const SMALLEST_PX = 14;
const LARGEST_PX = 64;
const STEP_PX = 4;

/** Size, saving and clearing of the captions; only there while there are any. */
export function CaptionTools() {
	const { t } = useTranslation();
	const { settings, conversation } = useParts();
	const size = useSetting('captionSize');
	const running = useStore(conversation.store, (view) => isRunning(view.phase));
	// Those of the conversation before, which is not the one that would be forgotten.
	const held = useStore(conversation.captions.store, (view) => view.held ?? false);
	const [clearing, setClearing] = useState(false);
	const resize = (by: number) =>
		void settings.write({ captionSize: Math.min(LARGEST_PX, Math.max(SMALLEST_PX, size + by)) });

	return (
		<div className={styles.tools}>
			<Button
				look="quiet"
				square
				aria-label={t('captions.smaller')}
				isDisabled={size <= SMALLEST_PX}
				onPress={() => resize(-STEP_PX)}
			>
				<Icon name="text-smaller" />
			</Button>
			<Button
				look="quiet"
				square
				aria-label={t('captions.larger')}
				isDisabled={size >= LARGEST_PX}
				onPress={() => resize(STEP_PX)}
			>
				<Icon name="text-larger" />
			</Button>
			<CaptionChoices />
			<Button
				look="quiet"
				square
				aria-label={t('captions.clear')}
				isDisabled={held && running}
				onPress={() => setClearing(true)}
			>
				<Icon name="trash" />
			</Button>
			<SaveCaptions />
			{running && <RecordButton />}
			<AskDialog
				role="alertdialog"
				title={t('captions.clear')}
				isOpen={clearing}
				onClose={() => setClearing(false)}
				verb={t('captions.clear')}
				look="danger"
				onDo={() => {
					conversation.captions.clear();
					setClearing(false);
				}}
			>
				<p>{t('captions.clearConfirm')}</p>
			</AskDialog>
		</div>
	);
}
