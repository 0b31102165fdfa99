import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { isRunning, isUnderWay } from '#renderer/conversation/live-changes.ts';
import { duration } from '#renderer/i18n/format.ts';
import { isolate } from '#renderer/i18n/i18n.ts';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { ProblemNotice } from '#renderer/problems/problem-notice.tsx';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import type { SoundDevice } from '#renderer/sound/sound.ts';
import { useDeviceOptions } from '#renderer/sound/sound-panel.tsx';
import { Button, ButtonRow } from '#renderer/ui/button.tsx';
import { Icon } from '#renderer/ui/icon.tsx';
import { LevelMeter } from '#renderer/ui/level-meter.tsx';
import page from '#renderer/ui/page.module.css';
import { PageHead } from '#renderer/ui/page-head.tsx';
import { Select } from '#renderer/ui/select.tsx';
import { languageLabel } from '#shared/i18n/language-names.ts';
import type { Cancel } from '#shared/lib/clock.ts';
import type { Problem } from '#shared/problem.ts';
import { isFree } from '#shared/settings/schema.ts';
import { FLOOR_DB } from '#shared/sound/level.ts';
import { rehearsalSteps } from './rehearsal.ts';
import { type SetupStep, setupSteps, useSetup } from './setup.tsx';
import styles from './setup-page.module.css';

/** `done` closes a finished step; `tick` marks the step as done and leaves it open. */
const bodies: { readonly [Step in SetupStep]: (done: () => void, tick: () => void) => ReactNode } = {
	account: (done) => <AccountStep done={done} />,
	microphone: (done, tick) => <MicrophoneStep done={done} tick={tick} />,
	output: (done) => <OutputStep done={done} />,
	languages: (done) => <LanguagesStep done={done} />,
	rehearsal: (done) => <RehearsalStep done={done} />,
};

/** The first run as a list: each step can be skipped, done later, and repeated. */
export function SetupPage() {
	const { t, i18n } = useTranslation();
	const { navigation } = useParts();
	const { setup, finish } = useSetup();
	const firstLeft = setupSteps.find((step) => !setup.done.includes(step)) ?? null;
	const [chosen, setChosen] = useState<SetupStep | null>(null);
	const open = chosen ?? firstLeft;
	const number = (value: number) => new Intl.NumberFormat(i18n.language).format(value);
	const ready = setupSteps.filter((step) => setup.done.includes(step)).length;

	function done(step: SetupStep): void {
		finish(step);
		// The rehearsal's button is called *Finish*, so it also leaves this page.
		if (step === 'rehearsal') navigation.go('live');
		const rest = setupSteps.filter((one) => one !== step && !setup.done.includes(one));
		setChosen(rest.find((one) => setupSteps.indexOf(one) > setupSteps.indexOf(step)) ?? rest[0] ?? null);
	}

	function tick(step: SetupStep): void {
		setChosen(step);
		finish(step);
	}

	return (
		<main className={page.page}>
			<div className={page.column}>
				<PageHead title={t('setup.title')} lead={t('setup.lead')} />
				<p role="status" className={styles.stepState}>
					{t('setup.progress', { done: number(ready), all: number(setupSteps.length) })}
				</p>
				<ol className={`${page.card} ${styles.steps}`}>
					{setupSteps.map((step, index) => {
						const isDone = setup.done.includes(step);
						const isOpen = open === step;
						return (
							<li key={step} className={styles.step} data-step={step} data-done={isDone}>
								<div className={styles.stepHead}>
									<span className={styles.stepMark} aria-hidden="true">
										{isDone ? <Icon name="check" size={16} /> : number(index + 1)}
									</span>
									<h2 className={`${page.cardTitle} ${styles.stepTitle}`}>{t(`setup.step.${step}`)}</h2>
									<span className={styles.stepState}>{t(isDone ? 'setup.done' : 'setup.open')}</span>
									{!isOpen && (
										<Button
											aria-label={`${t('setup.show')}: ${t(`setup.step.${step}`)}`}
											onPress={() => setChosen(step)}
										>
											{t('setup.show')}
										</Button>
									)}
								</div>
								{isOpen && (
									<div className={styles.stepBody}>
										{bodies[step](
											() => done(step),
											() => tick(step),
										)}
									</div>
								)}
							</li>
						);
					})}
				</ol>
				<div>
					<Button look={firstLeft === null ? 'primary' : 'plain'} onPress={() => navigation.go('live')}>
						{t(firstLeft === null ? 'setup.toConversation' : 'setup.later')}
					</Button>
				</div>
			</div>
		</main>
	);
}

