import { useRef, useState } from 'react';
import { useStore } from 'zustand';
import { useCallMicrophone, useCallWords } from '#renderer/calls/call-notices.tsx';
import { isRunning } from '#renderer/conversation/live-changes.ts';
import { isolate } from '#renderer/i18n/i18n.ts';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { NoticeLine, ProblemNotice } from '#renderer/problems/problem-notice.tsx';
import { RecordButton } from '#renderer/recording/record-button.tsx';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import { useFocusPlace } from '#renderer/shell/use-page-travel.ts';
import { Button } from '#renderer/ui/button.tsx';
import field from '#renderer/ui/field.module.css';
import { Icon } from '#renderer/ui/icon.tsx';
import { LevelMeter } from '#renderer/ui/level-meter.tsx';
import { Segmented } from '#renderer/ui/segmented.tsx';
import { Select, type SelectOption } from '#renderer/ui/select.tsx';
import { Slider } from '#renderer/ui/slider.tsx';
import { Switch } from '#renderer/ui/switch.tsx';
import type { Problem } from '#shared/problem.ts';
import { isOwnDevice, telephoneHeadset } from '#shared/sound/devices.ts';
import { balanced, balanceOf } from '#shared/sound/volumes.ts';
import { MicrophoneTest } from './microphone-test.tsx';
import type { SoundDevice } from './sound.ts';
import styles from './sound-panel.module.css';

/** The option for everything the computer plays; no program has an empty name. */
const EVERYTHING = '';

/** The option for no second loudspeaker; real ids are never empty. */
const NONE = '';

/** Chooses the microphone and loudspeakers, shows that each works, and sets the volumes. */
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

/** Warns that a Bluetooth headset's microphone has switched it to telephone quality, and names another to use. */
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

/** Chooses the captured sound, of the computer or one program; shows its level while it is heard. */
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

const presets = ['fast', 'balanced', 'accurate'] as const;

/** The content of the panel: pace, connection to the call, devices. */
export function SoundSide() {
	const mode = useSetting('mode');
	return (
		<>
			{(mode === 'solo' || mode === 'meeting' || mode === 'listen') && <Pace />}
			<MeetingSetUp />
			<SoundPanel />
		</>
	);
}

/** How the voice gets into the call, before and during a meeting; nothing in other modes. */
function MeetingSetUp() {
	const { t } = useTranslation();
	const { callOutput, navigation, settings } = useParts();
	const view = useStore(callOutput);
	const words = useCallWords();
	const microphone = useCallMicrophone();
	const used = microphone?.use === 'some' ? microphone : null;
	const passOriginal = useSetting('passOriginal');
	if (useSetting('mode') !== 'meeting') return null;
	return (
		<section className={styles.setUp} aria-label={t('legs.call')}>
			<h3 className={field.label}>{t('legs.call')}</h3>
			<p data-call={view.to}>
				{used && <Icon name="check" size={16} />}{' '}
				{used
					? t('legs.callUsed', { name: isolate(used.name) })
					: view.to === 'call'
						? t('legs.callHears', { name: isolate(view.microphoneLabel || view.output.label) })
						: words?.text}
			</p>
			<Button onPress={() => navigation.go('settings', 'call-route')}>{t('legs.callSetUp')}</Button>
			<Slider
				label={t('legs.passOriginal')}
				min={0}
				max={1}
				step={0.05}
				format={{ style: 'percent' }}
				value={passOriginal}
				onChange={(next) => void settings.write({ passOriginal: next })}
			/>
		</section>
	);
}

/** Fast, balanced or accurate, with a sentence about the chosen pace. */
function Pace() {
	const { t } = useTranslation();
	const { settings } = useParts();
	const preset = useSetting('preset');
	const expert = useSetting('expert');
	const changed = Object.values(expert).some((value) => value !== null);
	const hint = t(`presets.${preset}Hint`);
	return (
		<Segmented
			label={t('presets.title')}
			options={presets.map((value) => ({ value, label: t(`presets.${value}`) }))}
			value={preset}
			onChange={(next) => void settings.write({ preset: next })}
			oneRow
			hint={changed ? `${hint} ${t('presets.changed')}.` : hint}
		/>
	);
}

/** The option for the system's choice; real ids are never empty. */
const SYSTEM = '';

/**
 * The options of a picker and the chosen value: the system's choice, the devices, and a chosen device that is not
 * connected now. A device may come back under another id, so its label identifies it, too.
 * @param systemName name of the device that the system chooses; empty = not known
 */
export function useDeviceOptions(
	devices: readonly SoundDevice[],
	chosen: SoundDevice | null,
	systemName: string,
): { readonly options: readonly SelectOption<string>[]; readonly value: string } {
	const { t } = useTranslation();
	const options: SelectOption<string>[] = [
		{
			value: SYSTEM,
			label:
				systemName === '' ? t('sound.systemDefaultUnknown') : t('sound.systemDefault', { name: systemName }),
		},
		// Leave out our own device: it carries sound to the call, and used here it would feed back.
		...devices.filter((device) => !isOwnDevice(device)).map(({ id, label }) => ({ value: id, label })),
	];
	const known = chosen && devices.find((device) => device.id === chosen.id || device.label === chosen.label);
	if (chosen && known && isOwnDevice(known)) options.push({ value: known.id, label: known.label });
	if (chosen && !known) options.push({ value: chosen.id, label: t('sound.missing', { name: chosen.label }) });
	return { options, value: known?.id ?? chosen?.id ?? SYSTEM };
}
