import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { LevelMeter } from '#renderer/ui/level-meter.tsx';
import { Select, type SelectOption } from '#renderer/ui/select.tsx';
import { ProblemNotice } from '#renderer/window/components/problem-notice.tsx';
import { isRunning } from '#renderer/window/live-changes.ts';
import { useParts, useSetting } from '#renderer/window/parts.ts';
import { isolate } from '#renderer/window/words/i18n.ts';
import styles from './sound-panel.module.css';

/** Means everything the computer plays; no program has an empty name. */
const EVERYTHING = '';

/**
 * Chooses what is listened to: everything the computer plays, or one program; with its level while it is heard.
 * Obstacles to Start are shown beside Start.
 */
export function SystemSoundPicker() {
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