/** Choice of service; the key is entered in the settings, as usual. */
function AccountStep({ done }: StepProps) {
	const { t } = useTranslation();
	const { account, navigation } = useParts();
	const { service, key } = useStore(account.store, (view) => view.status);
	const hasKey = service === 'service' && key.present && !key.elsewhere;
	const isReady = isFree(service) || hasKey;
	const free = { sandbox: 'setup.accountSandbox', local: 'setup.accountLocal' } as const;
	const words = isFree(service) ? free[service] : null;
	return (
		<>
			<p>{t(words ?? (isReady ? 'setup.accountKey' : 'setup.accountNone'))}</p>
			<ButtonRow apart>
				<Button look="primary" isDisabled={!isReady} onPress={done}>
					{t('setup.right')}
				</Button>
				<Button onPress={() => navigation.go('settings', 'account')}>{t('setup.change')}</Button>
			</ButtonRow>
		</>
	);
}

function LanguagesStep({ done }: StepProps) {
	const { t, i18n } = useTranslation();
	const { navigation } = useParts();
	const speak = useSetting('speak');
	const hear = useSetting('hear');
	const name = (code: string) => isolate(languageLabel(code, i18n.language));
	const list = new Intl.ListFormat(i18n.language);
	const mine = speak === 'auto' ? t('setup.anyLanguage') : name(speak);
	return (
		<>
			<p>{t('setup.languagesAre', { speak: mine, hear: list.format(hear.map(name)) })}</p>
			<ButtonRow apart>
				<Button look="primary" onPress={done}>
					{t('setup.right')}
				</Button>
				<Button onPress={() => navigation.go('live', 'languages')}>{t('setup.change')}</Button>
			</ButtonRow>
		</>
	);
}

