import {
	type KeyboardEvent,
	type ReactNode,
	useEffect,
	useLayoutEffect,
	useMemo,
	useReducer,
	useRef,
	useState,
	useSyncExternalStore,
} from 'react';
import { useStore } from 'zustand';
import type { ConversationView } from '#renderer/conversation/conversation.ts';
import { addWords, type Texts, type TFunction, textOf, translate } from '#renderer/i18n/i18n.ts';
import { useI18n, useTranslation } from '#renderer/i18n/use-translation.ts';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import { useFramed } from '#renderer/shell/use-framed.ts';
import { Button } from '#renderer/ui/button.tsx';
import hidden from '#renderer/ui/hidden.module.css';
import { Icon, type IconName } from '#renderer/ui/icon.tsx';
import tags from '#renderer/ui/tag.module.css';
import unsettled from '#renderer/ui/unsettled.module.css';
import { usePointerHold } from '#renderer/ui/use-pointer-hold.ts';
import type { Cue, FaceSide } from '#shared/face-to-face/turn-rules.ts';
import phrases from '#shared/i18n/face-phrases.json';
import { interfaceLanguageFor } from '#shared/i18n/interface-languages.ts';
import { languageName } from '#shared/i18n/language-names.ts';
import { baseOf, directionOf, isRightToLeft, localeTag } from '#shared/protocol/languages.ts';
import styles from './face-page.module.css';
import { type FaceLanguages, type Line, lineFor } from './face-sides.ts';
import { holdKeys, useSideDown } from './use-side-keys.ts';

/** As in the style sheet: a narrow or low half has no room for two buttons side by side. */
const NARROW = window.matchMedia('(max-width: 560px), (max-height: 520px)');

const does = { no: 'face.half.hold', held: 'face.half.release', tapped: 'face.half.finish' } as const;

/** Enough lines to look back a moment; the whole conversation is in the captions. */
const LINES_SHOWN = 6;

/** Lines for screen readers: users who browse them would hear more lines twice. */
const LINES_ANNOUNCED = 3;

const kept = {
	erase: 'face.half.keptNot',
	ask: 'face.half.keptMaybe',
	days: 'face.half.kept',
	keep: 'face.half.kept',
} as const;

/** How many rows to search: more than can be spoken while a voice is kept. */
const ROWS_LOOKED_AT = 100;

export interface FaceHalfProps {
	readonly side: FaceSide;
	readonly languages: FaceLanguages;
	/** True if the half is upside down, for the person opposite. */
	readonly turned: boolean;
	/** Shown below the lines, which shrink, so that no control moves. */
	readonly notices?: ReactNode;
}

/** One person's half: the other's words, whose turn it is, and the button, all in this person's language. */
export function FaceHalf({ side, languages, turned, notices }: FaceHalfProps) {
	const { t, i18n } = useTranslation();
	const { account, conversation, turns } = useParts();
	const isDown = useSideDown(side);
	const cue = useStore(turns.store, ({ cues }): Cue => (isDown ? 'off' : cues[side]));
	const pressed = useStore(turns.store, (view) => view.pressed[side]);
	const phase = useStore(conversation.store, (view) => view.phase);
	const paused = useStore(conversation.store, (view) => view.paused || view.muted);
	const talk = useSetting('faceTalk');
	const language = languages[side];
	const words = useHalfWords(language);
	const name = languageName(language, i18n.language);
	const narrow = useNarrow();
	const service = useStore(account.store, (view) => view.status.service);
	const [agreed, setAgreed] = useState(false);
	const consent = side === 'partner' && !agreed && <Consent words={words} onAgree={() => setAgreed(true)} />;

	return (
		<section
			className={styles.half}
			data-side={side}
			data-cue={cue}
			data-turned={turned}
			aria-label={t(side === 'me' ? 'face.mine' : 'face.partners')}
		>
			<div className={styles.content} lang={words.tag} dir={words.direction}>
				<div className={styles.head}>
					<span className={styles.language} lang={name.tag} dir="auto">
						{name.native}
					</span>
					{service === 'sandbox' && (
						<p className={styles.sandbox} role="note">
							<Icon name="flask" size={16} />
							{words.t('face.half.sandbox')}
						</p>
					)}
					{!narrow && consent}
				</div>
				<FaceLines side={side} languages={languages} words={words}>
					{narrow && consent}
				</FaceLines>
				{notices}
				<CueLine
					cue={cue}
					talk={talk}
					off={isDown ? words.t('face.half.reconnecting') : offWords(phase, paused, words.t)}
					words={words}
				/>
				<div className={styles.acts}>
					{talk === 'hold' && (
						<TalkButton side={side} words={words} pressed={pressed} isDisabled={cue === 'off'} />
					)}
					<AgainButton side={side} languages={languages} words={words} iconOnly={narrow && talk === 'hold'} />
				</div>
			</div>
		</section>
	);
}

