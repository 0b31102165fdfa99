import { type ReactNode, useEffect, useId, useMemo, useRef, useState } from 'react';
import type { Host } from '#renderer/host.ts';
import { seconds } from '#renderer/i18n/format.ts';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { ProblemNotice } from '#renderer/problems/problem-notice.tsx';
import { useParts } from '#renderer/shell/parts.ts';
import type { Recording, Take } from '#renderer/sound/sound.ts';
import { Button, ButtonRow } from '#renderer/ui/button.tsx';
import { FilledIcon, Icon } from '#renderer/ui/icon.tsx';
import { LevelMeter } from '#renderer/ui/level-meter.tsx';
import { Slider } from '#renderer/ui/slider.tsx';
import { RECORDING_PIECE_BYTES, type VoiceSample } from '#shared/host/voices.ts';
import { encodeBase64 } from '#shared/lib/base64.ts';
import type { Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { isRightToLeft, localeTag } from '#shared/protocol/languages.ts';
import { s16ToFloat } from '#shared/sound/pcm.ts';
import { checkSample, FORBIDDING, peaksOf, withoutSilence } from '#shared/sound/sample-check.ts';
import { encodeWav } from '#shared/sound/wav.ts';
import { SAMPLE_LENGTH_MS } from '#shared/voices/draft.ts';
import styles from './recorder.module.css';
import { textToRead } from './texts-to-read.ts';

/** The longest recording, ms: 9.6 MB at 24 kHz and 16 bit, below the service's limit (protocol 7.2). */
const LONGEST_MS = 200_000;

const BARS = 120;

const HEIGHT = 40;

export interface SampleRecorderProps {
	/** Language of the voice, which decides the text to read aloud. */
	readonly language: string;
	readonly onTaken: (sample: VoiceSample) => void;
}

/** Records a sample, which can be played, trimmed and recorded again before it is used. */
export function SampleRecorder({ language, onTaken }: SampleRecorderProps) {
	const { t } = useTranslation();
	const { sound, host } = useParts();
	const [recording, setRecording] = useState<Recording | 'opening' | null>(null);
	const [take, setTake] = useState<Take | null>(null);
	/** The previous take, kept until another is accepted. */
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
			{(take === null || recording !== null) && (
				<>
					<p>{t(text === null ? 'recorder.speakFreely' : 'recorder.readThis')}</p>
					{text !== null && (
						<blockquote
							className={styles.text}
							// biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard (WCAG 2.1.1)
							tabIndex={0}
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
			) : take && recording === null ? (
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
				<div className={styles.bar}>
					<Button look="primary" isDisabled={recording === 'opening'} onPress={() => void record()}>
						<Icon name="microphone" />
						{t(recording === 'opening' ? 'recorder.opening' : 'recorder.start')}
					</Button>
				</div>
			)}
			{problem && <ProblemNotice problem={problem} />}
		</section>
	);
}

/** Shown while recording: elapsed time, level, and the stop button. */
function Running({ recording, onStop }: { readonly recording: Recording; readonly onStop: () => void }) {
	const { t, i18n } = useTranslation();
	const { clock } = useParts();
	const [lengthMs, setLengthMs] = useState(0);
	const hint = useId();
	useEffect(() => clock.every(LOOK_MS, () => setLengthMs(recording.lengthMs())), [clock, recording]);
	const share = Math.min(1, lengthMs / SAMPLE_LENGTH_MS.wanted);
	return (
		<div className={styles.running}>
			<div className={styles.bar}>
				<Button look="primary" aria-describedby={hint} autoFocus onPress={onStop}>
					<FilledIcon name="stop" />
					{t('recorder.stop')}
				</Button>
				<LevelMeter label={t('sound.microphoneLevel')} level={recording.level} active clock={clock} />
			</div>
			<p className={styles.counter}>
				<strong role="timer">{seconds(Math.floor(lengthMs / 1000) * 1000, i18n.language)}</strong>{' '}
				<span id={hint}>
					{t(share < 1 ? 'recorder.wanted' : 'recorder.enough', {
						wanted: seconds(SAMPLE_LENGTH_MS.wanted, i18n.language),
					})}
				</span>
			</p>
			<progress className={styles.progress} aria-label={t('recorder.lengthSoFar')} value={share} max={1} />
		</div>
	);
}

const LOOK_MS = 200;

interface TakeEditorProps {
	readonly take: Take;
	/** True while the recording is being sent to main. */
	readonly busy: boolean;
	readonly onUse: (trimmed: Take) => void;
	/** Further actions on the recording. */
	readonly children: ReactNode;
}

/** Plays a recording, trims both ends and accepts it; shows its faults. */
function TakeEditor({ take, busy, onUse, children }: TakeEditorProps) {
	const { t, i18n } = useTranslation();
	const { sound } = useParts();
	const wholeS = take.samples.length / take.rateHz;
	const spoken = useMemo(() => {
		const { from, to } = withoutSilence(take.samples, take.rateHz, SAMPLE_LENGTH_MS.least);
		// Round to the step of the sliders.
		return {
			from: Math.floor((from / take.rateHz) * 10) / 10,
			to: Math.min(take.samples.length / take.rateHz, Math.ceil((to / take.rateHz) * 10) / 10),
		};
	}, [take]);
	const [from, setFrom] = useState(spoken.from);
	const [to, setTo] = useState(spoken.to);
	const [playing, setPlaying] = useState(false);
	const [problem, setProblem] = useState<Problem | null>(null);
	const abort = useRef<AbortController | null>(null);
	useEffect(() => () => abort.current?.abort(), []);
	useEffect(() => {
		setFrom(spoken.from);
		setTo(spoken.to);
	}, [spoken]);

	const peaks = useMemo(() => peaksOf(take.samples, BARS), [take]);
	const trimmed = useMemo<Take>(
		() => ({
			samples: take.samples.subarray(Math.round(from * take.rateHz), Math.round(to * take.rateHz)),
			rateHz: take.rateHz,
		}),
		[take, from, to],
	);
	const report = useMemo(
		() => checkSample(trimmed.samples, trimmed.rateHz, { ...SAMPLE_LENGTH_MS, most: LONGEST_MS }),
		[trimmed],
	);
	const forbidden = report.faults.some((fault) => FORBIDDING.has(fault));

	const isWithin = (atS: number) => atS >= from && atS <= to;

	async function play(): Promise<void> {
		abort.current?.abort();
		if (playing) return;
		const own = new AbortController();
		abort.current = own;
		setPlaying(true);
		const played = await sound.play(trimmed, own.signal);
		setPlaying(false);
		setProblem(played.ok ? null : played.error);
	}

	const range = {
		min: 0,
		max: wholeS,
		step: 0.1,
		format: { style: 'unit', unit: 'second', maximumFractionDigits: 1 },
	} as const;
	return (
		<div className={styles.editor}>
			<svg
				className={styles.wave}
				viewBox={`0 0 ${BARS} ${HEIGHT}`}
				preserveAspectRatio="none"
				aria-hidden="true"
			>
				<path className={styles.barOut} d={barsOf(peaks, () => true)} />
				<path className={styles.barIn} d={barsOf(peaks, (share) => isWithin(share * wholeS))} />
			</svg>
			<Slider
				label={t('recorder.from')}
				value={from}
				{...range}
				onChange={(next) => setFrom(Math.min(next, to))}
			/>
			<Slider
				label={t('recorder.to')}
				value={to}
				{...range}
				onChange={(next) => setTo(Math.max(next, from))}
			/>
			<div role="status" className={styles.report}>
				<p>{t('recorder.length', { length: seconds(report.lengthMs, i18n.language) })}</p>
				{report.faults.length === 0 ? (
					<p className={styles.good}>
						<Icon name="check" size={16} /> {t('recorder.good')}
					</p>
				) : (
					<ul>
						{report.faults.map((fault) => (
							<li key={fault}>{t(`recorder.fault.${fault}`)}</li>
						))}
					</ul>
				)}
			</div>
			<ButtonRow apart>
				<Button onPress={() => void play()}>
					<Icon name={playing ? 'pause' : 'resume'} />
					{t(playing ? 'recorder.stopListening' : 'recorder.listen')}
				</Button>
				<Button look="primary" isDisabled={busy || forbidden} onPress={() => onUse(trimmed)}>
					{t(busy ? 'recorder.keeping' : 'recorder.use')}
				</Button>
				{children}
			</ButtonRow>
			{problem && <ProblemNotice problem={problem} />}
		</div>
	);
}

/** One vertical line per peak for which `isShown` returns true; `share`: position in the recording, 0..1. */
function barsOf(peaks: readonly number[], isShown: (share: number) => boolean): string {
	return peaks
		.map((peak, index) => {
			if (!isShown((index + 0.5) / peaks.length)) return '';
			const height = Math.max(1, peak * HEIGHT);
			return `M${index + 0.15} ${(HEIGHT - height) / 2}h0.7v${height}h-0.7Z`;
		})
		.join('');
}

/** Sends a recording to main as a WAV, piece by piece. If that fails, main discards all pieces. */
async function handOver(
	host: Pick<Host, 'ask'>,
	{ samples, rateHz }: Take,
	name: string,
): Promise<Result<VoiceSample, Problem>> {
	const floats = new Float32Array(samples.length);
	s16ToFloat(samples, floats);
	const wav = encodeWav(floats, rateHz);
	const begun = await host.ask('voice.begin-recording', { name });
	if (!begun.ok) return begun;
	const { recording } = begun.value;
	for (let at = 0; at < wav.length; at += RECORDING_PIECE_BYTES) {
		const base64 = encodeBase64(wav.subarray(at, at + RECORDING_PIECE_BYTES));
		const sent = await host.ask('voice.append-recording', { recording, at, base64 });
		if (sent.ok) continue;
		await host.ask('voice.discard-sample', { sample: recording });
		return sent;
	}
	return host.ask('voice.end-recording', { recording });
}
