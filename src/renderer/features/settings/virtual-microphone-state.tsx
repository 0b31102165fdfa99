import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { Button } from '#renderer/ui/button.tsx';
import { ButtonRow } from '#renderer/ui/button-row.tsx';
import { NoticeLine, problemSentence } from '#renderer/window/components/problem-notice.tsx';
import { isRunning } from '#renderer/window/live-changes.ts';
import { useParts } from '#renderer/window/parts.ts';
import { isolate } from '#renderer/window/words/i18n.ts';
import type { Problem } from '#shared/problem.ts';
import { findCables, guidesFor } from '#shared/routing/cables.ts';
import styles from './call-route.module.css';

/** Makes and removes the virtual microphone; on systems where programs cannot, finds a cable or says how to get one. */
export function VirtualMicrophoneState() {
	const { t, i18n } = useTranslation();
	const { routing, conversation } = useParts();
	const virtual = useStore(routing.store, (state) => state.virtualMicrophone);
	const live = useStore(conversation.store, ({ phase }) => isRunning(phase));
	/** The call itself failed, so that main has nothing to announce. */
	const [refused, setRefused] = useState<Problem | null>(null);
	if (virtual.state === 'unsupported') return <Cables />;
	const problem = virtual.state === 'failed' ? virtual.problem : refused;

	async function run(work: typeof routing.make): Promise<void> {
		setRefused(null);
		const done = await work();
		if (!done.ok) setRefused(done.error);
	}

	return (
		<div className={styles.virtual} data-virtual={virtual.state}>
			{problem ? (
				<NoticeLine
					tone="problem"
					problem={problem}
					text={problemSentence(problem, t, i18n.language)}
					action={{ label: t('recovery.retry'), take: () => void run(routing.make) }}
				/>
			) : (
				<p role="status">{virtual.state !== 'failed' && t(`callRoute.virtual.${virtual.state}`)}</p>
			)}
			<ButtonRow>
				{(virtual.state === 'none' || virtual.state === 'making') && (
					<Button
						look="primary"
						isDisabled={virtual.state === 'making'}
						onPress={() => void run(routing.make)}
					>
						{t('callRoute.make')}
					</Button>
				)}
				{(virtual.state === 'ready' || virtual.state === 'removing') && (
					<>
						<Button isDisabled={virtual.state === 'removing'} onPress={() => void run(routing.make)}>
							{t('callRoute.repair')}
						</Button>
						<Button
							isDisabled={live || virtual.state === 'removing'}
							onPress={() => void run(routing.remove)}
						>
							{t('callRoute.remove')}
						</Button>
					</>
				)}
			</ButtonRow>
		</div>
	);
}

function Cables() {
	const { t } = useTranslation();
	const { sound, host, info } = useParts();
	const { outputs, microphones } = useStore(sound.store);
	const cables = findCables(outputs, microphones);
	if (cables.length > 0)
		return (
			<p role="status">
				{t('callRoute.cableFound', { name: isolate(cables.map(({ output }) => output.label).join(', ')) })}
			</p>
		);
	return (
		<div className={styles.virtual}>
			<p role="status">{t('callRoute.cableNone')}</p>
			<ol className={styles.guide}>
				<li>{t('callRoute.guideInstall')}</li>
				<li>{t('callRoute.guideRestart')}</li>
				<li>{t('callRoute.guideReturn')}</li>
			</ol>
			<ButtonRow>
				{guidesFor(info.platform).map((guide) => (
					<Button key={guide} onPress={() => void host.ask('routing.open-guide', { guide })}>
						{t(`callRoute.guide.${guide}`)}
					</Button>
				))}
			</ButtonRow>
		</div>
	);
}
