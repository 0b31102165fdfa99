import { createContext, type ReactNode, useCallback, useContext, useState } from 'react';
import { useTranslation } from 'react-i18next';
import hidden from '#renderer/ui/hidden.module.css';
import { Menu } from '#renderer/ui/menu.tsx';
import { useParts } from '#renderer/window/parts.ts';
import { seconds } from '#renderer/window/words/format.ts';
import { isolate } from '#renderer/window/words/i18n.ts';
import { rowsText } from '#shared/captions/copying.ts';
import { captionFile, noWords } from '#shared/captions/formats.ts';
import type { CaptionRow } from '#shared/captions/segment.ts';
import { captionTracks } from '#shared/captions/tracks.ts';
import { languageLabel } from '#shared/i18n/language-names.ts';

/** Copies a text and says so; true when it worked. */
type Copy = (text: string, said: string) => Promise<boolean>;

const CopyContext = createContext<Copy>(async () => false);

export function useCopy(): Copy {
	return useContext(CopyContext);
}

/** What was copied is said to whoever cannot see it. */
export function Copying({ children }: { readonly children: ReactNode }) {
	const { t } = useTranslation();
	const [said, setSaid] = useState({ text: '', times: 0 });
	const copy = useCallback<Copy>(
		async (text, words) => {
			const worked = await navigator.clipboard.writeText(text).then(
				() => true,
				() => false,
			);
			setSaid(({ times }) => ({ text: worked ? words : t('captions.copyFailed'), times: times + 1 }));
			return worked;
		},
		[t],
	);
	return (
		<CopyContext value={copy}>
			{children}
			<p role="status" className={hidden.hidden} data-testid="copied">
				{/* The same words twice are news, too. */}
				<span key={said.times}>{said.text}</span>
			</p>
		</CopyContext>
	);
}

/** One side, or everything. */
export function CopyMenu() {
	const { t, i18n } = useTranslation();
	const { captions } = useParts().conversation;
	const copy = useCopy();
	const lost = (ms: number) => t('captions.lost', { seconds: seconds(ms, i18n.language) });

	/** As it is when the menu is open: nobody looks before. */
	function sides() {
		const { rows } = captions.store.getState();
		const newest = rowsFrom(captions.row, Math.max(0, rows - ROWS_LOOKED_AT), rows);
		return captionTracks(newest.flatMap(segmentsOf)).map((track) => {
			const name = languageLabel(track.language, i18n.language);
			const label = track.kind === 'source' ? `${t('captions.copySaid')} (${isolate(name)})` : name;
			return { id: track.id, label, track };
		});
	}

	function chosen(id: string): void {
		const { track = null, label = t('captions.copyAll') } = sides().find((side) => side.id === id) ?? {};
		const { rows } = captions.store.getState();
		const said = t('captions.copiedSide', { what: label });
		if (!track) return void copy(rowsText(rowsFrom(captions.row, 0, rows), lost), said);
		const words = { ...noWords, lost };
		const wish = { format: 'text', track, aligned: false, words } as const;
		void copy([...captionFile(captions.finals(), wish)].join(''), said);
	}

	return (
		<Menu
			label={t('captions.copyMenu')}
			icon="copy"
			entries={() => [...sides(), { id: ALL, label: t('captions.copyAll') }]}
			onChoose={chosen}
		/>
	);
}

const ALL = 'all';
/** The languages of these are offered: looking at all of them with each caption would cost more and more. */
const ROWS_LOOKED_AT = 8;

function rowsFrom(
	row: (index: number) => CaptionRow | undefined,
	from: number,
	to: number,
): readonly CaptionRow[] {
	return Array.from({ length: to - from }, (_, index) => row(from + index)).filter(
		(one) => one !== undefined,
	);
}

function segmentsOf({ source, translations }: CaptionRow) {
	return source ? [source, ...translations] : translations;
}
