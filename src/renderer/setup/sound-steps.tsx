import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { isRunning } from '#renderer/conversation/live-changes.ts';
import { ProblemNotice } from '#renderer/problems/problem-notice.tsx';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import type { SoundDevice } from '#renderer/sound/sound.ts';
import { useDeviceOptions } from '#renderer/sound/use-device-options.ts';
import { Button } from '#renderer/ui/button.tsx';
import { ButtonRow } from '#renderer/ui/button-row.tsx';
import { LevelMeter } from '#renderer/ui/level-meter.tsx';
import { Select } from '#renderer/ui/select.tsx';
import type { Cancel } from '#shared/lib/clock.ts';
import type { Problem } from '#shared/problem.ts';

export interface StepProps {
	readonly done: () => void;
}

/** Choice of microphone, with a moving meter; a refused permission leads to the system's page and back. */
export function MicrophoneStep({ done }: StepProps) {
	const { t } = useTranslation();
	const { sound, conversation, clock } = useParts();
	const devices = useStore(sound.store, (view) => view.microphones);
	const running = useStore(conversation.store, ({ phase }) => isRunning(phase));
	const chosen = useSetting('microphone');
	const [problem, setProblem] = useState<Problem | null>(null);
	const [again, setAgain] = useState(0);

	// The system's page is outside the window: somebody who comes back may have allowed it.
	useEffect(() => {
		const back = () => setAgain((count) => count + 1);
		window.addEventListener('focus', back);
		return () => window.removeEventListener('focus', back);
	}, []);

	const key = `${chosen?.id ?? ''} ${problem ? again : 0}`;
	// biome-ignore lint/correctness/useExhaustiveDependencies: another microphone, or another try, opens it anew
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
			<DevicePicker name="microphone" label={t('setup.step.microphone')} devices={devices} />
			{problem ? (
				<>
					<ProblemNotice problem={problem} />
					<Button onPress={() => setAgain((count) => count + 1)}>{t('setup.tryAgain')}</Button>
				</>
			) : (
				<LevelMeter label={t('sound.microphoneLevel')} level={sound.microphoneLevel} active clock={clock} />
			)}
			<ButtonRow apart>
				<Button look="primary" isDisabled={problem !== null} onPress={done}>
					{t('setup.itMoves')}
				</Button>
			</ButtonRow>
		</>
	);
}

/** A short sound, and the question whether it was heard. */
export function OutputStep({ done }: StepProps) {
	const { t } = useTranslation();
	const { sound } = useParts();
	const devices = useStore(sound.store, (view) => view.outputs);
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
			<DevicePicker name="output" label={t('setup.step.output')} devices={devices} />
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
}) {
	const { settings } = useParts();
	const { options, value } = useDeviceOptions(props.devices, useSetting(props.name), '');
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
