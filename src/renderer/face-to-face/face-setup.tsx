import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import { Segmented } from '#renderer/ui/segmented.tsx';
import { Switch } from '#renderer/ui/switch.tsx';
import type { Settings } from '#shared/settings/schema.ts';
import styles from './face-setup.module.css';

/** How two people share the machine, chosen before they begin. */
export function FaceSetup() {
	const { t } = useTranslation();
	const { settings } = useParts();
	const layout = useSetting('faceLayout');
	const talk = useSetting('faceTalk');
	const oneSession = useSetting('faceOneSession');
	const halfDuplex = useSetting('faceHalfDuplex');
	const cue = useSetting('faceCue');

	return (
		<section className={styles.setup} aria-label={t('face.title')}>
			<Segmented<Settings['faceTalk']>
				label={t('face.talk')}
				options={[
					{ value: 'hold', label: t('face.talkHold') },
					{ value: 'automatic', label: t('face.talkAutomatic') },
				]}
				value={talk}
				onChange={(next) => void settings.write({ faceTalk: next })}
				hint={t(talk === 'hold' ? 'face.talkHoldHint' : 'face.talkAutomaticHint')}
			/>
			<Segmented<Settings['faceLayout']>
				label={t('face.layout')}
				options={[
					{ value: 'turned', label: t('face.layoutTurned') },
					{ value: 'beside', label: t('face.layoutBeside') },
				]}
				value={layout}
				onChange={(next) => void settings.write({ faceLayout: next })}
			/>
			{talk === 'hold' && (
				<Switch
					label={t('face.oneSession')}
					hint={t('face.oneSessionHint')}
					isOn={oneSession}
					onChange={(on) => void settings.write({ faceOneSession: on })}
				/>
			)}
			<Switch
				label={t('face.halfDuplex')}
				hint={t('face.halfDuplexHint')}
				isOn={halfDuplex}
				onChange={(on) => void settings.write({ faceHalfDuplex: on })}
			/>
			<Switch label={t('face.cue')} isOn={cue} onChange={(on) => void settings.write({ faceCue: on })} />
		</section>
	);
}
