import { type ReactElement, type ReactNode, useRef, useState } from 'react';
import { DialogTrigger, Popover } from 'react-aria-components';
import { useStore } from 'zustand';
import { isRunning, isUnderWay } from '#renderer/conversation/live-changes.ts';
import { gapLength } from '#renderer/i18n/format.ts';
import { isolate } from '#renderer/i18n/i18n.ts';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { useTip } from '#renderer/keys/key-caps.tsx';
import { toggleOverlay } from '#renderer/overlay/overlay-commands.ts';
import { RecordButton } from '#renderer/recording/record-button.tsx';
import { AskDialog } from '#renderer/shell/ask-dialog.tsx';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import { Button, ToggleButton } from '#renderer/ui/button.tsx';
import field from '#renderer/ui/field.module.css';
import { Icon } from '#renderer/ui/icon.tsx';
import { Menu } from '#renderer/ui/menu.tsx';
import popup from '#renderer/ui/popup.module.css';
import { land } from '#renderer/ui/restore-focus.ts';
import { Segmented } from '#renderer/ui/segmented.tsx';
import { compareInTime } from '#shared/captions/assembler.ts';
import { rowsFrom, rowsText, segmentsOf } from '#shared/captions/copied-text.ts';
import { captionFile, noWords } from '#shared/captions/export-formats.ts';
import { captionTracks } from '#shared/captions/tracks.ts';
import { languageLabel } from '#shared/i18n/language-names.ts';
import type { CaptionLayout } from '#shared/overlay/style.ts';
import { CAPTION_SIZE_PX, defaultSettings } from '#shared/settings/schema.ts';
import { useCopy } from './caption-actions.tsx';
import type { CaptionsView } from './caption-view.ts';
import styles from './captions-region.module.css';
import { ExportDialog } from './export-dialog.tsx';

const ALL = 'all';

const CLEAR = 'clear';

const MINUTE = 'minute';

const GUESTS = 'guests';

/** How many of the newest rows to search for languages, so that the cost stays constant as captions grow. */
const ROWS_LOOKED_AT = 8;

const STEP_PX = 4;

const { smallest, largest } = CAPTION_SIZE_PX;

/** The appearance of the captions and the actions on them; shown only while there are captions. */
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

/** After Stop: clears the page. The captions are put away, not deleted. */
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

/** Buttons that show or hide the user's and the audience's captions over other windows. */
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

/** Size and layout of the captions, under one button. */
function CaptionLook() {
	const { t, i18n } = useTranslation();
	const { settings } = useParts();
	const size = useSetting('captionSize');
	const layout = useSetting('captionLayout');
	const percent = new Intl.NumberFormat(i18n.language, { style: 'percent' });
	const smaller = useRef<HTMLButtonElement>(null);
	const larger = useRef<HTMLButtonElement>(null);

	function resize(by: number): void {
		const next = Math.min(largest, Math.max(smallest, size + by));
		// At a limit, the button is disabled and would lose the focus.
		if (next === smallest) larger.current?.focus();
		if (next === largest) smaller.current?.focus();
		void settings.write({ captionSize: next });
	}

	return (
		<Popup
			label={t('captions.look')}
			trigger={
				<Button look="quiet" square aria-label={t('captions.look')}>
					<Icon name="letters" />
				</Button>
			}
		>
			<fieldset className={styles.size}>
				<legend>{t('settings.captionSize')}</legend>
				<Button
					ref={smaller}
					square
					aria-label={t('captions.smaller')}
					isDisabled={size <= smallest}
					onPress={() => resize(-STEP_PX)}
				>
					<Icon name="text-smaller" />
				</Button>
				<output aria-live="polite">{percent.format(size / defaultSettings.captionSize)}</output>
				<Button
					ref={larger}
					square
					aria-label={t('captions.larger')}
					isDisabled={size >= largest}
					onPress={() => resize(STEP_PX)}
				>
					<Icon name="text-larger" />
				</Button>
			</fieldset>
			<Segmented<CaptionLayout>
				label={t('captions.arrange')}
				options={[
					{ value: 'beside', label: t('captions.beside'), icon: 'beside' },
					{ value: 'under', label: t('captions.under'), icon: 'under' },
					{ value: 'target', label: t('captions.targetOnly'), icon: 'captions' },
				]}
				value={layout}
				onChange={(captionLayout) => void settings.write({ captionLayout })}
			/>
		</Popup>
	);
}

