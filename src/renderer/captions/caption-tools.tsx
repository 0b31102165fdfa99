import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { isRunning, isUnderWay } from '#renderer/conversation/live-changes.ts';
import { useTip } from '#renderer/keys/use-tip.ts';
import { toggleOverlay } from '#renderer/overlay/overlay-commands.ts';
import { RecordButton } from '#renderer/recording/record-button.tsx';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import { Button } from '#renderer/ui/button.tsx';
import { Icon } from '#renderer/ui/icon.tsx';
import { land } from '#renderer/ui/landing.ts';
import { ToggleButton } from '#renderer/ui/toggle-button.tsx';
import { CaptionLook } from './caption-look.tsx';
import styles from './captions-region.module.css';
import { MoreMenu } from './more-menu.tsx';
import { SaveCaptions } from './save-captions.tsx';

/** The look of the captions and the actions on them; only shown while there are any. */
export function CaptionTools() {
	const { conversation } = useParts();
	const phase = useStore(conversation.store, (view) => view.phase);
	return (
		<div className={styles.tools}>
			{!isUnderWay(phase) && <FreshPage />}
			<HearAgain />
			<CaptionLook />
			<CaptionsWindows />
			<SaveCaptions />
			{isRunning(phase) && <RecordButton />}
			<MoreMenu />
		</div>
	);
}

/** After Stop: clears the page as before the first word. The captions are put away, not forgotten. */
function FreshPage() {
	const { t } = useTranslation();
	const { captions } = useParts().conversation;
	return (
		<div className={styles.fresh}>
			<Button
				look="quiet"
				onPress={() => {
					captions.putAway();
					landSoon(t('captions.bringBack'));
				}}
			>
				<Icon name="plus" />
				{t('captions.fresh')}
			</Button>
		</div>
	);
}

/** Focuses the button of this name, which replaces the one just pressed and does the opposite. */
export function landSoon(name: string): void {
	requestAnimationFrame(() => land({ tag: 'button', name, nth: 0, top: 0 }));
}

/** Plays the last sentence of the voice again, once there is one. */
function HearAgain() {
	const { t } = useTranslation();
	const { replay } = useParts();
	const isThere = useStore(replay.rows, (rows) => rows.size > 0);
	const tip = useTip();
	const name = t('shortcuts.names.replay');
	if (!isThere) return null;
	return (
		<Button look="quiet" aria-label={name} tip={tip(name, 'replay')} onPress={() => replay.last()}>
			<Icon name="again" />
			<span>{t('replay.lastShort')}</span>
		</Button>
	);
}

/**
 * Buttons that show the captions over other windows, one's own and those for the audience, and tell whether they are
 * shown.
 */
function CaptionsWindows() {
	const { t } = useTranslation();
	const { settings } = useParts();
	const mine = useSetting('overlay');
	const audience = useSetting('audienceOverlay');
	const tip = useTip();
	return (
		<>
			<ToggleButton
				named
				label={t('overlay.window')}
				tip={tip(t('overlay.title'), 'overlay')}
				icon="overlay"
				isOn={mine.shown}
				onChange={() => toggleOverlay(settings, 'mine')}
			/>
			<ToggleButton
				label={t('overlay.audience')}
				tip={tip(t('overlay.audience'), 'audience-overlay')}
				icon="audience"
				isOn={audience.shown}
				onChange={() => toggleOverlay(settings, 'audience')}
			/>
		</>
	);
}
