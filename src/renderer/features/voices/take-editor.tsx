import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '#renderer/ui/button.tsx';
import { ButtonRow } from '#renderer/ui/button-row.tsx';
import { Icon } from '#renderer/ui/icon.tsx';
import { Slider } from '#renderer/ui/slider.tsx';
import { ProblemNotice } from '#renderer/window/components/problem-notice.tsx';
import { useParts } from '#renderer/window/parts.ts';
import type { Take } from '#renderer/window/sound.ts';
import { seconds } from '#renderer/window/words/format.ts';
import { checkSample, FORBIDDING, peaksOf } from '#shared/audio/sample-check.ts';
import type { Problem } from '#shared/problem.ts';
import { SAMPLE_LENGTH_MS } from '#shared/voices/draft.ts';
import { LONGEST_MS } from './hand-over.ts';
import styles from './recorder.module.css';

export interface TakeEditorProps {
	readonly take: Take;
	/** It is being handed over. */
	readonly busy: boolean;
	readonly onUse: (trimmed: Take) => void;
	/** More to do with it. */
	readonly children: ReactNode;
}

const BARS = 120;
const HEIGHT = 40;

/** Plays a recording, trims both ends and accepts it; says what is wrong with it. */
export function TakeEditor({ take, busy, onUse, children }: TakeEditorProps) {
	const { t, i18n } = useTranslation();
	const { sound } = useParts();
	const wholeS = take.samples.length / take.rateHz;
	const [from, setFrom] = useState(0);
	const [to, setTo] = useState(wholeS);
	const [playing, setPlaying] = useState(false);
	const [problem, setProblem] = useState<Problem | null>(null);
	const abort = useRef<AbortController | null>(null);
	useEffect(() => () => abort.current?.abort(), []);
	useEffect(() => {
		setFrom(0);
		setTo(take.samples.length / take.rateHz);
	}, [take]);

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

/** One upright line per peak that is shown; `share` of the whole, 0..1. */
function barsOf(peaks: readonly number[], isShown: (share: number) => boolean): string {
	return peaks
		.map((peak, index) => {
			if (!isShown((index + 0.5) / peaks.length)) return '';
			const height = Math.max(1, peak * HEIGHT);
			return `M${index + 0.15} ${(HEIGHT - height) / 2}h0.7v${height}h-0.7Z`;
		})
		.join('');
}
