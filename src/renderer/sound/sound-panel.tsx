import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { isRunning } from '#renderer/conversation/live-changes.ts';
import { isolate } from '#renderer/i18n/i18n.ts';
import { NoticeLine, ProblemNotice } from '#renderer/problems/problem-notice.tsx';
import { RecordButton } from '#renderer/recording/record-button.tsx';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import { useFocusPlace } from '#renderer/shell/use-focus-place.ts';
import { Button } from '#renderer/ui/button.tsx';
import { Icon } from '#renderer/ui/icon.tsx';
import { LevelMeter } from '#renderer/ui/level-meter.tsx';
import { Select, type SelectOption } from '#renderer/ui/select.tsx';
import { Slider } from '#renderer/ui/slider.tsx';
import { Switch } from '#renderer/ui/switch.tsx';
import type { Problem } from '#shared/problem.ts';
import { balanced, balanceOf } from '#shared/sound/balance.ts';
import { isOwnDevice } from '#shared/sound/own-device.ts';
import { telephoneHeadset } from '#shared/sound/telephone-headset.ts';
import { MicrophoneTest } from './microphone-test.tsx';
import styles from './sound-panel.module.css';
import { useDeviceOptions } from './use-device-options.ts';

/** Means everything the computer plays; no program has an empty name. */
const EVERYTHING = '';

/** Means no second loudspeaker; real ids are never empty. */
const NONE = '';

/** Choice of microphone and loudspeakers, with proof that each works, and volumes. */
export function SoundPanel() {
	const { t } = useTranslation();
	const mode = useSetting('mode');
	const { conversation } = useParts();
	const running = useStore(conversation.store, (view) => isRunning(view.phase));
	const isHeard = mode !== 'captions';
	return (
		<section className={styles.panel} aria-label={t('sound.title')}>
			{mode !== 'listen' && <MicrophonePicker />}
			{(mode === 'listen' || mode === 'meeting') && <SystemSoundPicker />}
			{isHeard && <OutputPicker />}
			{isHeard && <Volumes />}
			{isHeard && <RoomPicker />}
			{mode !== 'type' && !running && <RecordButton />}
		</section>
	);
}

function MicrophonePicker() {
	const { t } = useTranslation();
	const { sound, settings, conversation } = useParts();
	const view = useStore(sound.store);
	const chosen = useSetting('microphone');
	const live = useStore(conversation.store, (state) => isRunning(state.phase));
	const { options, value } = useDeviceOptions(view.microphones, chosen, view.systemMicrophone);
	const button = useRef<HTMLButtonElement>(null);
	useFocusPlace('microphone', button);

	function choose(id: string): void {
		const device = view.microphones.find((one) => one.id === id) ?? null;
		void settings.write({ microphone: device && { id: device.id, label: device.label } });
	}

	return (
		<div className={styles.device}>
			<Select ref={button} label={t('sound.microphone')} options={options} value={value} onChange={choose} />
			<MicrophoneTest isRunning={live} />
			<HeadsetHint />
		</div>
	);
}

function OutputPicker() {
	const { t } = useTranslation();
	const { sound, settings, clock } = useParts();
	const view = useStore(sound.store);
	const chosen = useSetting('output');
	const { options, value } = useDeviceOptions(view.outputs, chosen, view.systemOutput);
	const button = useRef<HTMLButtonElement>(null);
	const [testing, setTesting] = useState(false);
	const [problem, setProblem] = useState<Problem | null>(null);
	useFocusPlace('output', button);

	async function test(): Promise<void> {
		setTesting(true);
		const played = await sound.testOutput();
		setTesting(false);
		setProblem(played.ok ? null : played.error);
	}

	function choose(id: string): void {
		const device = view.outputs.find((one) => one.id === id) ?? null;
		void settings.write({ output: device && { id: device.id, label: device.label } });
	}

	return (
		<div className={styles.device}>
			<Select ref={button} label={t('sound.output')} options={options} value={value} onChange={choose} />
			<div className={styles.proof}>
				<LevelMeter label={t('sound.outputLevel')} level={sound.outputLevel} active clock={clock} />
				<Button isDisabled={testing} onPress={() => void test()}>
					{t(testing ? 'sound.testing' : 'sound.test')}
				</Button>
			</div>
			{problem && <ProblemNotice problem={problem} />}
		</div>
	);
}

/** 0 % = both equally loud. */
const BALANCE = { style: 'percent', signDisplay: 'exceptZero' } as const;

