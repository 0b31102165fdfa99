import { useEffect, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { isRunning } from '#renderer/conversation/live-changes.ts';
import { seconds } from '#renderer/i18n/format.ts';
import { isolate, type TFunction } from '#renderer/i18n/i18n.ts';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { NoticeLine, problemSentence, problemWords } from '#renderer/problems/problem-notice.tsx';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import type { SoundDevice } from '#renderer/sound/sound.ts';
import { Button, ButtonRow } from '#renderer/ui/button.tsx';
import { Icon } from '#renderer/ui/icon.tsx';
import { Select } from '#renderer/ui/select.tsx';
import { type CallRoute, cableName, callRoute, findCables, guidesFor } from '#shared/calls/cables.ts';
import type { Problem } from '#shared/problem.ts';
import { isOwnDevice } from '#shared/sound/devices.ts';
import { isTooQuiet, type PathOutcome, type PathStep, pathSteps } from '#shared/sound/path-probe.ts';
import styles from './call-route.module.css';
import { Section, SettingRow, SwitchSetting } from './setting-fields.tsx';

/** Means "choose automatically"; device ids are never empty. */
const AUTOMATIC = '';

/** How the voice gets into a call: virtual microphone or cable, the device to choose in the call, and a test. */
export function CallRouteSection() {
	const { t } = useTranslation();
	const { routing, sound } = useParts();
	const { microphones, outputs, systemOutput } = useStore(sound.store);
	const callOutput = useSetting('callOutput');
	const virtualMicrophone = useStore(routing.store, (state) => state.virtualMicrophone);
	const route = callRoute({ callOutput, virtualMicrophone, outputs, inputs: microphones });
	const isCableTheSpeaker =
		cableName(systemOutput) !== null ||
		(virtualMicrophone.state === 'ready' && systemOutput === virtualMicrophone.speakerLabel);
	return (
		<Section title={t('callRoute.title')} place="call-route">
			<p className={styles.lead}>{t('callRoute.lead')}</p>
			<div data-setting="virtualMicrophone">
				<VirtualMicrophoneState />
			</div>
			{isCableTheSpeaker && (
				<NoticeLine tone="warning" text={t('callRoute.speakerIsCable', { name: isolate(systemOutput) })} />
			)}
			<RouteLine route={route} />
			<PathTest route={route} />
			<OutputOfCall />
			<SwitchSetting name="callTone" label={t('turnSign.tone')} hint={t('turnSign.toneHint')} />
			<SwitchSetting name="callOpening" label={t('turnSign.opening')} hint={t('turnSign.openingHint')} />
		</Section>
	);
}

/** Names the devices to choose in the calling program. */
function RouteLine({ route }: { readonly route: CallRoute }) {
	const { t } = useTranslation();
	if (route.how === 'none') return null;
	if (route.how === 'missing')
		return <NoticeLine tone="warning" text={t('callRoute.missing', { name: isolate(route.speakerLabel) })} />;
	if (route.microphoneLabel === null) return <p>{t('callRoute.unknownEnd')}</p>;
	return (
		<div className={styles.choose}>
			<p>{t('callRoute.choose')}</p>
			<p className={styles.microphone}>
				<bdi>{route.microphoneLabel}</bdi>
			</p>
			<p className={styles.hint}>{t('callRoute.leaveSpeaker')}</p>
		</div>
	);
}

function PathTest({ route }: { readonly route: CallRoute }) {
	const { t } = useTranslation();
	const { conversation } = useParts();
	const live = useStore(conversation.store, ({ phase }) => isRunning(phase));
	const there = route.how === 'none' || route.how === 'missing' ? null : route;
	const test = usePathTest(there?.output ?? null, there?.microphoneLabel ?? null);
	if (!there || there.microphoneLabel === null) return null;
	return (
		<div className={styles.test}>
			<ButtonRow>
				{test.step === null ? (
					<Button onPress={test.run} isDisabled={live}>
						{t('callRoute.test')}
					</Button>
				) : (
					<Button onPress={test.stop}>{t('callRoute.testStop')}</Button>
				)}
			</ButtonRow>
			<p className={styles.hint}>{t(live ? 'callRoute.testLive' : 'callRoute.testHint')}</p>
			<PathTestSteps running={test.step} outcome={test.outcome} isOwn={there.how === 'virtual'} />
		</div>
	);
}

/** Chooses another output than the detected one, for users with their own audio routing. */
function OutputOfCall() {
	const { t } = useTranslation();
	const { settings, sound } = useParts();
	// Our own device is hidden: "Automatic" selects it.
	const outputs = useStore(sound.store).outputs.filter((device) => !isOwnDevice(device));
	const setting = useSetting('callOutput');
	const chosen = setting && !isOwnDevice(setting) ? setting : null;
	const known = chosen && outputs.find(({ id, label }) => id === chosen.id || label === chosen.label);
	const options = [
		{ value: AUTOMATIC, label: t('callRoute.automatic') },
		...outputs.map(({ id, label }) => ({ value: id, label })),
	];
	if (chosen && !known) options.push({ value: chosen.id, label: t('sound.missing', { name: chosen.label }) });

	function choose(id: string): void {
		const device = outputs.find((one) => one.id === id) ?? (id === chosen?.id ? chosen : null);
		void settings.write({ callOutput: device && { id: device.id, label: device.label } });
	}

	return (
		<SettingRow name="callOutput">
			{(fixed) => (
				<Select
					label={t('callRoute.output')}
					hint={t('callRoute.outputHint')}
					options={options}
					value={known?.id ?? chosen?.id ?? AUTOMATIC}
					isDisabled={fixed}
					onChange={choose}
				/>
			)}
		</SettingRow>
	);
}

type StepState = 'waiting' | 'running' | 'passed' | 'failed';

function stateOf(at: PathStep, running: PathStep | null, outcome: PathOutcome | null): StepState {
	const here = pathSteps.indexOf(at);
	if (outcome?.passed) return 'passed';
	const now = outcome ? outcome.step : running;
	const there = now === null ? -1 : pathSteps.indexOf(now);
	if (here < there) return 'passed';
	if (here > there) return 'waiting';
	return outcome ? 'failed' : 'running';
}

interface PathTestStepsProps {
	readonly running: PathStep | null;
	readonly outcome: PathOutcome | null;
	/** True if this is our virtual microphone: recreating it repairs its volumes. */
	readonly isOwn: boolean;
}

/** The steps of the test as a list, and its result in a sentence that screen readers announce. */
function PathTestSteps({ running, outcome, isOwn }: PathTestStepsProps) {
	const { t, i18n } = useTranslation();
	return (
		<>
			{(running !== null || outcome) && (
				<ol className={styles.steps} aria-label={t('callRoute.steps')}>
					{pathSteps.map((step) => {
						const state = stateOf(step, running, outcome);
						return (
							<li key={step} data-step={step} data-state={state}>
								<span className={styles.mark} aria-hidden="true">
									{state === 'passed' && <Icon name="check" size={16} />}
									{state === 'failed' && <Icon name="close" size={16} />}
								</span>
								{t(`callRoute.step.${step}`)}{' '}
								<span className={styles.state}>{t(`callRoute.stepState.${state}`)}</span>
							</li>
						);
					})}
				</ol>
			)}
			<p role="status" className={outcome ? styles.outcome : undefined} data-passed={outcome?.passed}>
				{outcome && outcomeWords(outcome, isOwn, t, i18n.language)}
			</p>
		</>
	);
}

/** The result of the test and what the user should do, in words. */
function outcomeWords(outcome: PathOutcome, isOwn: boolean, t: TFunction, locale: string): string {
	if (outcome.passed) {
		const works = t('callRoute.works', { delay: seconds(outcome.delayMs, locale) });
		return isTooQuiet(outcome) ? `${works} ${t('callRoute.quiet')}` : works;
	}
	switch (outcome.step) {
		case 'speaker':
		case 'microphone':
			return t(`callRoute.broken.${outcome.step}`, { name: isolate(outcome.label) });
		case 'open':
		case 'play':
			return problemWords(outcome.problem, t, locale);
		case 'hear': {
			const remedy = t(isOwn ? 'callRoute.remedyOwn' : 'callRoute.remedyCable');
			return `${t(`callRoute.heard.${outcome.heard}`)} ${remedy}`;
		}
	}
}

interface PathTestView {
	/** The current step of the test; null = no test is running. */
	readonly step: PathStep | null;
	/** Outcome of the last test of this route; null = none yet. */
	readonly outcome: PathOutcome | null;
	run(): void;
	stop(): void;
}

/** The test of one route. Another route, or leaving the page, ends it and forgets its outcome. */
function usePathTest(speaker: SoundDevice | null, microphone: string | null): PathTestView {
	const { sound } = useParts();
	const [step, setStep] = useState<PathStep | null>(null);
	const [outcome, setOutcome] = useState<PathOutcome | null>(null);
	const running = useRef<AbortController | null>(null);
	const id = speaker?.id;

	// biome-ignore lint/correctness/useExhaustiveDependencies: another route must end the test
	useEffect(
		() => () => {
			running.current?.abort();
			running.current = null;
			setStep(null);
			setOutcome(null);
		},
		[id, microphone],
	);

	async function run(): Promise<void> {
		if (running.current || !speaker || microphone === null) return;
		const abort = new AbortController();
		running.current = abort;
		const isMine = () => running.current === abort;
		setOutcome(null);
		const tell = (next: PathStep) => isMine() && setStep(next);
		const found = await sound.testPath({ speaker, microphone, signal: abort.signal, tell });
		if (!isMine()) return;
		running.current = null;
		setStep(null);
		setOutcome(found);
	}

	return {
		step,
		outcome,
		run: () => void run(),
		stop: () => running.current?.abort(),
	};
}

/** Creates and removes the virtual microphone; on systems without this, finds a cable or explains how to get one. */
function VirtualMicrophoneState() {
	const { t, i18n } = useTranslation();
	const { routing, conversation } = useParts();
	const virtual = useStore(routing.store, (state) => state.virtualMicrophone);
	const live = useStore(conversation.store, ({ phase }) => isRunning(phase));
	/** Problem of a request to main that failed itself, which main therefore does not announce; null = none. */
	const [refused, setRefused] = useState<Problem | null>(null);
	if (virtual.state === 'unsupported') return <Cables />;
	const problem = virtual.state === 'failed' ? virtual.problem : refused;

	async function run(work: typeof routing.make): Promise<void> {
		setRefused(null);
		const done = await work();
		if (!done.ok) setRefused(done.error);
	}

	return (
		<div className={styles.virtual} data-virtual={virtual.state}>
			{problem ? (
				<NoticeLine
					tone="problem"
					problem={problem}
					text={problemSentence(problem, t, i18n.language)}
					action={{ label: t('recovery.retry'), take: () => void run(routing.make) }}
				/>
			) : (
				<p role="status">{virtual.state !== 'failed' && t(`callRoute.virtual.${virtual.state}`)}</p>
			)}
			<ButtonRow>
				{(virtual.state === 'none' || virtual.state === 'making') && (
					<Button
						look="primary"
						isDisabled={virtual.state === 'making'}
						onPress={() => void run(routing.make)}
					>
						{t('callRoute.make')}
					</Button>
				)}
				{(virtual.state === 'ready' || virtual.state === 'removing') && (
					<>
						<Button isDisabled={virtual.state === 'removing'} onPress={() => void run(routing.make)}>
							{t('callRoute.repair')}
						</Button>
						<Button
							isDisabled={live || virtual.state === 'removing'}
							onPress={() => void run(routing.remove)}
						>
							{t('callRoute.remove')}
						</Button>
					</>
				)}
			</ButtonRow>
		</div>
	);
}

function Cables() {
	const { t } = useTranslation();
	const { sound, host, info } = useParts();
	const { outputs, microphones } = useStore(sound.store);
	const cables = findCables(outputs, microphones);
	if (cables.length > 0)
		return (
			<p role="status">
				{t('callRoute.cableFound', { name: isolate(cables.map(({ output }) => output.label).join(', ')) })}
			</p>
		);
	return (
		<div className={styles.virtual}>
			<p role="status">{t('callRoute.cableNone')}</p>
			<ol className={styles.guide}>
				<li>{t('callRoute.guideInstall')}</li>
				<li>{t('callRoute.guideRestart')}</li>
				<li>{t('callRoute.guideReturn')}</li>
			</ol>
			<ButtonRow>
				{guidesFor(info.platform).map((guide) => (
					<Button key={guide} onPress={() => void host.ask('routing.open-guide', { guide })}>
						{t(`callRoute.guide.${guide}`)}
					</Button>
				))}
			</ButtonRow>
		</div>
	);
}
