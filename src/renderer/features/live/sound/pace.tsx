import { useTranslation } from 'react-i18next';
import { Segmented } from '#renderer/ui/segmented.tsx';
import { useParts, useSetting } from '#renderer/window/parts.ts';

const presets = ['fast', 'balanced', 'accurate'] as const;

/** Fast, balanced or accurate, with a sentence about the one chosen. */
export function Pace() {
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