function Volumes() {
	const { t } = useTranslation();
	const { settings, systemSound } = useParts();
	const mode = useSetting('mode');
	// If another program plays the original, only that program's volume can be turned down.
	const name = mode === 'listen' || mode === 'meeting' ? 'othersVolume' : 'originalVolume';
	const voice = useSetting('voiceVolume');
	const original = useSetting(name);
	const duck = useSetting('duck');
	const fixed = useStore(systemSound.store, ({ way }) => name === 'othersVolume' && way !== 'recorder');
	const share = { min: 0, max: 1, step: 0.05, format: { style: 'percent' } } as const;
	return (
		<fieldset className={styles.volumes}>
			<legend>
				<Icon name="speaker" size={16} /> {t('sound.volumes')}
			</legend>
			<Slider
				label={t('sound.voiceVolume')}
				value={voice}
				{...share}
				onChange={(voiceVolume) => void settings.write({ voiceVolume })}
			/>
			{fixed ? (
				<p>{t('others.volumeThere')}</p>
			) : (
				<>
					<Slider
						label={t('sound.balance')}
						value={balanceOf({ voice, original })}
						min={-1}
						max={1}
						step={0.05}
						format={BALANCE}
						onChange={(next) => {
							const volumes = balanced(next, { voice, original });
							void settings.write({ voiceVolume: volumes.voice, [name]: volumes.original });
						}}
					/>
					<Slider
						label={t(`sound.${name}`)}
						value={original}
						{...share}
						onChange={(next) => void settings.write({ [name]: next })}
					/>
					{name === 'originalVolume' && (
						<Switch
							label={t('sound.duck')}
							isOn={duck}
							onChange={(on) => void settings.write({ duck: on })}
						/>
					)}
				</>
			)}
		</fieldset>
	);
}

/** A Bluetooth headset whose microphone has switched it to telephone quality, and the microphone to use instead. */
function HeadsetHint() {
	const { t } = useTranslation();
	const { sound, settings } = useParts();
	const view = useStore(sound.store);
	const microphone = useSetting('microphone');
	const output = useSetting('output');
	const found = telephoneHeadset(
		{ label: microphone?.label ?? view.systemMicrophone },
		{ label: output?.label ?? view.systemOutput },
		view.microphones,
	);
	if (!found) return null;
	const { headset, better } = found;
	return (
		<NoticeLine
			tone="warning"
			text={t('sound.telephone', { headset: isolate(headset) })}
			action={
				better
					? {
							label: t('sound.useInstead', { name: isolate(better.label) }),
							take: () => void settings.write({ microphone: { id: better.id, label: better.label } }),
						}
					: undefined
			}
		/>
	);
}

/** A second loudspeaker for the translation, with a volume of its own. */
function RoomPicker() {
	const { t } = useTranslation();
	const { sound, settings } = useParts();
	const { outputs } = useStore(sound.store);
	const chosen = useSetting('roomOutput');
	const volume = useSetting('roomVolume');
	const known = chosen && outputs.find(({ id, label }) => id === chosen.id || label === chosen.label);
	const options = [
		{ value: NONE, label: t('sound.roomNone') },
		...outputs.filter((device) => !isOwnDevice(device)).map(({ id, label }) => ({ value: id, label })),
		...(chosen && !known ? [{ value: chosen.id, label: t('sound.missing', { name: chosen.label }) }] : []),
	];

	function choose(id: string): void {
		const device = outputs.find((one) => one.id === id);
		void settings.write({ roomOutput: device ? { id: device.id, label: device.label } : null });
	}

	return (
		<>
			<Select
				label={t('sound.room')}
				options={options}
				value={known?.id ?? chosen?.id ?? NONE}
				onChange={choose}
			/>
			{chosen && (
				<Slider
					label={t('sound.roomVolume')}
					value={volume}
					min={0}
					max={1}
					step={0.05}
					format={{ style: 'percent' }}
					onChange={(roomVolume) => void settings.write({ roomVolume })}
				/>
			)}
		</>
	);
}

/**
 * Chooses what is listened to: everything the computer plays, or one program; with its level while it is heard.
 * Obstacles to Start are shown beside Start.
 */
function SystemSoundPicker() {
	const { t } = useTranslation();
	const { systemSound, settings, sound, legs, clock } = useParts();
	const { way, applications, problem } = useStore(systemSound.store);
	const chosen = useSetting('systemSound');
	const live = useStore(legs.incoming.conversation.store, (view) => isRunning(view.phase));
	const isPlaying = applications.some(({ playing }) => playing);
	const known = applications.some(({ name }) => name === chosen);
	const options: SelectOption<string>[] = [
		{ value: EVERYTHING, label: t('others.everything') },
		...applications.map(({ name, playing }) => ({
			value: name,
			label: playing ? t('others.playing', { name }) : name,
		})),
		...(chosen === null || known ? [] : [{ value: chosen, label: t('others.absent', { name: chosen }) }]),
	];
	return (
		<div className={styles.device}>
			<Select
				label={t('others.title')}
				options={options}
				value={chosen ?? EVERYTHING}
				// Except on Linux, "everything" is the only choice.
				isDisabled={way !== 'recorder'}
				onChange={(value) => void settings.write({ systemSound: value === EVERYTHING ? null : value })}
			/>
			<div className={styles.proof}>
				<LevelMeter label={t('others.level')} level={sound.othersLevel} active={live} clock={clock} />
			</div>
			{way === 'recorder' && !problem && !isPlaying && <p role="status">{t('others.nothing')}</p>}
			{way === 'recorder' && !problem && isPlaying && chosen !== null && !known && (
				<p role="status">{t('others.otherPlays', { name: isolate(chosen) })}</p>
			)}
			{live && way === 'none' && !problem && (
				<ProblemNotice problem={{ kind: 'system-sound-unsupported' }} tone="warning" />
			)}
			{live && problem && <ProblemNotice problem={problem} tone="warning" />}
		</div>
	);
}
