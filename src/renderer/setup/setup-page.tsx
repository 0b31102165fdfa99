import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useParts } from '#renderer/shell/parts.ts';
import { Button } from '#renderer/ui/button.tsx';
import { Icon } from '#renderer/ui/icon.tsx';
import page from '#renderer/ui/page.module.css';
import { PageHead } from '#renderer/ui/page-head.tsx';
import { AccountStep, LanguagesStep } from './choice-steps.tsx';
import { RehearsalStep } from './rehearsal-step.tsx';
import styles from './setup-page.module.css';
import { MicrophoneStep, OutputStep } from './sound-steps.tsx';
import { type SetupStep, setupSteps, useSetup } from './use-setup.ts';

const bodies: { readonly [Step in SetupStep]: (done: () => void) => ReactNode } = {
	account: (done) => <AccountStep done={done} />,
	microphone: (done) => <MicrophoneStep done={done} />,
	output: (done) => <OutputStep done={done} />,
	languages: (done) => <LanguagesStep done={done} />,
	rehearsal: (done) => <RehearsalStep done={done} />,
};

/** The first run as a list: each step can be skipped, taken up later, and repeated. */
export function SetupPage() {
	const { t, i18n } = useTranslation();
	const { navigation } = useParts();
	const { setup, finish } = useSetup();
	const firstLeft = setupSteps.find((step) => !setup.done.includes(step)) ?? null;
	const [chosen, setChosen] = useState<SetupStep | null>(null);
	const open = chosen ?? firstLeft;
	const number = (value: number) => new Intl.NumberFormat(i18n.language).format(value);
	const ready = setupSteps.filter((step) => setup.done.includes(step)).length;

	function done(step: SetupStep): void {
		finish(step);
		// Its button says so.
		if (step === 'rehearsal') navigation.go('live');
		const rest = setupSteps.filter((one) => one !== step && !setup.done.includes(one));
		setChosen(rest.find((one) => setupSteps.indexOf(one) > setupSteps.indexOf(step)) ?? rest[0] ?? null);
	}

	return (
		<main className={page.page}>
			<div className={page.column}>
				<PageHead title={t('setup.title')} lead={t('setup.lead')} />
				<p role="status" className={styles.stepState}>
					{t('setup.progress', { done: number(ready), all: number(setupSteps.length) })}
				</p>
				<ol className={`${page.card} ${styles.steps}`}>
					{setupSteps.map((step, index) => {
						const isDone = setup.done.includes(step);
						const isOpen = open === step;
						return (
							<li key={step} className={styles.step} data-step={step} data-done={isDone}>
								<div className={styles.stepHead}>
									<span className={styles.stepMark} aria-hidden="true">
										{isDone ? <Icon name="check" size={16} /> : number(index + 1)}
									</span>
									<h2 className={`${page.cardTitle} ${styles.stepTitle}`}>{t(`setup.step.${step}`)}</h2>
									<span className={styles.stepState}>{t(isDone ? 'setup.done' : 'setup.open')}</span>
									{!isOpen && (
										<Button
											aria-label={`${t('setup.show')}: ${t(`setup.step.${step}`)}`}
											onPress={() => setChosen(step)}
										>
											{t('setup.show')}
										</Button>
									)}
								</div>
								{isOpen && <div className={styles.stepBody}>{bodies[step](() => done(step))}</div>}
							</li>
						);
					})}
				</ol>
				<div>
					<Button look={firstLeft === null ? 'primary' : 'plain'} onPress={() => navigation.go('live')}>
						{t(firstLeft === null ? 'setup.toConversation' : 'setup.later')}
					</Button>
				</div>
			</div>
		</main>
	);
}
