import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '#renderer/ui/button.tsx';
import { ButtonRow } from '#renderer/ui/button-row.tsx';
import field from '#renderer/ui/field.module.css';
import { Segmented } from '#renderer/ui/segmented.tsx';
import { useParts } from '#renderer/window/parts.ts';
import type { VoiceSample } from '#shared/host/voices.ts';
import type { Problem } from '#shared/problem.ts';
import { checkVoiceDraft, emptyDraft, sampleHint } from '#shared/voices/draft.ts';
import { sampleWords } from './facts.ts';
import { SampleRecorder } from './recorder.tsx';
import { VoiceProblem } from './voice-problem.tsx';
import styles from './voices-page.module.css';

export interface SamplePartProps {
	readonly language: string;
	readonly sample: VoiceSample | null;
	/** What is wrong with it, or that there is none. */
	readonly error: string | null;
	readonly onSample: (sample: VoiceSample) => void;
}

/** The requirements for a sample, two ways to get one, and the present one. */
export function SamplePart({ language, sample, error, onSample }: SamplePartProps) {
	const { t, i18n } = useTranslation();
	const { host } = useParts();
	const [way, setWay] = useState<'record' | 'file'>('record');
	const [again, setAgain] = useState(false);
	const [problem, setProblem] = useState<Problem | null>(null);

	/** Releases the previous sample only now. */
	function take(next: VoiceSample): void {
		if (sample) void host.ask('voice.discard-sample', { sample: sample.sample });
		onSample(next);
		setAgain(false);
	}

	async function choose(): Promise<void> {
		const chosen = await host.ask('voice.choose-file', undefined);
		setProblem(chosen.ok ? null : chosen.error);
		if (chosen.ok && chosen.value) take(chosen.value);
	}

	const isWrong = checkVoiceDraft(emptyDraft, sample).some(({ field }) => field === 'sample');
	const hint = sample && !isWrong ? sampleHint(sample) : null;
	return (
		<fieldset className={styles.group} data-field="sample">
			<legend className={field.label}>{t('voices.sample')}</legend>
			<p className={styles.quiet}>{t('voices.needs')}</p>
			{error !== null && (
				<p className={styles.error} role="alert">
					{error}
				</p>
			)}
			{sample && !again ? (
				<div className={styles.row}>
					<div>
						<p>{sampleWords(sample, i18n.language)}</p>
						{hint && <p className={styles.quiet}>{t(`voices.sampleHint.${hint}`)}</p>}
					</div>
					<Button onPress={() => setAgain(true)}>{t('voices.otherSample')}</Button>
				</div>
			) : (
				<>
					<Segmented
						label={t('voices.way')}
						labelHidden
						options={[
							{ value: 'record', label: t('voices.wayRecord'), icon: 'microphone' },
							{ value: 'file', label: t('voices.wayFile') },
						]}
						value={way}
						onChange={setWay}
					/>
					{way === 'record' ? (
						<SampleRecorder language={language} onTaken={take} />
					) : (
						<ButtonRow>
							<Button onPress={() => void choose()}>{t('voices.chooseFile')}</Button>
						</ButtonRow>
					)}
					{sample && (
						<ButtonRow>
							<Button look="quiet" onPress={() => setAgain(false)}>
								{t('voices.keepSample')}
							</Button>
						</ButtonRow>
					)}
				</>
			)}
			{problem && <VoiceProblem problem={problem} onRetry={() => void choose()} />}
		</fieldset>
	);
}
