import type { KeyboardEvent } from 'react';
import { ToggleButton } from 'react-aria-components';
import { useStore } from 'zustand';
import { useCallWords, useSystemSilence } from '#renderer/calls/call-notices.tsx';
import type { Conversation, ConversationView } from '#renderer/conversation/conversation.ts';
import type { Leg } from '#renderer/conversation/legs.ts';
import { isRunning } from '#renderer/conversation/live-changes.ts';
import type { TalkView } from '#renderer/conversation/push-to-talk.ts';
import { useLegLanguages, useLegView } from '#renderer/conversation/use-legs.ts';
import { fromTo } from '#renderer/i18n/format.ts';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { KeyCaps } from '#renderer/keys/key-caps.tsx';
import { TheirLanguage } from '#renderer/languages/their-language.tsx';
import { ErrorDetails } from '#renderer/problems/error-details.tsx';
import { problemSentence } from '#renderer/problems/problem-notice.tsx';
import { useIsLocal, useParts, useSetting } from '#renderer/shell/parts.ts';
import { Button, tooltip } from '#renderer/ui/button.tsx';
import hidden from '#renderer/ui/hidden.module.css';
import { Icon, type IconName } from '#renderer/ui/icon.tsx';
import { usePointerHold } from '#renderer/ui/use-pointer-hold.ts';
import { languageLabel } from '#shared/i18n/language-names.ts';
import { assignedBy } from '#shared/keys/assigned.ts';
import { ariaKeys } from '#shared/keys/combination.ts';
import { AUTO, baseOf } from '#shared/protocol/languages.ts';
import { DelayText } from './delay-gauge.tsx';
import styles from './leg-rows.module.css';
import { StateDot, stateWords } from './status-line.tsx';
import talkStyles from './talk-bar.module.css';

/** The state of each of two directions, and actions on that direction alone; nothing if there is only one. */
export function LegRows() {
	const { t } = useTranslation();
	const { conversation, legs } = useParts();
	const running = useStore(conversation.store, (view) => isRunning(view.phase));
	const names = useStore(legs.names);
	if (!running || names.length < 2) return null;
	return (
		<ul className={styles.rows} aria-label={t('legs.title')}>
			{names.map((name) => (
				<LegRow key={name} leg={legs[name]} />
			))}
		</ul>
	);
}

const isSimplyLive = ({ phase, muted, paused }: ConversationView) => phase === 'live' && !muted && !paused;

function LegRow({ leg }: { readonly leg: Leg }) {
	const { t, i18n } = useTranslation();
	const { name, conversation, voice } = leg;
	const view = useLegView(conversation);
	const voiceMuted = useStore(voice, ({ muted }) => muted);
	const languages = useLegLanguages(name);
	const named = (code: string) => languageLabel(baseOf(code), i18n.language);
	const detects = languages?.from === AUTO;
	const pair = languages && !detects ? fromTo(named(languages.from), named(languages.to), i18n.language) : '';
	// A restarted direction would run while the other one is paused.
	const paused = useStore(useParts().conversation.store, (whole) => whole.paused);
	const failed = view.phase === 'failed';
	const words = view.problem && problemSentence(view.problem, t, i18n.language);

	return (
		<li className={styles.row} data-leg={name} data-failed={failed}>
			<div className={styles.head}>
				<Icon name={name === 'outgoing' ? 'person' : 'people'} />
				<p className={styles.title}>
					<span className={styles.name}>{t(`legs.${name}`)}</span>
					<span className={hidden.hidden}>
						{pair} {t(`legs.${name}Way`)}
					</span>
				</p>
				{/* While only this direction is paused, its *Resume* takes the place of the delay. */}
				{view.phase === 'live' && view.paused === paused && <DelayText of={conversation} />}
			</div>
			<div className={styles.foot}>
				<div className={styles.state}>
					<StateDot view={view} />
					<LegState name={name} view={view} />
					{detects && !failed && (
						<span className={styles.theirs}>
							<TheirLanguage />
						</span>
					)}
					<Travel of={conversation} />
				</div>
				<div className={styles.controls}>
					{!paused && <ResumeAlone of={conversation} />}
					<Mute
						label={t(`legs.${name}Source`)}
						words={t(`legs.${name}Source`)}
						icon={sourceIcons[name][view.muted ? 'off' : 'on']}
						isMuted={view.muted}
						onChange={(muted) => conversation.setMuted(muted)}
					/>
					<Mute
						label={t(`legs.${name}Voice`)}
						words={t('legs.voiceShort')}
						icon={voiceMuted ? 'speaker-off' : 'speaker'}
						isMuted={voiceMuted}
						onChange={leg.muteVoice}
					/>
				</div>
			</div>
			{name === 'outgoing' && <CallWarning />}
			{failed && (
				<div className={styles.failed} data-problem={view.problem?.kind}>
					<p role="alert">{t('legs.failed', { leg: t(`legs.${name}`), words: words ?? '' })}</p>
					<Button isDisabled={paused} onPress={leg.again}>
						{t('recovery.retry')}
					</Button>
					{view.problem && <ErrorDetails problem={view.problem} />}
				</div>
			)}
		</li>
	);
}

