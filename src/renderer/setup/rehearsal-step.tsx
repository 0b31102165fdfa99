import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { isUnderWay } from '#renderer/conversation/live-changes.ts';
import { duration } from '#renderer/i18n/format.ts';
import { ProblemNotice } from '#renderer/problems/problem-notice.tsx';
import { useParts } from '#renderer/shell/parts.ts';
import { Button } from '#renderer/ui/button.tsx';
import { ButtonRow } from '#renderer/ui/button-row.tsx';
import { Icon } from '#renderer/ui/icon.tsx';
import { rehearsalSteps } from './rehearsal.ts';
import styles from './setup-page.module.css';
import type { StepProps } from './sound-steps.tsx';

/** Sends a known phrase the whole way; each step is ticked when reached, with its time. */
export function RehearsalStep({ done }: StepProps) {
	const { t, i18n } = useTranslation();
	const { rehearsal, conversation, navigation } = useParts();
	const { state, reached, understood, translated, problem } = useStore(rehearsal.store);
	const busy = useStore(conversation.store, ({ phase }) => isUnderWay(phase));
	const running = state === 'running';
	const missing = rehearsalSteps.find((step) => !(step in reached));
	const texts: Readonly<Record<string, string>> = { understood, translated };

	// Somebody who leaves does not want to pay for it.
	useEffect(() => () => void rehearsal.stop(), [rehearsal]);

	// What grows below the button that was pressed is what one waits for: the step is the last of a list.
	const way = useRef<HTMLOListElement>(null);
	useEffect(() => {
		if (state !== 'idle') way.current?.closest('li')?.scrollIntoView({ block: 'nearest' });
	}, [state]);

	return (
		<>
			<p>{t(busy ? 'setup.rehearsalBusy' : 'setup.rehearsalLead')}</p>
			<ButtonRow apart>
				{running ? (
					<Button onPress={() => void rehearsal.stop()}>{t('setup.rehearsalStop')}</Button>
				) : (
					<Button
						look={state === 'passed' ? 'plain' : 'primary'}
						isDisabled={busy}
						onPress={() => void rehearsal.run()}
					>
						{t(state === 'idle' ? 'setup.rehearsalStart' : 'setup.rehearsalAgain')}
					</Button>
				)}
			</ButtonRow>
			{state !== 'idle' && (
				<ol ref={way} className={styles.way} aria-label={t('setup.rehearsalWay')}>
					{rehearsalSteps.map((step) => (
						<li key={step} className={styles.wayStep} data-rehearsed={step in reached}>
							<Icon name={step in reached ? 'check' : 'clock'} size={16} />
							<p>
								{t(`setup.way.${step}`)}{' '}
								{reached[step] !== undefined && <span>{duration(reached[step], i18n.language)}</span>}{' '}
								{texts[step] && (
									<bdi className={styles.wayText} dir="auto">
										{texts[step]}
									</bdi>
								)}
							</p>
						</li>
					))}
				</ol>
			)}
			{problem && <ProblemNotice problem={problem} />}
			{state === 'failed' && !problem && missing && (
				<p role="alert">{t('setup.rehearsalFailed', { step: t(`setup.way.${missing}`) })}</p>
			)}
			{state === 'failed' && (
				<div>
					<Button onPress={() => navigation.go('diagnostics')}>{t('settings.openDiagnostics')}</Button>
				</div>
			)}
			{state === 'passed' && (
				<ButtonRow apart>
					<p role="status">
						{t('setup.rehearsalPassed', { delay: duration(reached.heard ?? 0, i18n.language) })}
					</p>
					<Button look="primary" onPress={done}>
						{t('setup.finish')}
					</Button>
				</ButtonRow>
			)}
		</>
	);
}
