import { type RefObject, Suspense, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Button as AriaButton, ToggleButton } from 'react-aria-components';
import { useStore } from 'zustand';
import { useCallWords } from '#renderer/calls/call-notices.tsx';
import { isRunning, isUnderWay } from '#renderer/conversation/live-changes.ts';
import { useOwnProblem, useTwoLegs } from '#renderer/conversation/use-legs.ts';
import { useRecover, useStartAgain } from '#renderer/conversation/use-recover.ts';
import {
	type StartBlock,
	startBlock,
	startNeeds,
	useStartBlock,
	useStartStop,
} from '#renderer/conversation/use-start.ts';
import { isolate } from '#renderer/i18n/i18n.ts';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { lazilyWithWords } from '#renderer/i18n/use-words.ts';
import { useTip } from '#renderer/keys/key-caps.tsx';
import { ErrorDetails } from '#renderer/problems/error-details.tsx';
import { problemSentence } from '#renderer/problems/problem-notice.tsx';
import { takeFirstPicture } from '#renderer/shell/first-picture.ts';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import { canTypeAlong } from '#renderer/typing/typed-speech.ts';
import { Button, tooltip } from '#renderer/ui/button.tsx';
import { FilledIcon, Icon } from '#renderer/ui/icon.tsx';
import { LevelMeter } from '#renderer/ui/level-meter.tsx';
import { languageName } from '#shared/i18n/language-names.ts';
import { atMost } from '#shared/lib/clock.ts';
import { recoveryOf } from '#shared/problem.ts';
import type { Settings } from '#shared/settings/schema.ts';
import delay from './delay-gauge.module.css';
import { CatchUp, DelayText } from './delay-gauge.tsx';
import styles from './dock.module.css';
import { Elapsed, StatusLine } from './status-line.tsx';

/** The texts for the time after Stop, in modes without a voice or an open microphone. */
const tailWords: { readonly [Mode in Settings['mode']]?: 'live.tailWritten' | 'live.tailListen' } = {
	captions: 'live.tailWritten',
	listen: 'live.tailListen',
};

/** Lazy, so that no start waits for them. */
const RunningRows = lazilyWithWords(async () => (await import('./leg-rows.tsx')).RunningRows);
const MissingModels = lazilyWithWords(
	async () => (await import('#renderer/models/missing-models.tsx')).MissingModels,
);
const CreditUsed = lazilyWithWords(async () => (await import('#renderer/account/credit.tsx')).CreditUsed);

export interface DockProps {
	readonly panelOpen: boolean;
	readonly onPanel: (open: boolean) => void;
}

/** Every control of the conversation in one place at the foot of the window. */
export function Dock({ panelOpen, onPanel }: DockProps) {
	const { t } = useTranslation();
	const { conversation, creditUse, sound, clock } = useParts();
	const phase = useStore(conversation.store, (view) => view.phase);
	const paused = useStore(conversation.store, (view) => view.paused);
	const muted = useStore(conversation.store, (view) => view.muted);
	const hasUsed = useStore(creditUse, (view) => view.used !== null);
	const tip = useTip();
	const running = isRunning(phase);
	const twoLegs = useTwoLegs();
	const mode = useSetting('mode');
	const isListening = mode === 'listen';
	// Two directions have a row each, with a delay and a microphone of its own.
	const hasVoice = mode !== 'captions' && !twoLegs;

	return (
		<section className={styles.dock} aria-label={t('live.controls')}>
			<StartReason />
			{running && (
				<Suspense fallback={null}>
					<RunningRows />
				</Suspense>
			)}
			<div className={styles.controls}>
				<div className={styles.start}>
					{/* Listening needs no microphone, but a mute by shortcut must be undoable. */}
					{!(running && twoLegs) && (!isListening || muted) && (
						<ToggleButton
							{...tooltip(isListening ? t('legs.listenSource') : tip(t('live.mute'), 'mute'))}
							className={styles.toggle ?? ''}
							aria-label={t(isListening ? 'legs.listenSource' : 'live.mute')}
							isSelected={muted}
							onChange={(next) => conversation.setMuted(next)}
						>
							<Icon name={muted ? 'microphone-off' : 'microphone'} />
							<span className={styles.toggleText}>{t('live.muteShort')}</span>
						</ToggleButton>
					)}
					{running && !isListening && (
						<div className={styles.level}>
							<LevelMeter
								label={t('sound.microphoneLevel')}
								level={sound.microphoneLevel}
								active={!muted && !paused}
								clock={clock}
							/>
						</div>
					)}
				</div>
				<div className={styles.center}>
					{running && (
						<Button
							large
							look={paused ? 'primary' : 'plain'}
							isDisabled={phase !== 'live'}
							aria-label={t(paused ? 'live.resume' : 'live.pause')}
							tip={tip(t(paused ? 'live.resume' : 'live.pause'), 'pause')}
							onPress={() => (paused ? conversation.resume() : conversation.pause())}
						>
							<Icon name={paused ? 'resume' : 'pause'} />
							<span className={styles.pauseText}>{t(paused ? 'live.resume' : 'live.pause')}</span>
						</Button>
					)}
					<MainButton />
				</div>
				<div className={styles.end}>
					{running && hasVoice && (
						<div className={delay.wide}>
							<DelayText />
						</div>
					)}
					{running && (hasVoice || twoLegs) && <CatchUp />}
					<TypeToggle />
					<ToggleButton
						{...tooltip(t('sound.open'))}
						className={styles.toggle ?? ''}
						aria-label={t('sound.open')}
						isSelected={panelOpen}
						onChange={onPanel}
					>
						<Icon name="speaker" />
						<span className={styles.toggleText}>{t('sound.title')}</span>
					</ToggleButton>
				</div>
			</div>
			<div className={styles.status}>
				<StatusLine />
				<div className={styles.figures}>
					{running && hasVoice && (
						<div className={delay.narrow}>
							<DelayText />
						</div>
					)}
					{hasUsed && (
						<div className={running ? delay.wide : undefined}>
							<Suspense fallback={null}>
								<CreditUsed />
							</Suspense>
						</div>
					)}
					<Elapsed />
				</div>
			</div>
		</section>
	);
}

