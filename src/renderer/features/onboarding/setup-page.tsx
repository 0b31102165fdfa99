import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '#renderer/ui/button.tsx';
import { Icon } from '#renderer/ui/icon.tsx';
import page from '#renderer/ui/page.module.css';
import { useParts } from '#renderer/window/parts.ts';
import { AccountStep, LanguagesStep } from './choice-steps.tsx';
import { RehearsalStep } from './rehearsal-step.tsx';
import styles from './setup-page.module.css';
import { type SetupStep, setupSteps, useSetup } from './setup-steps.ts';
import { MicrophoneStep, OutputStep } from './sound-steps.tsx';

const bodies: { readonly [Step in SetupStep]: (done: () => void) => ReactNode } = {
	account: (done) => <AccountStep done={done} />,
	microphone: (done) => <MicrophoneStep done={done} />,
	output: (done) => <OutputStep done={done} />,
	languages: (done) => <LanguagesStep done={done} />,
	rehearsal: (done) => <RehearsalStep done={done} />,
};

/** The first run as a list: each step can be left, taken up later, and done again. */
export function SetupPage() {
	const { t } = useTranslation();
	const { navigation } = useParts();
	const { setup, finish } = useSetup();
	const firstLeft = setupSteps.find((step) => !setup.done.includes(step)) ?? null;
	const [chosen, setChosen] = useState<SetupStep | null>(null);
	const open = chosen ?? firstLeft;

	function done(step: SetupStep): void {
		finish(step);
		const rest = setupSteps.filter((one) => one !== step && !setup.done.includes(one));
		setChosen(rest.find((one) => setupSteps.indexOf(one) > setupSteps.indexOf(step)) ?? rest[0] ?? null);
	}

	return (
		<main className={page.page}>
			<div className={page.column}>
				<h1 className={page.title}>{t('setup.title')}</h1>
				<p className={page.lead}>{t('setup.lead')}</p>
				<ol className={styles.steps}>
					{setupSteps.map((step) => {
						const isDone = setup.done.includes(step);
						const isOpen = open === step;
						return (
							<li key={step} className={page.card} data-step={step} data-done={isDone}>
								<div className={styles.stepHead}>
									<Icon name={isDone ? 'check' : 'target'} />
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
