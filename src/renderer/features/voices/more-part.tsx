import { useTranslation } from 'react-i18next';
import { Select } from '#renderer/ui/select.tsx';
import { Switch } from '#renderer/ui/switch.tsx';
import { TextField } from '#renderer/ui/text-field.tsx';
import type { VoiceDraft } from '#shared/voices/draft.ts';
import { LABELS } from './facts.ts';
import styles from './voices-page.module.css';

export interface MorePartProps {
	readonly draft: VoiceDraft;
	/** As typed. */
	readonly attributes: string;
	readonly errorAt: (field: 'description' | 'labels' | 'attributes') => string | null;
	readonly onChange: (patch: Partial<VoiceDraft>) => void;
	readonly onAttributes: (text: string) => void;
}

const labels = ['gender', 'ageGroup', 'mood'] as const;

/** Optional details of a voice, and how its sample is processed. */
export function MorePart({ draft, attributes, errorAt, onChange, onAttributes }: MorePartProps) {
	const { t } = useTranslation();
	return (
		<>
			<div data-field="description">
				<TextField
					label={t('voices.description')}
					hint={t('voices.optional')}
					value={draft.description}
					onChange={(description) => onChange({ description })}
					error={errorAt('description')}
				/>
			</div>
			<div data-field="labels" className={styles.three}>
				{labels.map((kind) => (
					<Select<string>
						key={kind}
						label={t(`voices.label.${kind}.title`)}
						options={[
							{ value: '', label: t('voices.notSaid') },
							...LABELS[kind].map((value) => ({
								value,
								label: t(`voices.label.${kind}.${value}` as 'voices.label.mood.neutral'),
							})),
						]}
						value={draft.labels[kind]}
						onChange={(next) => onChange({ labels: { ...draft.labels, [kind]: next } })}
					/>
				))}
				{errorAt('labels') !== null && (
					<p className={styles.error} role="alert">
						{errorAt('labels')}
					</p>
				)}
			</div>
			<div data-field="attributes">
				<TextField
					label={t('voices.attributes')}
					hint={t('voices.attributesHint')}
					value={attributes}
					onChange={onAttributes}
					error={errorAt('attributes')}
				/>
			</div>
			<Switch
				label={t('voices.denoise')}
				hint={t('voices.denoiseHint')}
				isOn={draft.denoise}
				onChange={(denoise) => onChange({ denoise })}
			/>
			<Switch
				label={t('voices.normalise')}
				hint={t('voices.normaliseHint')}
				isOn={draft.normalise}
				onChange={(normalise) => onChange({ normalise })}
			/>
			<Switch
				label={t('voices.skipExternal')}
				hint={t('voices.skipExternalHint')}
				isOn={draft.skipExternal}
				onChange={(skipExternal) => onChange({ skipExternal })}
			/>
		</>
	);
}
