import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { useCallMicrophone } from '#renderer/calls/use-call-microphone.ts';
import { useCallWords } from '#renderer/calls/use-call-words.ts';
import { isolate } from '#renderer/i18n/i18n.ts';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import { Button } from '#renderer/ui/button.tsx';
import field from '#renderer/ui/field.module.css';
import { Icon } from '#renderer/ui/icon.tsx';
import { Segmented } from '#renderer/ui/segmented.tsx';
import { Slider } from '#renderer/ui/slider.tsx';
import styles from './meeting-set-up.module.css';
import { SoundPanel } from './sound-panel.tsx';

const presets = ['fast', 'balanced', 'accurate'] as const;

/** The content of the panel: pace, the way into the call, devices. */
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

/** Fast, balanced or accurate, with a sentence about the one chosen. */
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