/** Sends a known phrase through all steps; each step is ticked when reached, with its time. */
function RehearsalStep({ done }: StepProps) {
	const { t, i18n } = useTranslation();
	const { rehearsal, conversation, navigation } = useParts();
	const { state, reached, understood, translated, problem } = useStore(rehearsal.store);
	const busy = useStore(conversation.store, ({ phase }) => isUnderWay(phase));
	const running = state === 'running';
	const missing = rehearsalSteps.find((step) => !(step in reached));
	const texts: Readonly<Record<string, string>> = { understood, translated };

	// Stop on leaving the page, because the rehearsal costs money.
	useEffect(() => () => void rehearsal.stop(), [rehearsal]);

	// The results appear below the button, at the end of the page: scroll them into view.
	const way = useRef<HTMLOListElement>(null);
	useEffect(() => {
		if (state !== 'idle') way.current?.closest('li')?.scrollIntoView({ block: 'nearest' });
	}, [state]);

	return (
		<>
			<p>{t(busy ? 'setup.rehearsalBusy' : 'setup.rehearsalLead')}</p>
			<ButtonRow apart>
				{running ? (
					<Button onPress={() => void rehearsal.stop()}>{t('setup.rehearsalStop')}</Button>
				) : (
					<Button
						look={state === 'passed' ? 'plain' : 'primary'}
						isDisabled={busy}
						onPress={() => void rehearsal.run()}
					>
						{t(state === 'idle' ? 'setup.rehearsalStart' : 'setup.rehearsalAgain')}
					</Button>
				)}
			</ButtonRow>
			{state !== 'idle' && (
				<ol ref={way} className={styles.way} aria-label={t('setup.rehearsalWay')}>
					{rehearsalSteps.map((step) => (
						<li key={step} className={styles.wayStep} data-rehearsed={step in reached}>
							<Icon name={step in reached ? 'check' : 'clock'} size={16} />
							<p>
								{t(`setup.way.${step}`)}{' '}
								{reached[step] !== undefined && <span>{duration(reached[step], i18n.language)}</span>}{' '}
								{texts[step] && (
									<bdi className={styles.wayText} dir="auto">
										{texts[step]}
									</bdi>
								)}
							</p>
						</li>
					))}
				</ol>
			)}
			{problem && <ProblemNotice problem={problem} />}
			{state === 'failed' && !problem && missing && (
				<p role="alert">{t('setup.rehearsalFailed', { step: t(`setup.way.${missing}`) })}</p>
			)}
			{state === 'failed' && (
				<div>
					<Button onPress={() => navigation.go('diagnostics')}>{t('settings.openDiagnostics')}</Button>
				</div>
			)}
			{state === 'passed' && (
				<ButtonRow apart>
					<p role="status">
						{t('setup.rehearsalPassed', { delay: duration(reached.heard ?? 0, i18n.language) })}
					</p>
					<Button look="primary" onPress={done}>
						{t('setup.finish')}
					</Button>
				</ButtonRow>
			)}
		</>
	);
}

interface StepProps {
	readonly done: () => void;
}

/** Choice of microphone with a meter; done when speech is heard. If refused, leads to the system's page. */
function MicrophoneStep({ done, tick }: StepProps & { readonly tick: () => void }) {
	const { t } = useTranslation();
	const { sound, conversation, clock } = useParts();
	const { microphones, systemMicrophone } = useStore(sound.store);
	const running = useStore(conversation.store, ({ phase }) => isRunning(phase));
	const chosen = useSetting('microphone');
	const [problem, setProblem] = useState<Problem | null>(null);
	const [again, setAgain] = useState(0);
	const [heard, setHeard] = useState(false);
	const ticked = useRef(tick);
	ticked.current = tick;

	// The system's page is outside the window: on return, the user may have allowed the microphone.
	useEffect(() => {
		const back = () => setAgain((count) => count + 1);
		window.addEventListener('focus', back);
		return () => window.removeEventListener('focus', back);
	}, []);

	const key = `${chosen?.id ?? ''} ${problem ? again : 0}`;
	// biome-ignore lint/correctness/useExhaustiveDependencies: restart for another microphone
	useEffect(() => {
		setHeard(false);
		const ear = createSpeechDetector();
		const end = clock.every(PEAK_MS, () => {
			if (!ear.push(sound.microphonePeakDb())) return;
			end();
			setHeard(true);
			ticked.current();
		});
		return end;
	}, [sound, clock, key]);
	// biome-ignore lint/correctness/useExhaustiveDependencies: reopen for another microphone or another try
	useEffect(() => {
		if (running) return;
		let end: Cancel | null = null;
		let isHere = true;
		void sound.listenIn().then((opened) => {
			if (opened.ok && isHere) end = opened.value;
			else if (opened.ok) opened.value();
			if (isHere) setProblem(opened.ok ? null : opened.error);
		});
		return () => {
			isHere = false;
			end?.();
		};
	}, [sound, running, key]);

	return (
		<>
			<p>{t('setup.microphoneLead')}</p>
			<DevicePicker
				name="microphone"
				label={t('setup.step.microphone')}
				devices={microphones}
				system={systemMicrophone}
			/>
			{problem ? (
				<>
					<ProblemNotice problem={problem} />
					<Button onPress={() => setAgain((count) => count + 1)}>{t('setup.tryAgain')}</Button>
				</>
			) : (
				<LevelMeter label={t('sound.microphoneLevel')} level={sound.microphoneLevel} active clock={clock} />
			)}
			<ButtonRow apart>
				<Button look={heard ? 'primary' : 'plain'} isDisabled={problem !== null} onPress={done}>
					{t(heard ? 'setup.next' : 'setup.itMoves')}
				</Button>
				<p role="status">{heard && t('setup.heardYou')}</p>
			</ButtonRow>
		</>
	);
}

