import { useTranslation } from 'react-i18next';
import { NumberField } from '#renderer/ui/number-field.tsx';
import { Select } from '#renderer/ui/select.tsx';
import { useParts, useSetting } from '#renderer/window/parts.ts';
import type { Settings } from '#shared/settings/schema.ts';
import styles from './settings-page.module.css';

/** Ranges the service takes (protocol 4.5). */
const numbers = [
	{ name: 'silenceThresholdS', min: 0.3, max: 2, step: 0.1 },
	{ name: 'desiredQueueMs', min: 2000, max: 60_000, step: 500 },
	{ name: 'maxQueueMs', min: 4000, max: 60_000, step: 500 },
	{ name: 'minTempo', min: 0.5, max: 2, step: 0.05 },
	{ name: 'maxTempo', min: 0.5, max: 2, step: 0.05 },
] as const;

const switches = ['sentenceSplitter', 'translatePartials', 'autoTempo'] as const;

type Choice = 'preset' | 'on' | 'off';

/** Values that override the chosen pace one by one; empty means that the pace decides. */
export function ExpertFields({ isDisabled }: { readonly isDisabled: boolean }) {
	const { t, i18n } = useTranslation();
	const { settings } = useParts();
	const expert = useSetting('expert');
	const format = new Intl.NumberFormat(i18n.language);
	const write = (patch: Partial<Settings['expert']>) =>
		void settings.write({ expert: { ...expert, ...patch } });
	return (
		<div className={styles.stack}>
			<p className={styles.reason}>{t('settings.expertHint')}</p>
			{numbers.map(({ name, min, max, step }) => (
				<NumberField
					key={name}
					label={t(`settings.${name}`)}
					hint={t('settings.range', { min: format.format(min), max: format.format(max) })}
					placeholder={t('settings.byPreset')}
					value={expert[name]}
					min={min}
					max={max}
					step={step}
					isDisabled={isDisabled}
					onChange={(value) => write({ [name]: value })}
				/>
			))}
			{switches.map((name) => {
				const value = expert[name];
				return (
					<Select<Choice>
						key={name}
						label={t(`settings.${name}`)}
						options={[
							{ value: 'preset', label: t('settings.byPreset') },
							{ value: 'on', label: t('settings.on') },
							{ value: 'off', label: t('settings.off') },
						]}
						value={value === null ? 'preset' : value ? 'on' : 'off'}
						isDisabled={isDisabled}
						onChange={(next) => write({ [name]: next === 'preset' ? null : next === 'on' })}
					/>
				);
			})}
		</div>
	);
}