/** Shows the box for typing instead of speaking, and focuses it. */
function TypeToggle() {
	const { t } = useTranslation();
	const { conversation, drafts } = useParts();
	const running = useStore(conversation.store, (view) => isRunning(view.phase));
	const mode = useSetting('mode');
	const isOpen = useStore(drafts, (draft) => draft.isOpen);
	if (!running || !canTypeAlong(mode)) return null;
	return (
		<ToggleButton
			{...tooltip(t('typing.box'))}
			className={styles.toggle ?? ''}
			aria-label={t('typing.box')}
			isSelected={isOpen}
			onChange={(next) => drafts.setState({ isOpen: next, isAsked: next })}
		>
			<Icon name="keyboard" />
		</ToggleButton>
	);
}

/** Start works, but the call would hear nothing: shown before it is pressed. */
function CallTrouble() {
	const { t } = useTranslation();
	const { navigation } = useParts();
	const words = useCallWords();
	if (!words?.isTrouble) return null;
	return (
		<div className={styles.reason} data-call="nowhere">
			<p id="start-reason" role="status">
				{words.text}
			</p>
			<Button onPress={() => navigation.go('settings', 'call-route')}>{t('legs.callSetUp')}</Button>
		</div>
	);
}

/** One sentence why Start cannot work, and a button that leads to the remedy; nothing if Start can work. */
function StartReason() {
	const { t, i18n } = useTranslation();
	const { conversation, navigation } = useParts();
	const phase = useStore(conversation.store, (view) => view.phase);
	const mode = useSetting('mode');
	const block = useStartBlock();
	const own = useOwnProblem();
	const recover = useRecover();
	const startAgain = useStartAgain();
	const [said, setSaid] = useState<string | null>(null);

	if (phase === 'ending') {
		return (
			<p id="start-reason" className={styles.reason} role="status">
				{t(tailWords[mode] ?? 'live.tail')}
			</p>
		);
	}
	if (isRunning(phase)) return null;
	if (!block) return <CallTrouble />;
	if (block.kind === 'wait') {
		return (
			<p id="start-reason" className={styles.reason} role="status">
				{t(`block.${block.what}`)}
			</p>
		);
	}
	if (block.kind === 'models') {
		return (
			<div className={styles.reason}>
				<Suspense fallback={null}>
					<MissingModels missing={block.missing} />
				</Suspense>
			</div>
		);
	}
	if (block.kind === 'pair') {
		const name = (code: string) => isolate(languageName(code, i18n.language).local);
		return (
			<div className={styles.reason}>
				<p id="start-reason" role="status">
					{t('block.pair', { from: name(block.from), to: name(block.to) })}
				</p>
				<Button onPress={() => navigation.go('live', 'languages')}>{t('recovery.open-languages')}</Button>
			</div>
		);
	}
	const { problem } = block;
	// Already shown below the captions.
	if (own?.kind === problem.kind) return null;
	const recovery = recoveryOf[problem.kind];
	const words = problemSentence(problem, t, i18n.language);
	return (
		<div className={styles.reason}>
			<p id="start-reason" role="status">
				{said ? `${words} ${said}` : words}
			</p>
			{recovery !== 'none' && (
				<Button onPress={() => void recover(problem, recovery, startAgain).then(setSaid)}>
					{t(`recovery.${recovery}`)}
				</Button>
			)}
			<ErrorDetails problem={problem} />
		</div>
	);
}