const icons: { readonly [One in Cue]: IconName } = {
	off: 'clock',
	ready: 'microphone',
	speak: 'microphone',
	'wait-voice': 'voice',
	'wait-other': 'clock',
	translating: 'clock',
	'your-turn': 'check',
};

const cueWords = {
	ready: 'face.half.hold',
	speak: 'face.half.speak',
	'wait-voice': 'face.half.waitVoice',
	'wait-other': 'face.half.waitOther',
	translating: 'face.half.translating',
	'your-turn': 'face.half.yourTurn',
} as const;

interface CueLineProps {
	readonly cue: Cue;
	readonly talk: 'hold' | 'automatic';
	/** Shown while neither side can speak. */
	readonly off: string;
	readonly words: HalfWords;
}

function CueLine({ cue, talk, off, words: { t } }: CueLineProps) {
	// The button already shows this cue.
	if (cue === 'ready' && talk === 'hold') return <p className={styles.cue} role="status" data-cue={cue} />;
	return (
		<p className={styles.cue} role="status" data-cue={cue}>
			<Icon name={icons[cue]} size={24} />
			<span>{cue === 'off' ? off : t(cueWords[cue])}</span>
		</p>
	);
}

function offWords(phase: ConversationView['phase'], paused: boolean, t: TFunction): string {
	if (phase === 'ending') return t('face.half.ending');
	if (phase === 'reconnecting' || phase === 'switching') return t('face.half.reconnecting');
	return t(paused ? 'face.half.paused' : 'face.half.starting');
}

interface AgainButtonProps {
	readonly side: FaceSide;
	readonly languages: FaceLanguages;
	readonly words: HalfWords;
	/** True if there is no room for the button's name, which screen readers still read out. */
	readonly iconOnly: boolean;
}

/** Replays the other person's last sentence in the language of this half; pressed again, the sentence before. */
function AgainButton({ side, languages, words: { t }, iconOnly }: AgainButtonProps) {
	const { conversation, replay, turns } = useParts();
	const { captions } = conversation;
	const kept = useStore(replay.rows);
	// A replay must not interrupt a speaker, nor be translated from the loudspeaker.
	const isTalking = useStore(turns.store, ({ pressed }) => pressed.me !== 'no' || pressed.partner !== 'no');

	function toldHere(): ReadonlySet<string> {
		const { rows } = captions.store.getState();
		const ids = new Set<string>();
		for (let index = rows - 1; index >= Math.max(0, rows - ROWS_LOOKED_AT); index--) {
			const row = captions.row(index);
			const line = row && lineFor(row, side, languages);
			if (line && !line.own && kept.has(line.key)) ids.add(line.key);
		}
		return ids;
	}

	const isThere = kept.size > 0 && toldHere().size > 0;
	return (
		<Button
			look="plain"
			{...(iconOnly && { tip: t('face.half.again') })}
			isDisabled={!isThere || isTalking}
			onPress={() => {
				const ids = toldHere();
				replay.last((row) => ids.has(row));
			}}
		>
			<Icon name="again" size={24} />
			<span className={iconOnly ? hidden.hidden : ''}>{t('face.half.again')}</span>
		</Button>
	);
}

