import { useCallback, useEffect, useState } from 'react';
import { useStore } from 'zustand';
import { canGoOnHere } from '#renderer/conversation/keep-unsent.ts';
import { isUnderWay } from '#renderer/conversation/live-changes.ts';
import { useStartAgain } from '#renderer/conversation/use-recover.ts';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { NoticeLine, ProblemNotice, problemSentence } from '#renderer/problems/problem-notice.tsx';
import { useParts } from '#renderer/shell/parts.ts';
import type { Problem } from '#shared/problem.ts';

/** A connection is often back within this time, ms. */
const PATIENCE_MS = 10_000;

/**
 * Lets this computer take over while the service cannot be reached (`isAway`), and offers the return to the
 * service afterwards.
 */
export function TakeOver({ isAway }: { readonly isAway: boolean }) {
	const { models } = useParts();
	const { isHere, problem } = useStore(models.takeOver);
	if (isHere) return <GoBack />;
	return (isAway || problem) && <GoOnHere isAway={isAway} />;
}

/**
 * The service cannot be reached, but this computer has the models for these languages: the conversation continues
 * here, with the same captions. Asks the user the first time, then takes over automatically until that fails.
 * Shows nothing if this computer cannot take over.
 */
function GoOnHere({ isAway }: { readonly isAway: boolean }) {
	const { t, i18n } = useTranslation();
	const { account, models, navigation, settings } = useParts();
	const move = useMove();
	const view = useStore(models.store);
	const status = useStore(account.store, (all) => all.status);
	const shown = useStore(settings.store);
	const { hasFailed, problem } = useStore(models.takeOver);
	const isLong = useIsLong();
	useEffect(() => void models.load(), [models]);

	const isPossible = isAway && isLong && canGoOnHere(shown, status, view);
	const isByItself = isPossible && shown.values.takeOverHere && !hasFailed;

	const go = useCallback(
		() =>
			move('local', (why) => {
				models.takeOver.setState({ isHere: why === null, hasFailed: why !== null, problem: why });
				if (why === null) void settings.write({ takeOverHere: true });
			}),
		[models, move, settings],
	);
	useEffect(() => {
		if (isByItself) void go();
	}, [isByItself, go]);

	const isMissing = problem?.kind === 'model-damaged' && !canGoOnHere(shown, status, view);
	if (problem)
		return (
			<NoticeLine
				tone="problem"
				text={problemSentence(problem, t, i18n.language)}
				problem={problem}
				action={
					isMissing
						? { label: t('models.changeModels'), take: () => navigation.go('settings', 'models') }
						: { label: t('recovery.retry'), take: () => void go() }
				}
				dismiss={{
					label: t('notice.dismiss'),
					take: () => models.takeOver.setState({ problem: null }),
				}}
			/>
		);
	if (!isPossible || isByItself) return null;
	return (
		<NoticeLine
			tone="info"
			text={t('models.goOnHint')}
			action={{ label: t('models.goOn'), take: () => void go() }}
		/>
	);
}

/** True if the connection has been lost for long, or is not being restored. */
function useIsLong(): boolean {
	const { clock, conversation } = useParts();
	const sinceMs = useStore(conversation.store, ({ recovering }) => recovering?.sinceMs ?? null);
	const [longSinceMs, setLongSinceMs] = useState<number | null>(null);
	useEffect(() => {
		if (sinceMs === null) return;
		const leftMs = sinceMs + PATIENCE_MS - clock.now();
		if (leftMs > 0) return clock.after(leftMs, () => setLongSinceMs(sinceMs));
		setLongSinceMs(sinceMs);
	}, [clock, sinceMs]);
	return sinceMs === null || sinceMs === longSinceMs;
}

/** Offers to return to the service that could not be reached. */
function GoBack() {
	const { t } = useTranslation();
	const { models } = useParts();
	const move = useMove();
	const [failure, setFailure] = useState<Problem | null>(null);
	if (failure) return <ProblemNotice problem={failure} onDismiss={() => setFailure(null)} />;
	return (
		<NoticeLine
			tone="info"
			text={t('models.tookOver')}
			action={{ label: t('models.goBack'), take: () => void move('service', setFailure) }}
			dismiss={{ label: t('notice.dismiss'), take: () => models.takeOver.setState({ isHere: false }) }}
		/>
	);
}

/**
 * Changes the interpreter and continues the conversation that runs or has failed; if that is impossible, changes
 * back. `moved` gets the reason of a failure, or null. Does nothing during another change.
 */
function useMove() {
	const { account, conversation, models } = useParts();
	const startAgain = useStartAgain(true);
	return useCallback(
		async (service: 'local' | 'service', moved: (why: Problem | null) => void): Promise<void> => {
			if (models.takeOver.getState().isMoving) return;
			models.takeOver.setState({ isMoving: true });
			const { phase } = conversation.store.getState();
			const isStopped = isUnderWay(phase);
			// Otherwise the previous interpreter would speak at the same time as the next one.
			if (isStopped) await conversation.stopNow();
			const chosen = await account.choose(service);
			moved(chosen.ok ? null : chosen.error);
			if (isStopped || (chosen.ok && phase === 'failed')) startAgain();
			models.takeOver.setState({ isMoving: false });
		},
		[account, conversation, models, startAgain],
	);
}
