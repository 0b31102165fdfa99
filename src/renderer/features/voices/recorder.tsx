import { useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '#renderer/ui/button.tsx';
import { ButtonRow } from '#renderer/ui/button-row.tsx';
import { FilledIcon, Icon } from '#renderer/ui/icon.tsx';
import { LevelMeter } from '#renderer/ui/level-meter.tsx';
import { ProblemNotice } from '#renderer/window/components/problem-notice.tsx';
import { useParts } from '#renderer/window/parts.ts';
import type { Recording, Take } from '#renderer/window/sound.ts';
import { seconds } from '#renderer/window/words/format.ts';
import type { VoiceSample } from '#shared/host/voices.ts';
import type { Problem } from '#shared/problem.ts';
import { isRightToLeft, localeTag } from '#shared/protocol/languages.ts';
import { SAMPLE_LENGTH_MS } from '#shared/voices/draft.ts';
import { handOver, LONGEST_MS } from './hand-over.ts';
import styles from './recorder.module.css';
import { TakeEditor } from './take-editor.tsx';
import { textToRead } from './texts-to-read.ts';

export interface SampleRecorderProps {
	/** Language of the voice, which decides the text to read aloud. */
	readonly language: string;
	readonly onTaken: (sample: VoiceSample) => void;
}

/** Records a sample, which can be played, trimmed and redone, and hands it over. */
export function SampleRecorder({ language, onTaken }: SampleRecorderProps) {
	const { t } = useTranslation();
	const { sound, host } = useParts();
	const [recording, setRecording] = useState<Recording | 'opening' | null>(null);
	const [take, setTake] = useState<Take | null>(null);
	/** The previous take, until another is accepted. */
	const [earlier, setEarlier] = useState<Take | null>(null);
	const [problem, setProblem] = useState<Problem | null>(null);
	const [busy, setBusy] = useState(false);
	const abort = useRef<AbortController | null>(null);
	useEffect(() => () => abort.current?.abort(), []);

	async function record(): Promise<void> {
		abort.current?.abort();
		const own = new AbortController();
		abort.current = own;
		setProblem(null);
		setRecording('opening');
		let live: Recording | null = null;
		const ended = () => live && keep(live);
		const begun = await sound.record({ mostMs: LONGEST_MS, signal: own.signal, ended });
		if (own.signal.aborted) return;
		if (!begun.ok) {
			setRecording(null);
			return setProblem(begun.error);
		}
		live = begun.value;
		setRecording(live);
	}

	function keep(live: Recording): void {
		setRecording(null);
		setEarlier(take);
		setTake(live.stop());
	}

	async function accept(trimmed: Take): Promise<void> {
		setBusy(true);
		const given = await handOver(host, trimmed, t('recorder.fileName'));
		setBusy(false);
		if (!given.ok) return setProblem(given.error);
		setEarlier(null);
		onTaken(given.value);
	}

	const text = textToRead(language);
	return (
		<section
			className={styles.recorder}
			aria-label={t('recorder.title')}
			{...((recording !== null || take !== null) && { 'data-unsaved': true })}
		>
			{take === null && (
				<>
					<p>{t(text === null ? 'recorder.speakFreely' : 'recorder.readThis')}</p>
					{text !== null && (
						<blockquote
							className={styles.text}
							lang={localeTag(language)}
							dir={isRightToLeft(language) ? 'rtl' : 'ltr'}
						>
							{text}
						</blockquote>
					)}
				</>
			)}
			{recording !== null && recording !== 'opening' ? (
				<Running recording={recording} onStop={() => keep(recording)} />
			) : take ? (
				<TakeEditor take={take} busy={busy} onUse={(trimmed) => void accept(trimmed)}>
					<Button isDisabled={busy} onPress={() => void record()}>
						{t('recorder.again')}
					</Button>
					{earlier && (
						<Button
							look="quiet"
							isDisabled={busy}
							onPress={() => {
								setTake(earlier);
								setEarlier(null);
							}}
						>
							{t('recorder.backToEarlier')}
						</Button>
					)}
				</TakeEditor>
			) : (
				<ButtonRow apart>
					<Button isDisabled={recording === 'opening'} onPress={() => void record()}>
						<Icon name="microphone" />
						{t(recording === 'opening' ? 'recorder.opening' : 'recorder.start')}
					</Button>
				</ButtonRow>
			)}
			{problem && <ProblemNotice problem={problem} />}
		</section>
	);
}

/** While recording: elapsed time, level, and the button to end it. */
function Running({ recording, onStop }: { readonly recording: Recording; readonly onStop: () => void }) {
	const { t, i18n } = useTranslation();
	const { clock } = useParts();
	const [lengthMs, setLengthMs] = useState(0);
	const hint = useId();
	useEffect(() => clock.every(LOOK_MS, () => setLengthMs(recording.lengthMs())), [clock, recording]);
	const share = Math.min(1, lengthMs / SAMPLE_LENGTH_MS.wanted);
	return (
		<div className={styles.running}>
			<LevelMeter label={t('sound.microphoneLevel')} level={recording.level} active clock={clock} />
			<p className={styles.counter}>
				<strong role="timer">{seconds(Math.floor(lengthMs / 1000) * 1000, i18n.language)}</strong>{' '}
				<span id={hint}>
					{t(share < 1 ? 'recorder.wanted' : 'recorder.enough', {
						wanted: seconds(SAMPLE_LENGTH_MS.wanted, i18n.language),
					})}
				</span>
			</p>
			<progress className={styles.progress} aria-label={t('recorder.lengthSoFar')} value={share} max={1} />
			<Button look="primary" aria-describedby={hint} autoFocus onPress={onStop}>
				<FilledIcon name="stop" />
				{t('recorder.stop')}
			</Button>
		</div>
	);
}

const LOOK_MS = 200;