interface ConsentProps {
	readonly words: HalfWords;
	readonly onAgree: () => void;
}

/** Explains in the partner's language what happens to their words, until they agree. The conversation does not wait. */
function Consent({ words: { t }, onAgree }: ConsentProps) {
	const { t: own } = useTranslation();
	const history = useSetting('history');
	// The recording is kept, whatever happens to the text.
	const isRecorded = useStore(
		useParts().recording.store,
		({ state }) => state === 'armed' || state === 'recording',
	);
	return (
		<div className={styles.consent}>
			<p>
				{t('face.half.consent', { app: own('app.name') })}{' '}
				{t(isRecorded ? 'face.half.recorded' : kept[history])}
			</p>
			<Button onPress={onAgree}>{t('face.half.agree')}</Button>
		</div>
	);
}

interface FaceLinesProps {
	readonly side: FaceSide;
	readonly languages: FaceLanguages;
	readonly words: HalfWords;
	/** Shown before the lines, which have priority if there is little room. */
	readonly children?: ReactNode;
}

/** The captions for this person: the other's words in their language, large, and their own as recognised. */
function FaceLines({ side, languages, words: { t, tag }, children }: FaceLinesProps) {
	const { captions } = useParts().conversation;
	const { rows: all, held } = useFramed(captions.store);
	// Hide an earlier conversation: another person may sit here now.
	const rows = held ? 0 : all;
	const announce = useSetting('announceCaptions');
	const region = useRef<HTMLDivElement>(null);
	const lines: Line[] = [];
	for (let index = rows - 1; index >= 0 && index >= rows - 2 * LINES_SHOWN; index--) {
		const row = captions.row(index);
		const line = row && lineFor(row, side, languages);
		if (line && lines.length < LINES_SHOWN) lines.unshift(line);
	}
	const newest = lines.findLast(({ own }) => !own);
	const said = lines.filter(({ own, final }) => !own && final).slice(-LINES_ANNOUNCED);
	const end = lines.at(-1);

	// biome-ignore lint/correctness/useExhaustiveDependencies: the text may have grown
	useLayoutEffect(() => {
		if (region.current) showNewest(region.current);
	}, [end?.text, end?.key]);

	// After a resize, or when the turn's words appear or the notice rewraps, the visible lines stay in view.
	useLayoutEffect(() => {
		const shown = region.current;
		if (!shown) return;
		const observer = new ResizeObserver(() => showNewest(shown));
		observer.observe(shown);
		return () => observer.disconnect();
	}, []);

	return (
		<div className={styles.linesFrame}>
			{/* biome-ignore lint/a11y/useSemanticElements: no form; and both halves may have the same words, so no landmark either */}
			<div
				ref={region}
				role="group"
				className={styles.lines}
				// biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll
				tabIndex={0}
				lang={tag}
				aria-label={t('face.half.other')}
			>
				{children}
				{lines.length === 0 && <p className={styles.nothing}>{t('face.half.empty')}</p>}
				{lines.map((line) => (
					<p
						key={line.key}
						className={line.final ? styles.line : `${styles.line} ${unsettled.unsettled}`}
						lang={localeTag(line.language)}
						dir={directionOf(line.language)}
						data-own={line.own}
						data-newest={line === newest}
						data-final={line.final}
					>
						{line.own && (
							<>
								<span className={`${tags.tag} ${styles.who}`} lang={tag}>
									{t('face.half.you')}
								</span>{' '}
							</>
						)}
						{line.text}
					</p>
				))}
				{announce && (
					<div role="log" className={hidden.hidden}>
						{said.map((line) => (
							<p key={line.key} lang={localeTag(line.language)}>
								{line.text}
							</p>
						))}
					</div>
				)}
			</div>
		</div>
	);
}

/** Shows the end of the newest sentence, or all if it fits; one's own words never push it out of view. */
function showNewest(region: HTMLElement): void {
	region.scrollTop = region.scrollHeight;
	const newest = region.querySelector<HTMLElement>('[data-newest="true"]');
	if (!newest) return;
	const top = newest.offsetTop;
	const endInSight = top + newest.offsetHeight - region.clientHeight;
	if (top < region.scrollTop) region.scrollTop = Math.max(top, endInSight);
}