/** The button and its dialog; also available while the conversation runs. */
function SaveCaptions() {
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

/** Segments that will not change any more: final segments, and those that were cut off. */
function settled({ row, store }: CaptionsView) {
	const all = rowsFrom(row, 0, store.getState().rows).flatMap(segmentsOf);
	return all.filter(({ final, cutOff }) => final || cutOff).sort(compareInTime);
}

/** Rarer actions: the last minute in large letters, sharing with guests, copying, clearing. */
function MoreMenu() {
	const { t, i18n } = useTranslation();
	const { conversation, navigation, guests } = useParts();
	const { captions } = conversation;
	const running = useStore(conversation.store, (view) => isRunning(view.phase));
	// True for captions of the previous conversation, which "Clear" would not delete.
	const held = useStore(captions.store, (view) => view.held ?? false);
	const sharing = useStore(guests.store, (view) => view.sharing);
	const [clearing, setClearing] = useState(false);
	const copy = useCopy();
	const marks = {
		lost: (ms: number) => t('captions.lost', { seconds: gapLength(ms, i18n.language) }),
	};

	/** Called only when the menu opens. */
	function sides() {
		const { rows } = captions.store.getState();
		const newest = rowsFrom(captions.row, Math.max(0, rows - ROWS_LOOKED_AT), rows);
		const ofAll = captionTracks(captions.finals());
		// One side may have been silent during these rows, and its speech must be copied as well.
		const isTwoWay = ofAll.some(({ kind }) => kind === 'language');
		return (isTwoWay ? ofAll : captionTracks(newest.flatMap(segmentsOf))).map((track) => {
			const name = languageLabel(track.language, i18n.language);
			const label = track.kind === 'source' ? `${t('captions.copySaid')} (${isolate(name)})` : name;
			return { id: track.id, label, track };
		});
	}

	function chosen(id: string): void {
		if (id === MINUTE) {
			navigation.showLastMinute(true);
			return;
		}
		if (id === GUESTS) {
			navigation.showGuests(true);
			return;
		}
		if (id === CLEAR) {
			setClearing(true);
			return;
		}
		const { track = null, label = t('captions.copyAll') } = sides().find((side) => side.id === id) ?? {};
		const { rows } = captions.store.getState();
		const said = t('captions.copiedSide', { what: label });
		if (!track) return void copy(rowsText(rowsFrom(captions.row, 0, rows), marks), said);
		const words = { ...noWords, ...marks };
		const wish = { format: 'text', track, aligned: false, words } as const;
		void copy([...captionFile(captions.finals(), wish)].join(''), said);
	}

	return (
		<>
			<Menu
				label={t('captions.more')}
				icon="more"
				entries={() => [
					{ id: MINUTE, label: t('replay.minute') },
					{ id: GUESTS, label: t('guests.open'), isDisabled: !running && !sharing },
					{ id: ALL, label: t('captions.copyEverything') },
					...sides().map(({ id, label }) => ({ id, label: t('captions.copyOne', { what: label }) })),
					{ id: CLEAR, label: t('captions.clear'), isDisabled: held && running },
				]}
				onChoose={chosen}
			/>
			<AskDialog
				role="alertdialog"
				title={t('captions.clear')}
				isOpen={clearing}
				onClose={() => setClearing(false)}
				verb={t('captions.clear')}
				look="danger"
				onDo={() => {
					captions.clear();
					setClearing(false);
				}}
			>
				<p>{t('captions.clearConfirm')}</p>
			</AskDialog>
		</>
	);
}

interface PopupProps {
	readonly label: string;
	/** The button that opens the popover. */
	readonly trigger: ReactElement;
	readonly children: ReactNode;
}

/** A few controls below their button, shown until dismissed. */
function Popup({ label, trigger, children }: PopupProps) {
	return (
		<DialogTrigger>
			{trigger}
			{/* The popover is itself the dialog, so that it also contains the screen reader's close button. */}
			<Popover className={field.popover ?? ''} offset={4} aria-label={label}>
				<div className={popup.popup}>{children}</div>
			</Popover>
		</DialogTrigger>
	);
}
