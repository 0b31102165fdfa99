import { memo, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { ToggleButton } from 'react-aria-components';
import { useStore } from 'zustand';
import { keyProblem } from '#renderer/account/account-mirror.ts';
import { isolate, type TFunction } from '#renderer/i18n/i18n.ts';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { lazilyWithWords } from '#renderer/i18n/use-words.ts';
import { LanguageLabel } from '#renderer/languages/language-label.tsx';
import { languageItem, languageValue } from '#renderer/languages/shown-language.ts';
import {
	NoticeLine,
	ProblemNotice,
	problemSentence,
	problemWords,
} from '#renderer/problems/problem-notice.tsx';
import { useIsLocal, useParts, useSetting } from '#renderer/shell/parts.ts';
import { Button, tooltip } from '#renderer/ui/button.tsx';
import { EmptyState } from '#renderer/ui/empty-state.tsx';
import hidden from '#renderer/ui/hidden.module.css';
import { Icon, type IconName } from '#renderer/ui/icon.tsx';
import { SearchCombo } from '#renderer/ui/search-combo.tsx';
import { Select } from '#renderer/ui/select.tsx';
import { TextAreaField } from '#renderer/ui/text-area.tsx';
import { useVoiceOptions } from '#renderer/voices/voice-picker.tsx';
import type { ModelEntry } from '#shared/host/models.ts';
import { TYPED_LENGTH } from '#shared/host/streams.ts';
import { languageName, languageNames, searchLanguages } from '#shared/i18n/language-names.ts';
import { type Recovery, recoveryOf } from '#shared/problem.ts';
import { isRightToLeft, localeTag, OFFERED_SOURCES, SPOKEN_LANGUAGES } from '#shared/protocol/languages.ts';
import { isFree } from '#shared/settings/schema.ts';
import {
	isOver,
	type QueuedText,
	type SpokenVoice,
	type TextState,
} from '#shared/typing/type-to-speak-queue.ts';
import { PhrasesMenu } from './phrases-menu.tsx';
import styles from './type-page.module.css';
import { translatingVoice } from './typed-languages.ts';

const MissingModels = lazilyWithWords(
	async () => (await import('#renderer/models/missing-models.tsx')).MissingModels,
);

/** States that are announced to screen readers. */
const TOLD: ReadonlySet<string> = new Set(['speaking', 'spoken', 'failed', 'cancelled']);

/** Number of characters that are enough to recognise a text. */
const BEGINNING = 60;

const icons: { readonly [Is in TextState['is']]: IconName } = {
	waiting: 'clock',
	making: 'clock',
	speaking: 'speaker',
	spoken: 'check',
	cancelled: 'close',
	failed: 'alert',
};

/** A row is the same object until it changes, so `memo` is exact. */
const TextRow = memo(function TextRow({ one }: { readonly one: QueuedText }) {
	const { t, i18n } = useTranslation();
	const { typing } = useParts();
	const { id, text, language, from = language, translation, state } = one;
	// Only this computer translates it: a service would speak it untranslated.
	const canRepeat = useIsLocal() || one.from === undefined;
	const again = t(state.is === 'spoken' ? 'typed.sayAgain' : 'typed.tryAgain');
	return (
		<li className={styles.row} data-state={state.is}>
			<div className={styles.said}>
				<p
					className={styles.text}
					lang={localeTag(from)}
					dir={isRightToLeft(from) ? 'rtl' : 'ltr'}
					id={`typed-${id}`}
				>
					{text}
				</p>
				{translation !== undefined && (
					<p
						className={styles.translation}
						lang={localeTag(language)}
						dir={isRightToLeft(language) ? 'rtl' : 'ltr'}
					>
						{translation}
					</p>
				)}
				<p className={styles.state}>
					<Icon name={icons[state.is]} size={16} />
					<span>{stateWords(state, t, i18n.language)}</span>
					<span className={styles.language}>
						<LanguageLabel code={language} />
					</span>
				</p>
			</div>
			{isOver(one) ? (
				canRepeat && (
					<Button look="quiet" aria-describedby={`typed-${id}`} onPress={() => typing.again(id)}>
						{again}
					</Button>
				)
			) : (
				<Button
					look="quiet"
					square
					aria-label={t('app.cancel')}
					aria-describedby={`typed-${id}`}
					onPress={() => typing.cancel(id)}
				>
					<Icon name="close" />
				</Button>
			)}
		</li>
	);
});

/** Recoveries that lead to another page; for all others, this page offers to try again. */
const ELSEWHERE: ReadonlySet<Recovery> = new Set(['open-key', 'open-settings', 'open-sessions']);

/** The number of remaining characters is shown once it is below this. */
const SAY_FROM = 500;

export interface TypePageProps {
	/** The panel with speakers and volume, beside the page. */
	readonly panelOpen: boolean;
	readonly onPanel: (open: boolean) => void;
	/** Shown below the texts, which shrink, so that the controls do not move. */
	readonly notices: ReactNode;
}

/** The page on which the user types and a voice speaks the text. */
export function TypePage({ panelOpen, onPanel, notices }: TypePageProps) {
	const { t, i18n } = useTranslation();
	const { typing, drafts } = useParts();
	const texts = useStore(typing.store, (queue) => queue.texts);
	const cleared = useStore(typing.store, (queue) => queue.cleared.length);
	const voice = useTypedVoice();
	const text = useStore(drafts, (draft) => draft.text);
	const setText = (typed: string) => drafts.setState({ text: typed });
	const box = useRef<HTMLTextAreaElement>(null);
	const left = TYPED_LENGTH - text.trim().length;
	const missing = useMissing(voice);
	const writes = voice.from ?? voice.language;
	const canSay = text.trim() !== '' && left >= 0 && missing.length === 0;
	const isBusy = texts.some((one) => !isOver(one));

	// Focus the box, unless something else has focus, such as the choice of mode.
	useEffect(() => {
		if (document.activeElement === document.body) box.current?.focus();
	}, []);

	function say(): void {
		if (!canSay) return;
		typing.say(text, voice);
		setText('');
	}

	/** Returns focus to the text box, because the pressed button may disappear. */
	function andBack(run: () => void): () => void {
		return () => {
			run();
			box.current?.focus();
		};
	}

	return (
		<section className={styles.page} aria-label={t('typed.title')}>
			<VoiceBar voice={voice} />
			<HaltedNotice />
			<TextList />
			<TypedLog />
			{notices}
			{missing.length > 0 && (
				<Suspense>
					<MissingModels missing={missing} />
				</Suspense>
			)}
			<div className={styles.foot}>
				<div className={styles.write}>
					<TextAreaField
						ref={box}
						label={t(voice.from === undefined ? 'typed.label' : 'typed.labelTranslated', {
							language: isolate(languageName(writes, i18n.language).local),
						})}
						value={text}
						onChange={setText}
						onEnter={say}
						lang={localeTag(writes)}
						dir={isRightToLeft(writes) ? 'rtl' : 'ltr'}
						hint={
							left < SAY_FROM && left >= 0 ? (
								t('typing.left', { count: left })
							) : (
								// Hidden in a low window to leave room for the texts, but still describes the field.
								<span className={hidden.whenTight}>
									<Hint voice={voice} />
								</span>
							)
						}
						error={left < 0 ? t('typing.tooLong', { count: TYPED_LENGTH }) : undefined}
					/>
					<Button
						large
						look="primary"
						aria-label={t('typed.speak')}
						{...(voice.from !== undefined && { 'aria-describedby': 'start-reason' })}
						isDisabled={!canSay}
						onPress={say}
					>
						<Icon name="speaker" />
						<span className={styles.wide}>{t('typed.speak')}</span>
					</Button>
				</div>
				<div className={styles.tools}>
					<PhrasesMenu />
					{isBusy && (
						<Button onPress={andBack(typing.cancelAll)}>
							<Icon name="close" size={16} />
							{t('typed.cancelAll')}
						</Button>
					)}
					{texts.some(isOver) && (
						<Button
							look="quiet"
							aria-label={t('typed.clear')}
							tip={t('typed.clear')}
							onPress={andBack(typing.clear)}
						>
							<Icon name="trash" size={16} />
							<span className={styles.wide}>{t('typed.clear')}</span>
						</Button>
					)}
					{cleared > 0 && (
						<Button look="quiet" onPress={andBack(typing.undoClear)}>
							<Icon name="back" size={16} />
							{t('typed.undoClear', { count: cleared })}
						</Button>
					)}
					<ToggleButton
						{...tooltip(t('sound.open'))}
						className={styles.sound ?? ''}
						aria-label={t('sound.open')}
						isSelected={panelOpen}
						onChange={onPanel}
					>
						<Icon name="speaker" size={16} />
						<span className={styles.wide}>{t('sound.title')}</span>
					</ToggleButton>
				</div>
			</div>
		</section>
	);
}

/** Why nothing can be spoken, or why speaking has stopped, and how to continue. */
function HaltedNotice() {
	const { t, i18n } = useTranslation();
	const { typing, account } = useParts();
	const status = useStore(account.store, (view) => view.status);
	const problem = useStore(typing.store, (queue) => queue.halted);
	const waiting = useStore(
		typing.store,
		(queue) => queue.texts.filter(({ state }) => state.is === 'waiting').length,
	);
	// Report a missing key before the user types in vain.
	const noKey = keyProblem(status);
	if (noKey) return <ProblemNotice problem={noKey} />;
	if (isFree(status.service) && status.sandbox === 'starting')
		return <NoticeLine tone="info" text={t(`block.${status.service}Starting`)} />;
	if (!problem) return null;
	const goOn = { label: t('typed.goOn'), take: typing.goOn };
	if (ELSEWHERE.has(recoveryOf[problem.kind]))
		return <ProblemNotice problem={problem} others={waiting > 0 ? [goOn] : []} />;
	if (waiting === 0) return null;
	return (
		<NoticeLine
			tone="problem"
			problem={problem}
			text={`${problemSentence(problem, t, i18n.language)} ${t('typed.halted', { count: waiting })}`}
			action={goOn}
		/>
	);
}

/** All texts typed in this window, oldest first, with their states. */
function TextList() {
	const { t } = useTranslation();
	const texts = useStore(useParts().typing.store, (queue) => queue.texts);
	const scroller = useRef<HTMLElement>(null);
	const newest = texts.at(-1)?.id;

	// biome-ignore lint/correctness/useExhaustiveDependencies: scroll when a text is added
	useEffect(() => {
		const element = scroller.current;
		if (element) element.scrollTop = element.scrollHeight;
	}, [newest]);

	if (texts.length === 0) {
		return (
			<EmptyState icon="keyboard" title={t('typed.empty')}>
				{t('typed.emptyHint')}
			</EmptyState>
		);
	}
	return (
		// biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard
		<section ref={scroller} className={styles.scroller} tabIndex={0} aria-label={t('typed.list')}>
			<ol className={styles.list}>
				{texts.map((one) => (
					<TextRow key={one.id} one={one} />
				))}
			</ol>
		</section>
	);
}

interface Line {
	readonly id: string;
	readonly state: string;
	readonly text: string;
	readonly language: string;
}

/** Announces the state of texts to screen readers, politely. */
function TypedLog() {
	const { t, i18n } = useTranslation();
	const texts = useStore(useParts().typing.store, (queue) => queue.texts);
	const known = useRef<ReadonlyMap<string, string>>(new Map(texts.map(({ id, state }) => [id, state.is])));
	const [lines, setLines] = useState<readonly Line[]>([]);

	useEffect(() => {
		const changed = texts.filter(({ id, state }) => TOLD.has(state.is) && known.current.get(id) !== state.is);
		known.current = new Map(texts.map(({ id, state }) => [id, state.is]));
		const said = ({ id, text, language, state }: QueuedText): Line => ({
			id,
			language,
			state: stateWords(state, t, i18n.language),
			text: text.length > BEGINNING ? `${text.slice(0, BEGINNING)}…` : text,
		});
		if (changed.length > 0) setLines(changed.map(said));
	}, [texts, t, i18n.language]);

	return (
		<p role="status" aria-label={t('typed.log')} className={hidden.hidden}>
			{lines.map(({ id, state, text, language }) => (
				<span key={id}>
					{`${state}: `}
					<span lang={localeTag(language)} dir="auto">
						{text}
					</span>{' '}
				</span>
			))}
		</p>
	);
}

/** What happens to the text, and which keys can be used. */
function Hint({ voice: { language, from } }: { readonly voice: SpokenVoice }) {
	const { t, i18n } = useTranslation();
	const isLocal = useIsLocal();
	if (from !== undefined)
		return t('typed.hintTranslated', { language: isolate(languageName(language, i18n.language).local) });
	return t(isLocal ? 'typed.hintHere' : 'typed.hint');
}

/** The translation models that the next text needs and this computer lacks. */
function useMissing({ language, from }: SpokenVoice): readonly ModelEntry[] {
	const { models } = useParts();
	const { choice, models: all } = useStore(models.store);
	const needed = from === undefined ? [] : (choice?.translatorsOf(from, language) ?? []);
	return all.filter(({ id, state }) => needed.includes(id) && state !== 'installed');
}

function VoiceBar({ voice }: { readonly voice: SpokenVoice }) {
	const { t, i18n } = useTranslation();
	const { settings } = useParts();
	const voices = useSetting('voices');
	const { language, voiceId } = voice;
	const isLocal = useIsLocal();
	const shown = languageName(language, i18n.language);
	const options = useVoiceOptions(voiceId);

	return (
		<div className={styles.voice} data-from={isLocal ? '' : undefined}>
			{isLocal && <FromCombo voice={voice} />}
			<SearchCombo
				label={t('typed.language')}
				showLabel={t('languages.show')}
				emptyText={t('languages.none')}
				value={language}
				{...languageValue(shown)}
				sectionsFor={(typed) => [
					{
						id: 'all',
						title: t('languages.all'),
						items: searchLanguages(languageNames(SPOKEN_LANGUAGES, i18n.language), typed).map(languageItem),
					},
				]}
				onChoose={(code) => void settings.write({ typedLanguage: code })}
			/>
			<Select<string>
				label={t('typed.voice')}
				options={options}
				value={voiceId}
				onChange={(next) => void settings.write({ voices: { ...voices, [language]: next } })}
			/>
		</div>
	);
}

/**
 * The language of the text, shown only while this computer interprets:
 * a service does not translate in Type to speak.
 */
function FromCombo({ voice: { language, from = '' } }: { readonly voice: SpokenVoice }) {
	const { t, i18n } = useTranslation();
	const { models, settings } = useParts();
	const choice = useStore(models.store, (view) => view.choice);
	const others = languageNames(
		OFFERED_SOURCES.filter((code) => (choice?.translatorsOf(code, language) ?? []).length > 0),
		i18n.language,
	);
	const asTyped = { id: '', text: t('typed.asTyped') };
	return (
		<SearchCombo
			label={t('typed.from')}
			showLabel={t('languages.show')}
			emptyText={t('languages.none')}
			value={from}
			{...(from === '' ? { valueText: asTyped.text } : languageValue(languageName(from, i18n.language)))}
			sectionsFor={(typed) => [
				{ id: 'same', title: '', items: typed === '' ? [asTyped] : [] },
				{ id: 'all', title: t('languages.all'), items: searchLanguages(others, typed).map(languageItem) },
			]}
			onChoose={(code) => void settings.write({ typedFrom: code })}
		/>
	);
}

/** The voice for the next typed text; see `translatingVoice`. */
function useTypedVoice(): SpokenVoice {
	const choices = {
		typedFrom: useSetting('typedFrom'),
		typedLanguage: useSetting('typedLanguage'),
		voiceOf: useSetting('voiceOf'),
		voices: useSetting('voices'),
	};
	return translatingVoice(choices, useIsLocal());
}

/** The state of a text in words, with the reason if it failed. */
function stateWords(state: TextState, t: TFunction, locale: string): string {
	if (state.is !== 'failed') return t(`typed.state.${state.is}`);
	const failed = t(state.partly ? 'typed.state.cut' : 'typed.state.failed');
	return `${failed} ${problemWords(state.problem, t, locale)}`;
}
