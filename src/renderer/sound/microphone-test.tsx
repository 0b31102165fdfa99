import { useEffect, useRef, useState } from 'react';
import { isolate } from '#renderer/i18n/i18n.ts';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { ProblemNotice } from '#renderer/problems/problem-notice.tsx';
import { useParts } from '#renderer/shell/parts.ts';
import { Button } from '#renderer/ui/button.tsx';
import { LevelMeter } from '#renderer/ui/level-meter.tsx';
import type { Problem } from '#shared/problem.ts';
import { checkSample, hums, type SampleFault } from '#shared/sound/sample-check.ts';
import type { SoundDevice, Take } from './sound.ts';
import styles from './sound-panel.module.css';

const TEST_MS = 5000;
/** The length of a test recording is not judged. */
const ANY_LENGTH = { least: 0, wanted: 0, most: Number.POSITIVE_INFINITY };

type Fault = Extract<SampleFault, 'silent' | 'quiet' | 'clipped' | 'noisy'> | 'hum';
const faults: ReadonlySet<string> = new Set<Fault>(['silent', 'quiet', 'clipped', 'noisy', 'hum']);

type Step =
	| { readonly at: 'idle' }
	| { readonly at: 'opening' }
	| { readonly at: 'recording' }
	| { readonly at: 'playing'; readonly speechDb: number; readonly fault: Fault | null }
	| { readonly at: 'done'; readonly speechDb: number; readonly fault: Fault | null }
	| { readonly at: 'failed'; readonly problem: Problem };

/** The worst fault of a test; null = good. */
function faultOf({ samples, rateHz }: Take): Fault | null {
	const found = checkSample(samples, rateHz, ANY_LENGTH).faults.find((fault) => faults.has(fault));
	// A hum is noise too, but naming it suggests the remedy.
	if ((found === undefined || found === 'noisy') && hums(samples, rateHz)) return 'hum';
	return (found as Fault | undefined) ?? null;
}

/** Records five seconds of the microphone as the service would hear it, plays them back, and names any fault. */
export function MicrophoneTest({ isRunning }: { readonly isRunning: boolean }) {
	const { t, i18n } = useTranslation();
	const { sound, clock, settings } = useParts();
	const [step, setStep] = useState<Step>({ at: 'idle' });
	const [other, setOther] = useState<SoundDevice | null>(null);
	const ending = useRef<AbortController | null>(null);
	const level = useRef<() => number>(() => 0);
	const busy = step.at === 'opening' || step.at === 'recording' || step.at === 'playing';

	// Leaving the panel, or Start, ends the test and releases the microphone.
	useEffect(() => {
		if (!isRunning) return;
		ending.current?.abort();
		setStep({ at: 'idle' });
	}, [isRunning]);
	useEffect(() => () => ending.current?.abort(), []);

	async function test(): Promise<void> {
		const end = new AbortController();
		ending.current = end;
		setOther(null);
		setStep({ at: 'opening' });
		const take = await record(end.signal);
		if (take === null || end.signal.aborted) return;
		const { speechDb } = checkSample(take.samples, take.rateHz, ANY_LENGTH);
		const fault = faultOf(take);
		if (fault !== 'silent') {
			setStep({ at: 'playing', speechDb, fault });
			const played = await sound.play(take, end.signal);
			if (end.signal.aborted) return;
			if (!played.ok) return setStep({ at: 'failed', problem: played.error });
		}
		setStep({ at: 'done', speechDb, fault });
		if (fault !== 'silent' && fault !== 'quiet') return;
		const found = await sound.liveliest();
		if (!end.signal.aborted) setOther(found);
	}

	function record(signal: AbortSignal): Promise<Take | null> {
		return new Promise((done) => {
			void sound
				.record({ mostMs: TEST_MS, signal, ended: () => done(begun?.stop() ?? null) })
				.then((opened) => {
					if (signal.aborted) return done(null);
					if (!opened.ok) {
						setStep({ at: 'failed', problem: opened.error });
						return done(null);
					}
					begun = opened.value;
					level.current = opened.value.level;
					setStep({ at: 'recording' });
				});
			let begun: { stop(): Take } | null = null;
			signal.addEventListener('abort', () => done(null), { once: true });
		});
	}

	function stop(): void {
		ending.current?.abort();
		setStep({ at: 'idle' });
	}

	const format = new Intl.NumberFormat(i18n.language, { maximumFractionDigits: 0 });
	return (
		<>
			<div className={styles.proof}>
				<LevelMeter
					label={t('sound.microphoneLevel')}
					level={() => (step.at === 'recording' ? level.current() : sound.microphoneLevel())}
					active={step.at === 'recording' || isRunning}
					clock={clock}
				/>
				{!isRunning && (
					<Button onPress={() => (busy ? stop() : void test())}>
						{t(busy ? 'micTest.stop' : 'sound.listenIn')}
					</Button>
				)}
			</div>
			<div role="status">
				{step.at === 'opening' && <p>{t('micTest.opening')}</p>}
				{step.at === 'recording' && <p>{t('micTest.recording')}</p>}
				{step.at === 'playing' && <p>{t('micTest.playing')}</p>}
				{step.at === 'done' && (
					<p>
						{t(step.fault ? `micTest.fault.${step.fault}` : 'micTest.good')}{' '}
						{step.fault !== 'silent' &&
							t('micTest.level', { level: isolate(`${format.format(Math.round(step.speechDb))} dB`) })}
					</p>
				)}
			</div>
			{step.at === 'done' && other && (
				<p>
					{t('micTest.other', { name: isolate(other.label) })}{' '}
					<Button
						look="quiet"
						onPress={() => {
							void settings.write({ microphone: { id: other.id, label: other.label } });
							setOther(null);
							setStep({ at: 'idle' });
						}}
					>
						{t('sound.useInstead', { name: isolate(other.label) })}
					</Button>
				</p>
			)}
			{step.at === 'failed' && <ProblemNotice problem={step.problem} />}
		</>
	);
}
