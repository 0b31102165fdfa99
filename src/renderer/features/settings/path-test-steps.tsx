import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { Icon } from '#renderer/ui/icon.tsx';
import { problemWords } from '#renderer/window/components/problem-notice.tsx';
import { seconds } from '#renderer/window/words/format.ts';
import { isolate } from '#renderer/window/words/i18n.ts';
import { isTooQuiet, type PathOutcome, type PathStep, pathSteps } from '#shared/routing/path-outcome.ts';
import styles from './call-route.module.css';

type StepState = 'waiting' | 'running' | 'passed' | 'failed';

/** The state of each step. */
function stateOf(at: PathStep, running: PathStep | null, outcome: PathOutcome | null): StepState {
	const here = pathSteps.indexOf(at);
	if (outcome?.passed) return 'passed';
	const now = outcome ? outcome.step : running;
	const there = now === null ? -1 : pathSteps.indexOf(now);
	if (here < there) return 'passed';
	if (here > there) return 'waiting';
	return outcome ? 'failed' : 'running';
}

export interface PathTestStepsProps {
	readonly running: PathStep | null;
	readonly outcome: PathOutcome | null;
	/** The virtual microphone is ours: remaking it repairs its volumes. */
	readonly isOwn: boolean;
}

/** The steps of the test as a list, and what came of it in a sentence that is announced. */
export function PathTestSteps({ running, outcome, isOwn }: PathTestStepsProps) {
	const { t, i18n } = useTranslation();
	return (
		<>
			{(running !== null || outcome) && (
				<ol className={styles.steps} aria-label={t('callRoute.steps')}>
					{pathSteps.map((step) => {
						const state = stateOf(step, running, outcome);
						return (
							<li key={step} data-step={step} data-state={state}>
								<span className={styles.mark} aria-hidden="true">
									{state === 'passed' && <Icon name="check" size={16} />}
									{state === 'failed' && <Icon name="close" size={16} />}
								</span>
								{t(`callRoute.step.${step}`)}{' '}
								<span className={styles.state}>{t(`callRoute.stepState.${state}`)}</span>
							</li>
						);
					})}
				</ol>
			)}
			<p role="status" className={outcome ? styles.outcome : undefined} data-passed={outcome?.passed}>
				{outcome && outcomeWords(outcome, isOwn, t, i18n.language)}
			</p>
		</>
	);
}

/** What was found, and what to do about it. */
function outcomeWords(outcome: PathOutcome, isOwn: boolean, t: TFunction, locale: string): string {
	if (outcome.passed) {
		const works = t('callRoute.works', { delay: seconds(outcome.delayMs, locale) });
		return isTooQuiet(outcome) ? `${works} ${t('callRoute.quiet')}` : works;
	}
	switch (outcome.step) {
		case 'speaker':
		case 'microphone':
			return t(`callRoute.broken.${outcome.step}`, { name: isolate(outcome.label) });
		case 'open':
		case 'play':
			return problemWords(outcome.problem, t, locale);
		case 'hear': {
			const remedy = t(isOwn ? 'callRoute.remedyOwn' : 'callRoute.remedyCable');
			return `${t(`callRoute.heard.${outcome.heard}`)} ${remedy}`;
		}
	}
}