/** Plays a short sound, and asks whether it was heard. */
function OutputStep({ done }: StepProps) {
	const { t } = useTranslation();
	const { sound } = useParts();
	const { outputs, systemOutput } = useStore(sound.store);
	const [played, setPlayed] = useState<'no' | 'playing' | 'yes' | 'unheard'>('no');
	const [problem, setProblem] = useState<Problem | null>(null);

	async function play(): Promise<void> {
		setPlayed('playing');
		const outcome = await sound.testOutput();
		setProblem(outcome.ok ? null : outcome.error);
		setPlayed(outcome.ok ? 'yes' : 'no');
	}

	return (
		<>
			<p>{t('setup.outputLead')}</p>
			<DevicePicker name="output" label={t('setup.step.output')} devices={outputs} system={systemOutput} />
			{problem && <ProblemNotice problem={problem} />}
			<ButtonRow apart>
				<Button isDisabled={played === 'playing'} onPress={() => void play()}>
					{t('setup.playSound')}
				</Button>
			</ButtonRow>
			{played === 'yes' && (
				<ButtonRow apart>
					<p role="status">{t('setup.didYouHear')}</p>
					<Button look="primary" onPress={done}>
						{t('setup.heardYes')}
					</Button>
					<Button onPress={() => setPlayed('unheard')}>{t('setup.heardNo')}</Button>
				</ButtonRow>
			)}
			{played === 'unheard' && <p role="status">{t('setup.notHeard')}</p>}
		</>
	);
}

function DevicePicker(props: {
	readonly name: 'microphone' | 'output';
	readonly label: string;
	readonly devices: readonly SoundDevice[];
	/** Name of the device that the system chooses. */
	readonly system: string;
}) {
	const { settings } = useParts();
	const { options, value } = useDeviceOptions(props.devices, useSetting(props.name), props.system);
	return (
		<Select
			label={props.label}
			options={options}
			value={value}
			onChange={(id) => {
				const device = props.devices.find((one) => one.id === id);
				void settings.write({ [props.name]: device ? { id: device.id, label: device.label } : null });
			}}
		/>
	);
}

const PEAK_MS = 100;
/** Speech rises above its surroundings by this much. */
const RISE_DB = 12;
/** Softer speech is understood badly, so the microphone is not fine. */
const SOFTEST_DB = -45;
/** Number of readings that are compared: 3 s. */
const WINDOW = 30;
/** How many of these readings must be loud: 0.6 s, more than a knock. */
const ENOUGH = 6;
/** Readings to skip: a microphone that was just opened delivers nothing, then a click. */
const UNSURE = 5;

/** Detects speech by its repeated loud moments, which a steady noise or a knock does not have. */
export function createSpeechDetector() {
	let unsure = UNSURE;
	let recent: readonly number[] = [];
	let heard = false;
	return {
		/** Takes a peak about every `PEAK_MS`, dBFS. Returns whether speech has been heard so far. */
		push(peakDb: number): boolean {
			if (heard || peakDb <= FLOOR_DB) return heard;
			if (unsure > 0) {
				unsure -= 1;
				return false;
			}
			recent = [...recent, peakDb].slice(-WINDOW);
			const loud = Math.max(SOFTEST_DB, Math.min(...recent) + RISE_DB);
			heard = recent.filter((one) => one >= loud).length >= ENOUGH;
			return heard;
		},
	};
}
