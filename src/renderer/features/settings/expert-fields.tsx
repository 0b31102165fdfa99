import { useTranslation } from 'react-i18next';
import { NumberField } from '#renderer/ui/number-field.tsx';
import { Select } from '#renderer/ui/select.tsx';
import { useParts, useSetting } from '#renderer/window/parts.ts';
import type { Settings } from '#shared/settings/schema.ts';
import styles from './settings-page.module.css';

const SECONDS = { style: 'unit', unit: 'second', unitDisplay: 'short' } as const;
const PERCENT = { style: 'percent' } as const;

/** Ranges the service accepts (protocol 4.5), in displayed units; `per` = setting units per displayed unit. */
const numbers = [
	{ name: 'silenceThresholdS', min: 0.3, max: 2, step: 0.1, per: 1, format: SECONDS },
	{ name: 'desiredQueueMs', min: 2, max: 60, step: 0.5, per: 1000, format: SECONDS },
	{ name: 'maxQueueMs', min: 4, max: 60, step: 0.5, per: 1000, format: SECONDS },
	{ name: 'minTempo', min: 0.5, max: 2, step: 0.05, per: 1, format: PERCENT },
	{ name: 'maxTempo', min: 0.5, max: 2, step: 0.05, per: 1, format: PERCENT },
] as const;

const switches = ['sentenceSplitter', 'translatePartials', 'autoTempo'] as const;

type Choice = 'preset' | 'on' | 'off';

/** Values that override the chosen pace one by one; empty means that the pace decides. */
export function ExpertFields({ isDisabled }: { readonly isDisabled: boolean }) {
	const { t, i18n } = useTranslation();
	const { settings } = useParts();
	const expert = useSetting('expert');
	const write = (patch: Partial<Settings['expert']>) =>
		void settings.write({ expert: { ...expert, ...patch } });
	return (
		<div className={styles.stack}>
			<p className={styles.reason}>{t('settings.expertHint')}</p>
			{numbers.map(({ name, min, max, step, per, format }) => {
				const words = new Intl.NumberFormat(i18n.language, format);
				const value = expert[name];
				return (
					<NumberField
						key={name}
						label={t(`settings.${name}`)}
						hint={t('settings.range', { min: words.format(min), max: words.format(max) })}
						placeholder={t('settings.byPreset')}
						value={value === null ? null : value / per}
						min={min}
						max={max}
						step={step}
						format={format}
						isDisabled={isDisabled}
						onChange={(next) => write({ [name]: next === null ? null : next * per })}
					/>
				);
			})}
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
