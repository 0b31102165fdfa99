import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { isRunning } from '#renderer/conversation/live-changes.ts';
import { seconds, timeOfDay } from '#renderer/i18n/format.ts';
import { isolate } from '#renderer/i18n/i18n.ts';
import { AskDialog } from '#renderer/shell/ask-dialog.tsx';
import { useParts } from '#renderer/shell/parts.ts';
import { Menu } from '#renderer/ui/menu.tsx';
import { rowsFrom, rowsText, segmentsOf } from '#shared/captions/copying.ts';
import { captionFile, noWords } from '#shared/captions/formats.ts';
import { captionTracks } from '#shared/captions/tracks.ts';
import { languageLabel } from '#shared/i18n/language-names.ts';
import { useCopy } from './copying.tsx';

const ALL = 'all';
const CLEAR = 'clear';
const MINUTE = 'minute';
const GUESTS = 'guests';
/** Rows whose languages are offered: looking at all rows with each caption would cost more and more. */
const ROWS_LOOKED_AT = 8;

/**
 * Rarer actions on the captions: reading the last minute from afar, sharing them with guests, copying one side or
 * everything, and clearing them.
 */
export function MoreMenu() {
	const { t, i18n } = useTranslation();
	const { conversation, navigation, guests } = useParts();
	const { captions } = conversation;
	const running = useStore(conversation.store, (view) => isRunning(view.phase));
	// Captions of the previous conversation, which is not the one that would be forgotten.
	const held = useStore(captions.store, (view) => view.held ?? false);
	const sharing = useStore(guests.store, (view) => view.sharing);
	const [clearing, setClearing] = useState(false);
	const copy = useCopy();
	const marks = {
		lost: (ms: number) => t('captions.lost', { seconds: seconds(ms, i18n.language) }),
		late: (saidAtMs: number) => t('captions.late', { time: timeOfDay(saidAtMs, i18n.language) }),
	};

	/** Read only when the menu opens. */
	function sides() {
		const { rows } = captions.store.getState();
		const newest = rowsFrom(captions.row, Math.max(0, rows - ROWS_LOOKED_AT), rows);
		const ofAll = captionTracks(captions.finals());
		// One side may have been silent for longer than that, and what it said is copied as well.
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