/** The direction's state in words, and whose turn it is. When live, the dot is enough. */
function LegState({ name, view }: { readonly name: Leg['name']; readonly view: ConversationView }) {
	const { t } = useTranslation();
	const sign = useStore(useParts().turnSigns, (signs) => signs[name]);
	const silence = useSystemSilence();
	const wanted = useSetting('systemSound');
	// One word is enough for a passing state.
	const isWaiting = name === 'incoming' && !view.muted && wanted === null && silence === 'nothing-playing';
	const isSaid = sign === 'none' && (isWaiting || !isSimplyLive(view));
	const words = isWaiting
		? t('legs.nothingPlaying')
		: stateWords(view, t, name === 'incoming' ? 'call' : 'microphone');
	return (
		<>
			{sign !== 'none' && (
				<span className={styles.turnSign} data-turn-sign={sign}>
					{t(
						sign === 'still' ? 'turnSign.still' : `turnSign.turn.${name === 'incoming' ? 'mine' : 'theirs'}`,
					)}
				</span>
			)}
			<span
				className={isSaid ? undefined : hidden.hidden}
				{...(view.phase !== 'failed' && {
					role: 'status',
					'aria-label': t('legs.stateOf', { leg: t(`legs.${name}`) }),
				})}
				{...(isWaiting && {
					title: t('others.silent.nothing-playing'),
					'data-system-silence': silence,
				})}
			>
				{words}
			</span>
		</>
	);
}

/** For a direction that paused on its own, for example when its microphone was unplugged. */
function ResumeAlone({ of }: { readonly of: Pick<Conversation, 'store' | 'resume'> }) {
	const { t } = useTranslation();
	const isPaused = useStore(of.store, (view) => view.phase === 'live' && view.paused);
	return isPaused && <Button onPress={() => of.resume()}>{t('live.resume')}</Button>;
}

/** Warns if the call does not hear the speech. */
function CallWarning() {
	const { t } = useTranslation();
	const { navigation } = useParts();
	const words = useCallWords();
	if (words === null) return null;
	return (
		<div className={styles.failed} data-call="nowhere">
			<p role="status">{words.text}</p>
			<Button onPress={() => navigation.go('settings', 'call-route')}>{t('legs.callSetUp')}</Button>
		</div>
	);
}

const sourceIcons = {
	outgoing: { on: 'microphone', off: 'microphone-off' },
	incoming: { on: 'call', off: 'call-off' },
} as const;

/** Shows that the direction uses a socket, with a button back after a fallback; brief, because there are two rows. */
function Travel({ of }: { readonly of: Pick<Conversation, 'store' | 'backToWebrtc'> }) {
	const { t } = useTranslation();
	const travel = useStore(of.store, (view) => view.travel);
	const isLive = useStore(of.store, (view) => view.phase === 'live');
	const isLocal = useIsLocal();
	// This computer has no other route.
	if (travel?.route !== 'websocket' || isLocal) return null;
	return (
		<span className={styles.travel} data-testid="travel">
			<span data-tooltip={travel.fellBack ? t('travel.fellBack') : undefined}>{t('travel.websocket')}</span>
			{travel.fellBack && isLive && (
				<Button
					look="quiet"
					aria-label={t('travel.back')}
					tip={t('travel.back')}
					onPress={() => of.backToWebrtc()}
				>
					<Icon name="again" size={16} />
					<span>{t('travel.back')}</span>
				</Button>
			)}
		</span>
	);
}

