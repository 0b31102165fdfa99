import { memo, type Ref, Suspense, useCallback, useContext, useId, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { useStore } from 'zustand';
import { isUnderWay } from '#renderer/conversation/live-changes.ts';
import { gapLength } from '#renderer/i18n/format.ts';
import { isolate } from '#renderer/i18n/i18n.ts';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { lazilyWithWords } from '#renderer/i18n/use-words.ts';
import { LanguageLabel } from '#renderer/languages/language-label.tsx';
import { detectsTheirs } from '#renderer/languages/language-pair.ts';
import { problemWords } from '#renderer/problems/problem-notice.tsx';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import { useFramed } from '#renderer/shell/use-framed.ts';
import { Button } from '#renderer/ui/button.tsx';
import { Icon } from '#renderer/ui/icon.tsx';
import tag from '#renderer/ui/tag.module.css';
import unsettled from '#renderer/ui/unsettled.module.css';
import { WindowedList, type WindowedListHandle } from '#renderer/ui/windowed-list.tsx';
import { byLanguage, rowText } from '#shared/captions/copied-text.ts';
import { LONGEST_CORRECTION } from '#shared/captions/corrections.ts';
import type { CaptionRow, Segment } from '#shared/captions/segment.ts';
import { firstVersion, nextVersion, splitSteady } from '#shared/captions/steady.ts';
import type { TypedState } from '#shared/captions/typed-texts.ts';
import { AUTO, directionOf, isRightToLeft, localeTag, sameLanguage } from '#shared/protocol/languages.ts';
import { type Asked, Copying, Correcting, useCopy, useCorrecting } from './caption-actions.tsx';
import captionSpeakerStyles from './caption-speaker.module.css';
import { CaptionTools, landSoon } from './caption-tools.tsx';
import styles from './captions-region.module.css';
import { CaptionsHead } from './captions-region.tsx';
import type { FactChipsProps } from './fact-chips.tsx';

const FactChips = lazilyWithWords(async () => (await import('./fact-chips.tsx')).FactChips);

type Side = 'ltr' | 'rtl';

/** One caption with its translations. A row is the same object until it changes, so `memo` is exact. */
const CaptionRowView = memo(function CaptionRowView({ row }: { readonly row: CaptionRow }) {
	const { t, i18n } = useTranslation();
	const voiceOf = useSetting('voiceOf');
	const detecting = useDetecting(row.leg);
	const speaker = useSpeaker(row);
	const mark = useId();
	const saidId = `${mark}said`;
	const toldId = `${mark}told`;
	const layout = useSetting('captionLayout');
	const shown = useRef(row);
	shown.current = row;
	const rowNow = useCallback(() => shown.current, []);
	const textNow = useCallback(() => rowText(shown.current), []);
	const isLit = useStore(useParts().spoken, (view) => view.lit.includes(row.transcriptionId));
	// Show the source until the translation arrives.
	const finished = isFinished(row);
	const showsSource = layout !== 'target' || row.translations.length === 0;
	const said = showsSource ? row.source?.language : undefined;
	const told = row.translations[0]?.language;
	const several = new Set(row.translations.map((segment) => segment.language)).size > 1;
	if (row.lost) {
		const lost = gapLength(row.lost.endMs - row.lost.startMs, i18n.language);
		return (
			<p className={styles.lost} data-kind="lost">
				<Icon name="alert" size={16} /> {t('captions.lost', { seconds: lost })}
			</p>
		);
	}
	return (
		<div
			className={`${styles.row} ${speakerClass(speaker)}`}
			data-side={speaker}
			data-layout={layout}
			data-lit={isLit}
			{...(isLit && { 'aria-current': true })}
			{...(speaker && { role: 'group', 'aria-labelledby': mark })}
		>
			{speaker && <SpeakerMark id={mark} speaker={speaker} />}
			{row.typed && <TypedMark state={row.typed} />}
			{showsSource && (
				<p id={saidId} className={styles.source} dir={sideOf(row.source?.language)}>
					{row.source && (
						<>
							{detecting && <LanguageTag code={row.source.language} />}
							<SteadyText segment={row.source} />
							<CutOff segment={row.source} />
							{finished && <Facts row={row} language={null} />}
						</>
					)}
				</p>
			)}
			<div id={toldId} className={styles.translations}>
				{byLanguage(row.translations).map((segments) => {
					const language = segments[0]?.language ?? '';
					return (
						<p
							key={language}
							dir={sideOf(language)}
							className={`${styles.translation} ${several && !sameLanguage(language, voiceOf) ? styles.other : ''}`}
						>
							{several && <LanguageTag code={language} />}
							{segments.map((segment, index) => (
								<span key={segment.key}>
									{index > 0 && ' '}
									<SteadyText segment={segment} />
									<CutOff segment={segment} />
								</span>
							))}
							{finished && <Facts row={row} language={language} alsoSaid={!showsSource} />}
						</p>
					);
				})}
			</div>
			<RowActions
				id={row.transcriptionId}
				text={textNow}
				row={rowNow}
				about={[speaker && mark, said === undefined ? told && toldId : saidId].filter(Boolean).join(' ')}
				first={sideOf(said ?? told)}
				told={sideOf(told ?? said)}
			/>
		</div>
	);
});

/** Whether the direction's spoken language is detected. */
function useDetecting(leg: CaptionRow['leg']): boolean {
	const { settings } = useParts();
	return useStore(settings.store, ({ values }) =>
		leg === 'incoming' ? detectsTheirs(values) : values.speak === AUTO,
	);
}

/** True if the row will not change any more; missing numbers are marked only then. */
function isFinished({ source, translations }: CaptionRow): boolean {
	return source?.final === true && translations.length > 0 && translations.every(({ final }) => final);
}

/** The chips of a sentence's facts; their code is loaded with the first finished sentence. */
function Facts(props: FactChipsProps) {
	if (!useSetting('checkFacts')) return null;
	return (
		<Suspense fallback={null}>
			<FactChips {...props} />
		</Suspense>
	);
}

/** The direction of a paragraph, whatever the window's language; each text in it has its own (`SteadyText`). */
function sideOf(language: string | undefined): Side {
	return language !== undefined && isRightToLeft(language) ? 'rtl' : 'ltr';
}

/** Marks a typed text and shows its progress; a refusal is announced. */
function TypedMark({ state }: { readonly state: TypedState }) {
	const { t, i18n } = useTranslation();
	return (
		<p className={styles.typed} data-typed={state.is}>
			<span className={`${tag.tag} ${styles.tag}`}>{t('typing.typed')}</span>
			{state.is === 'sending' && <span>{t('typing.sending')}</span>}
			{state.is === 'refused' && (
				<span role="alert" className={styles.refused}>
					{t('typing.refused')} {problemWords(state.problem, t, i18n.language)}
				</span>
			)}
		</p>
	);
}

/** Marks a text as cut off, as saved conversations do. */
function CutOff({ segment: { cutOff } }: { readonly segment: Segment }) {
	const { t } = useTranslation();
	return cutOff ? <span className={styles.cutOff}>{t('captions.cutOff')}</span> : null;
}

function LanguageTag({ code }: { readonly code: string }) {
	return (
		<span className={`${tag.tag} ${styles.tag}`}>
			<LanguageLabel code={code} />
		</span>
	);
}

interface RowActionsProps {
	readonly id: string;
	readonly text: () => string;
	readonly row: () => CaptionRow;
	/** Ids of the speaker and the text, which describe the buttons: those of all rows have the same names. */
	readonly about: string;
	/** Direction of the text that shares its first line with the buttons; side by side, this is the translation. */
	readonly first: Side;
	readonly told: Side;
}

/** The buttons of a row; rendered once, however often the row's text changes. */
const RowActions = memo(function RowActions({ id, text, row, about, first, told }: RowActionsProps) {
	const { t } = useTranslation();
	const { replay } = useParts();
	const canHear = useStore(replay.rows, (rows) => rows.has(id));
	const copy = useCopy();
	const correct = useCorrecting();
	const [copied, setCopied] = useState(false);
	const described = { 'aria-describedby': about };
	function pressed(): void {
		const whole = text();
		void copy(whole, t('captions.copiedLine', { text: isolate(whole) })).then(setCopied);
	}
	return (
		<div className={styles.copy} data-first={first} data-told={told}>
			{canHear && (
				<Button
					look="quiet"
					square
					aria-label={t('replay.row')}
					{...described}
					onPress={() => replay.play(id)}
				>
					<Icon name="resume" size={16} />
				</Button>
			)}
			<Button
				look="quiet"
				square
				aria-label={t('correct.open')}
				{...described}
				onPress={({ target }) => correct(asked(row(), target))}
			>
				<Icon name="edit" size={16} />
			</Button>
			<Button
				look="quiet"
				square
				onHoverEnd={() => setCopied(false)}
				onBlur={() => setCopied(false)}
				{...described}
				aria-label={t(copied ? 'captions.copied' : 'captions.copy')}
				onPress={pressed}
			>
				<Icon name={copied ? 'check' : 'copy'} size={16} />
			</Button>
		</div>
	);
});

/** The texts of a row by language, the marked words, and their position. */
function asked({ source, translations }: CaptionRow, opener: Element): Asked {
	const said = source ? [{ language: source.language, text: source.text }] : [];
	const told = byLanguage(translations).map((segments) => ({
		language: segments[0]?.language ?? '',
		text: segments.map(({ text }) => text).join(' '),
	}));
	const texts = [...said, ...told];
	const selection = document.getSelection();
	const words = (selection?.toString() ?? '').trim();
	const isWords = words !== '' && words.length <= LONGEST_CORRECTION;
	const marked = isWords && texts.find(({ text }) => unbroken(text).includes(words));
	return {
		texts,
		marked: marked ? { language: marked.language, words: storedWords(marked.text, words) } : null,
		at: (marked && selection ? selection.getRangeAt(0) : opener).getBoundingClientRect(),
		opener,
	};
}

type Speaker = 'mine' | 'theirs';

/** The speaker of a row; undefined if the captions have only one speaker. */
function useSpeaker(row: CaptionRow): Speaker | undefined {
	const sided = useStore(useParts().conversation.captions.store, (view) => view.sided ?? false);
	if (!sided) return undefined;
	return row.leg === 'incoming' ? 'theirs' : 'mine';
}

function speakerClass(speaker: Speaker | undefined): string {
	return (speaker && captionSpeakerStyles[speaker]) ?? '';
}

/** Names the speaker by a word and an icon; position and colour repeat this. */
function SpeakerMark({ id, speaker }: { readonly id: string; readonly speaker: Speaker }) {
	const { t } = useTranslation();
	return (
		<p id={id} className={`${tag.pill} ${captionSpeakerStyles.side}`} data-side={speaker}>
			<Icon name={speaker === 'mine' ? 'person' : 'people'} size={16} /> {t(`legs.${speaker}`)}
		</p>
	);
}

/** Keeps a number and the sign after it in one line: "14 %". */
function unbroken(text: string): string {
	return text.replace(/(\d) (?=[%‰°€$£¥])/g, '$1\u00a0');
}

/** Words of a shown text as they are stored, with ordinary spaces. */
function storedWords(text: string, words: string): string {
	const from = unbroken(text).indexOf(words);
	return text.slice(from, from + words.length);
}

/** A caption whose words move as little as possible while it is unfinished; its uncertain end is dimmed. */
function SteadyText({ segment }: { readonly segment: Segment }) {
	const { kind, language } = segment;
	const text = unbroken(segment.text);
	const isCutOff = segment.cutOff === true;
	// A cut-off text will not change any more, so treat it as final.
	const final = segment.final || isCutOff;
	const [version, setVersion] = useState(() => ({ ...firstVersion(text, final), final }));
	// Set while rendering, before the new text is painted, as React recommends for state derived from props.
	if (version.text !== text || version.final !== final) {
		setVersion({ ...nextVersion(version, text, final), final });
	}
	const { shown, steady } = version;
	const [stands, tail] = splitSteady(shown, steady);
	return (
		<span
			lang={localeTag(language)}
			dir={directionOf(language)}
			className={final ? styles.final : steady === 0 ? `${styles.open} ${unsettled.unsettled}` : styles.open}
			data-final={segment.final}
			data-cut-off={isCutOff || undefined}
			data-kind={kind}
		>
			{steady > 0 && tail !== '' ? (
				<>
					{stands}
					<span className={unsettled.unsettled}>{tail}</span>
				</>
			) : (
				shown
			)}
		</span>
	);
}

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
