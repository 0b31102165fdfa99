import { type Ref, useContext, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { useStore } from 'zustand';
import { isUnderWay } from '#renderer/conversation/live-changes.ts';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import { useFramed } from '#renderer/shell/use-framed.ts';
import { Button } from '#renderer/ui/button.tsx';
import { Icon } from '#renderer/ui/icon.tsx';
import { WindowedList, type WindowedListHandle } from '#renderer/ui/windowed-list.tsx';
import { Copying, Correcting } from './caption-actions.tsx';
import { CaptionRowView } from './caption-row.tsx';
import { CaptionTools, landSoon } from './caption-tools.tsx';
import styles from './captions-region.module.css';
import { CaptionsHead } from './captions-region.tsx';

/** Assumed height of rows not measured yet, as a multiple of the caption size. */
const ROW_HEIGHT_EM = 3.6;

/** The captions with their actions. Only the rows in view are in the document. */
export function CaptionList() {
	const { t } = useTranslation();
	const { conversation } = useParts();
	const isAway = useStore(conversation.captions.store, ({ away }) => away);
	const head = useContext(CaptionsHead);
	const [atEnd, setAtEnd] = useState(true);
	const list = useRef<WindowedListHandle>(null);
	if (isAway) return <BringBack />;
	return (
		<Copying>
			<Correcting>
				{head && createPortal(<CaptionTools />, head)}
				<div className={styles.stage}>
					<Rows list={list} onAtEnd={setAtEnd} />
					{!atEnd && (
						<div className={styles.latest} data-layer>
							<Button look="primary" onPress={() => list.current?.toEnd()}>
								<Icon name="down" size={16} />
								{t('captions.latest')}
							</Button>
						</div>
					)}
				</div>
			</Correcting>
		</Copying>
	);
}

/** On a fresh page: a button that brings back the earlier captions. */
function BringBack() {
	const { t } = useTranslation();
	const { store, captions } = useParts().conversation;
	const isOver = useStore(store, ({ phase }) => !isUnderWay(phase));
	if (!isOver) return null;
	return (
		<p className={styles.bringBack}>
			<Button
				look="quiet"
				data-undo
				onPress={() => {
					captions.bringBack();
					landSoon(t('captions.fresh'));
				}}
			>
				{t('captions.bringBack')}
			</Button>
		</p>
	);
}

/** The only component that re-renders when captions change. */
function Rows({ list, onAtEnd }: { readonly list: Ref<WindowedListHandle>; onAtEnd(atEnd: boolean): void }) {
	const { t } = useTranslation();
	const { captions } = useParts().conversation;
	const { rows } = useFramed(captions.store);
	const captionSize = useSetting('captionSize');
	const layout = useSetting('captionLayout');
	return (
		<WindowedList
			ref={list}
			key={`${captionSize} ${layout}`}
			label={t('captions.list')}
			count={rows}
			estimate={captionSize * ROW_HEIGHT_EM}
			onAtEnd={onAtEnd}
			row={(index) => {
				const row = captions.row(index);
				return row && <CaptionRowView row={row} />;
			}}
		/>
	);
}
