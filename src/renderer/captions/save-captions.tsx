import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import type { CaptionsView } from '#renderer/conversation/conversation.ts';
import { useTip } from '#renderer/keys/use-tip.ts';
import { useParts } from '#renderer/shell/parts.ts';
import { Button } from '#renderer/ui/button.tsx';
import { Icon } from '#renderer/ui/icon.tsx';
import { rowsFrom, segmentsOf } from '#shared/captions/copying.ts';
import { compareInTime } from '#shared/captions/entry.ts';
import { ExportDialog } from './export-dialog.tsx';

/** The button and its dialog; also available while the conversation runs. */
export function SaveCaptions() {
	const { t } = useTranslation();
	const { conversation, navigation } = useParts();
	const tip = useTip();
	const isOpen = useStore(navigation.store, (view) => view.saving);
	return (
		<>
			<Button
				look="quiet"
				aria-label={t('captions.save')}
				tip={tip(t('captions.save'), 'save')}
				onPress={() => navigation.showSave(true)}
			>
				<Icon name="save" />
				<span>{t('captions.saveShort')}</span>
			</Button>
			<ExportDialog
				title={t('captions.save')}
				name={t('captions.fileName')}
				startedAt={conversation.captions.beganAt()}
				isOpen={isOpen}
				onClose={() => navigation.showSave(false)}
				segments={() => settled(conversation.captions)}
			/>
		</>
	);
}

/** Segments that will not change any more: final ones, and those cut off earlier. */
function settled({ row, store }: CaptionsView) {
	const all = rowsFrom(row, 0, store.getState().rows).flatMap(segmentsOf);
	return all.filter(({ final, cutOff }) => final || cutOff).sort(compareInTime);
}