interface MuteProps {
	/** The accessible name: what the button does, with the visible words in it. */
	readonly label: string;
	/** The visible words: what the button acts on. */
	readonly words: string;
	readonly icon: IconName;
	readonly isMuted: boolean;
	readonly onChange: (muted: boolean) => void;
}

function Mute({ label, words, icon, isMuted, onChange }: MuteProps) {
	return (
		<ToggleButton
			{...tooltip(label)}
			className={styles.mute ?? ''}
			aria-label={label}
			isSelected={isMuted}
			onChange={onChange}
		>
			<Icon name={icon} />
			<span className={hidden.whenTight}>{words}</span>
		</ToggleButton>
	);
}

/** The rows above the controls while a conversation runs. */
export function RunningRows() {
	return (
		<>
			<LegRows />
			<TalkBar />
		</>
	);
}

const POINTER = 'pointer';
const BUTTON = 'button';

/** The button to hold while a conversation runs with push to talk. */
export function TalkBar() {
	const { t } = useTranslation();
	const { conversation, talk, info } = useParts();
	const running = useStore(conversation.store, (view) => isRunning(view.phase));
	const muted = useStore(conversation.store, (view) => view.muted);
	const view = useStore(talk.store);
	const isMeeting = useSetting('mode') === 'meeting';
	const keys = assignedBy(useSetting('shortcuts')).get('talk') ?? [];
	const held = usePointerHold(
		() => talk.down(POINTER),
		() => talk.up(POINTER),
	);
	if (!running || view.mode === 'open') return null;
	const state = stateOf(view, isMeeting);
	const mutes = view.mode === 'push-to-mute';

	function key(event: KeyboardEvent, then: () => void): void {
		if (event.key !== ' ' && event.key !== 'Enter') return;
		if (event.ctrlKey || event.metaKey || event.altKey) return;
		// Otherwise the browser clicks as well.
		event.preventDefault();
		if (!event.repeat) then();
	}

	return (
		<div className={talkStyles.bar} data-open={view.open && !muted} data-testid="talk">
			<button
				type="button"
				className={talkStyles.button}
				aria-pressed={view.pressed !== 'no'}
				aria-keyshortcuts={ariaKeys(keys, { mac: info.platform === 'darwin' }) || undefined}
				aria-describedby="talk-state"
				{...held}
				onKeyDown={(event) => key(event, () => talk.down(BUTTON))}
				onKeyUp={(event) => key(event, () => talk.up(BUTTON))}
				onBlur={() => talk.up(BUTTON)}
				// A click without a pointer comes from a screen reader or a switch, which cannot hold.
				onClick={({ detail }) => detail === 0 && talk.toggle()}
				onContextMenu={(event) => event.preventDefault()}
			>
				<Icon name={view.open && !muted ? 'microphone' : 'microphone-off'} />
				{t(`talk.${labels[view.mode]}`)}
				{keys[0] && (
					<span aria-hidden="true">
						<KeyCaps keys={keys[0]} />
					</span>
				)}
			</button>
			<p id="talk-state" className={talkStyles.state} role="status">
				{muted ? t('phase.mutedLive') : t(`talk.${state}`)}
				{view.pressed === 'toggled' && <span> · {t(mutes ? 'talk.toggledMute' : 'talk.toggledOn')}</span>}
			</p>
			{view.unheard && !muted && state === 'silent' && (
				<p className={talkStyles.unheard} role="alert">
					{t(mutes ? 'notice.youAreMuted' : 'talk.unheard')}
				</p>
			)}
		</div>
	);
}

const labels = {
	'push-to-talk': 'hold',
	'push-to-mute': 'holdMute',
	'push-to-translate': 'holdTranslate',
} as const;

function stateOf({ mode, open }: TalkView, isMeeting: boolean): 'talking' | 'silent' | 'translating' | 'raw' {
	if (mode !== 'push-to-translate') return open ? 'talking' : 'silent';
	if (open) return 'translating';
	return isMeeting ? 'raw' : 'silent';
}