/** Devices and routes are usually read within 100 ms. */
const READ_LIMIT_MS = 2000;

/** After this time, a pending Start is dropped, because the user would not expect it any more. */
const WAIT_LIMIT_MS = 10_000;

/** Start, Stop, and while the last words play, Stop now. */
function MainButton() {
	const { t } = useTranslation();
	const { conversation, justStopped } = useParts();
	const phase = useStore(conversation.store, (view) => view.phase);
	// Resume is then the main button.
	const yields = useStore(conversation.store, (view) => view.paused && view.phase === 'live');
	const slips = useStore(justStopped);
	const block = useStartBlock();
	const press = useStartStop();
	const tip = useTip();
	const stops = isUnderWay(phase);
	const usable = block === null;
	const button = useRef<HTMLButtonElement>(null);
	useEarlyStart(button, press, block);
	// The first mark ends the measured start-up time (`npm run bench -- start-up`).
	useEffect(() => {
		if (usable) performance.mark('start-usable');
	}, [usable]);
	function prepare(): void {
		// After a stop no session is wanted, although the pointer rests where Stop was,
		// and focus moves here from Pause.
		if (!stops && !block && !slips) conversation.prepare();
	}
	// The first click changes the button: a second one would end the new conversation, or cut off the last words.
	const again = useRef(false);
	const label = phase === 'ending' ? 'live.stopNow' : stops ? 'live.stop' : 'live.start';
	return (
		<AriaButton
			ref={button}
			className={`${styles.main} ${stops ? styles.stop : ''} ${yields ? styles.yields : ''} ${slips ? styles.slips : ''}`}
			isDisabled={!stops && block !== null}
			// Not disabled: it would lose keyboard focus. (`isPending` would be read out as an image.)
			render={(its) => (
				<button
					type="button"
					{...its}
					data-tooltip={tip(t(label), 'start-stop')}
					aria-disabled={slips || its['aria-disabled']}
					onMouseDownCapture={({ detail }) => {
						again.current = detail === 2;
					}}
				/>
			)}
			onPress={({ pointerType }) => {
				if (pointerType !== 'mouse' || !again.current) press();
			}}
			// A finger cannot hover, so preparing begins when it presses, before it lets go.
			onPressStart={prepare}
			onHoverStart={prepare}
			onFocus={prepare}
			aria-describedby="start-reason"
		>
			<FilledIcon name={stops ? 'stop' : 'start'} />
			{t(label)}
		</AriaButton>
	);
}

/**
 * The page shows Start before any script runs. Carries out one press made that early, and keeps the focus on the button.
 * Reads possible obstacles first, because the window has hardly asked for them yet, and unknown ones do not block Start.
 * The press stays pending while a temporary obstacle (`block`) lasts; a problem cancels it.
 */
function useEarlyStart(
	button: RefObject<HTMLButtonElement | null>,
	press: () => void,
	block: StartBlock | null,
): void {
	const parts = useParts();
	const { clock, conversation, readSound } = parts;
	const [waiting, setWaiting] = useState(false);
	const begin = useCallback(() => {
		if (!isUnderWay(conversation.store.getState().phase)) press();
	}, [conversation, press]);
	useLayoutEffect(() => {
		const { pressed, focused } = takeFirstPicture();
		if (focused) button.current?.focus();
		if (!pressed) return;
		void atMost(clock, READ_LIMIT_MS, readSound()).then(() => {
			if (startBlock(startNeeds(parts))?.kind === 'wait') setWaiting(true);
			else begin();
		});
	}, [button, begin, clock, parts, readSound]);
	const passed = waiting && block?.kind !== 'wait';
	useEffect(() => {
		if (!passed) return;
		setWaiting(false);
		begin();
	}, [passed, begin]);
	useEffect(
		() => (waiting ? clock.after(WAIT_LIMIT_MS, () => setWaiting(false)) : undefined),
		[waiting, clock],
	);
}
