import { useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { choicesOf, planOf } from '#renderer/conversation/choices.ts';
import { isUnderWay } from '#renderer/conversation/live-changes.ts';
import { useStartAgain } from '#renderer/conversation/use-recover.ts';
import { hereBlock } from '#renderer/conversation/use-start.ts';
import { NoticeLine, ProblemNotice } from '#renderer/problems/problem-notice.tsx';
import { useParts } from '#renderer/shell/parts.ts';
import type { Problem } from '#shared/problem.ts';

/** A line is often back within this, ms. */
const PATIENCE_MS = 10_000;

/**
 * The service cannot be reached, but this computer has the models for these languages: the conversation goes on here,
 * with the same captions. Asked the first time, by itself from then on. Shows nothing where it cannot.
 */
export function GoOnHere() {
	const { t } = useTranslation();
	const { account, clock, conversation, models, settings } = useParts();
	const move = useMove();
	const view = useStore(models.store);
	const status = useStore(account.store, (all) => all.status);
	const values = useStore(settings.store, (all) => all.values);
	const sinceMs = useStore(conversation.store, ({ recovering }) => recovering?.sinceMs ?? null);
	const [isLong, setLong] = useState(sinceMs === null);
	const [failure, setFailure] = useState<Problem | null>(null);
	const isAsked = !values.takeOverHere;
	useEffect(() => void models.load(), [models]);
	useEffect(() => {
		if (sinceMs === null) return;
		setLong(false);
		return clock.after(Math.max(0, sinceMs + PATIENCE_MS - clock.now()), () => setLong(true));
	}, [clock, sinceMs]);

	// As it would be once it was chosen.
	const here = { models: view, account: { ...status, sandbox: 'running' as const } };
	const isPossible = isLong && hereBlock(here, planOf(choicesOf(values))) === null;

	const go = useCallback(async () => {
		const problem = await move('local');
		if (problem?.kind === 'cancelled') return;
		setFailure(problem);
		if (problem) return;
		models.tookOver.setState(true, true);
		void settings.write({ takeOverHere: true });
	}, [models, move, settings]);

	useEffect(() => {
		if (isPossible && !isAsked && !failure) void go();
	}, [isPossible, isAsked, failure, go]);

	if (!isPossible) return null;
	if (failure) return <ProblemNotice problem={failure} onDismiss={() => setFailure(null)} />;
	if (!isAsked) return null;
	return (
		<NoticeLine
			tone="info"
			text={t('models.goOnHint')}
			action={{ label: t('models.goOn'), take: () => void go() }}
		/>
	);
}

/** The way back to the service that could not be reached. */
export function GoBack() {
	const { t } = useTranslation();
	const { models } = useParts();
	const move = useMove();
	const [failure, setFailure] = useState<Problem | null>(null);
	if (failure) return <ProblemNotice problem={failure} onDismiss={() => setFailure(null)} />;
	return (
		<NoticeLine
			tone="info"
			text={t('models.tookOver')}
			action={{
				label: t('models.goBack'),
				take: () =>
					void move('service').then((problem) => problem?.kind !== 'cancelled' && setFailure(problem)),
			}}
			dismiss={{ label: t('notice.dismiss'), take: () => models.tookOver.setState(false, true) }}
		/>
	);
}

/** Has something else interpret, and goes on with the conversation that runs or has failed. Resolves to why it cannot. */
function useMove(): (service: 'local' | 'service') => Promise<Problem | null> {
	const { account, conversation } = useParts();
	const startAgain = useStartAgain(true);
	const isMoving = useRef(false);
	return useCallback(
		async (service) => {
			if (isMoving.current) return { kind: 'cancelled' };
			isMoving.current = true;
			const { phase } = conversation.store.getState();
			const goesOn = isUnderWay(phase) || phase === 'failed';
			// What was interpreting until now would speak into the next.
			if (isUnderWay(phase)) await conversation.stopNow();
			const chosen = await account.choose(service);
			isMoving.current = false;
			if (!chosen.ok) return chosen.error;
			if (goesOn) startAgain();
			return null;
		},
		[account, conversation, startAgain],
	);
}
