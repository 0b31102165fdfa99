import { type Ref, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { Button } from '#renderer/ui/button.tsx';
import { Icon } from '#renderer/ui/icon.tsx';
import { WindowedList, type WindowedListHandle } from '#renderer/ui/windowed-list.tsx';
import { isRunning } from '#renderer/window/live-changes.ts';
import { useParts, useSetting } from '#renderer/window/parts.ts';
import { useFramed } from '#renderer/window/use-framed.ts';
import type { Settings } from '#shared/settings/schema.ts';
import { CaptionLog } from './caption-log.tsx';
import { CaptionRowView } from './caption-row.tsx';
import { CaptionTools } from './caption-tools.tsx';
import styles from './captions-region.module.css';
import { Copying } from './copying.tsx';

/** Rows never measured are taken to be this high, as a multiple of the caption size. */
const ROW_HEIGHT_EM = 3.6;

/** Everything said so far, source and translation in step. Only the rows in view are in the document. */
export function CaptionsRegion() {
	const { t } = useTranslation();
	const { conversation } = useParts();
	const nothingSaid = useStore(conversation.captions.store, ({ rows }) => rows === 0);
	const announce = useSetting('announceCaptions');
	const [atEnd, setAtEnd] = useState(true);
	const list = useRef<WindowedListHandle>(null);

	return (
		<section id="captions" className={styles.region} aria-label={t('captions.title')}>
			<Copying>
				{!nothingSaid && <CaptionTools />}
				<div className={styles.stage}>
					{nothingSaid ? <Empty /> : <Rows list={list} onAtEnd={setAtEnd} />}
					{!atEnd && !nothingSaid && (
						<div className={styles.latest}>
							<Button look="primary" onPress={() => list.current?.toEnd()}>
								<Icon name="down" size={16} />
								{t('captions.latest')}
							</Button>
						</div>
					)}
				</div>
			</Copying>
			{announce && <CaptionLog />}
		</section>
	);
}

/** All that is drawn again when something is said. */
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

function Empty() {
	const { t } = useTranslation();
	const { conversation } = useParts();
	const running = useStore(conversation.store, (view) => isRunning(view.phase));
	const words = emptyWords[useSetting('mode')];
	return (
		<div className={styles.empty}>
			<span className={styles.emptyIcon}>
				<Icon name="captions" size={28} />
			</span>
			<p className={styles.emptyTitle}>{t(running ? 'captions.listening' : words.title)}</p>
			<p>{t(running ? words.listening : words.hint)}</p>
		</div>
	);
}

const spoken = {
	title: 'captions.empty',
	hint: 'captions.emptyHint',
	listening: 'captions.listeningHint',
} as const;

/** What happens next, in each mode. Those who type or share the machine have a page of their own while it runs. */
const emptyWords = {
	solo: spoken,
	type: spoken,
	meeting: {
		title: 'captions.emptyMeeting',
		hint: 'captions.emptyMeetingHint',
		listening: 'captions.listeningMeetingHint',
	},
	listen: {
		title: 'captions.emptyListen',
		hint: 'captions.emptyListenHint',
		listening: 'captions.listeningOthersHint',
	},
	face: { ...spoken, title: 'captions.emptyFace', hint: 'captions.emptyFaceHint' },
	captions: {
		title: 'captions.emptyWritten',
		hint: 'captions.emptyHintWritten',
		listening: 'captions.listeningWrittenHint',
	},
} as const satisfies Record<Settings['mode'], Record<keyof typeof spoken, string>>;