interface TalkButtonProps {
	readonly side: FaceSide;
	readonly words: HalfWords;
	readonly pressed: 'no' | 'held' | 'tapped';
	readonly isDisabled: boolean;
}

/** Held down by finger, mouse or keyboard, or tapped before and after. */
function TalkButton({ side, words: { t }, pressed, isDisabled }: TalkButtonProps) {
	const { turns } = useParts();
	const { onPointerDown, ...held } = usePointerHold(
		() => turns.down(side),
		() => turns.up(side),
	);

	/** True while a key holds the button; the key may be released while another element has the focus. */
	const isKeyed = useRef(false);
	function lift(): void {
		if (!isKeyed.current) return;
		isKeyed.current = false;
		turns.up(side);
	}
	function key(event: KeyboardEvent, then: () => void): void {
		if (event.key !== ' ' && event.key !== 'Enter') return;
		// Otherwise the browser clicks as well.
		event.preventDefault();
		if (!event.repeat) then();
	}
	function press(): void {
		if (isDisabled) return;
		isKeyed.current = true;
		turns.down(side);
	}

	/** A click without a pointer comes from a screen reader or a switch, and counts as a tap. */
	function click(detail: number): void {
		if (isDisabled || detail !== 0) return;
		turns.down(side);
		turns.up(side);
	}

	return (
		<button
			type="button"
			className={styles.talk}
			data-testid={`talk-${side}`}
			aria-pressed={pressed !== 'no'}
			aria-disabled={isDisabled}
			aria-keyshortcuts={holdKeys[side].name}
			onPointerDown={(event) => !isDisabled && onPointerDown(event)}
			{...held}
			onKeyDown={(event) => key(event, press)}
			onKeyUp={(event) => key(event, lift)}
			onBlur={lift}
			onClick={({ detail }) => click(detail)}
			onContextMenu={(event) => event.preventDefault()}
		>
			<Icon name="microphone" size={28} />
			<span>{t(does[pressed])}</span>
			<span className={styles.key} aria-hidden="true">
				{holdKeys[side].name}
			</span>
		</button>
	);
}

function subscribe(changed: () => void): () => void {
	NARROW.addEventListener('change', changed);
	return () => NARROW.removeEventListener('change', changed);
}

/** True if a half is too narrow for two buttons side by side. */
function useNarrow(): boolean {
	return useSyncExternalStore(subscribe, () => NARROW.matches);
}

export interface HalfWords {
	readonly t: TFunction;
	/** BCP 47 tag of the words, for `lang`; English if the app lacks the language. */
	readonly tag: string;
	readonly direction: 'ltr' | 'rtl';
}

const known: Readonly<Record<string, Texts>> = phrases;

/** The words of a half in its person's language, else in English; the interface's until they are loaded. */
export function useHalfWords(language: string): HalfWords {
	const i18n = useI18n();
	const [loads, loaded] = useReducer((count: number) => count + 1, 0);
	const base = baseOf(language);
	const half = known[base];
	const catalogue = half ? undefined : interfaceLanguageFor('system', [base]);

	useEffect(() => {
		if (catalogue) void addWords(i18n, catalogue).then(loaded, () => {});
	}, [i18n, catalogue]);

	// biome-ignore lint/correctness/useExhaustiveDependencies: `loads` changes when the same object gets a catalogue
	return useMemo(() => {
		const texts = catalogue && i18n.words.get(catalogue);
		const isLoaded = textOf(texts, 'face.half.hold') !== undefined;
		const shown = i18n.shown.getState();
		const spoken = half ? base : catalogue && isLoaded ? catalogue : shown.language;
		const own = half ? { face: { half } } : texts;
		return {
			t: spoken === shown.language ? shown.t : translate(() => own, spoken),
			tag: localeTag(spoken),
			direction: isRightToLeft(spoken) ? 'rtl' : 'ltr',
		};
	}, [i18n, base, half, catalogue, loads]);
}
