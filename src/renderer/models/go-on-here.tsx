import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { choicesOf, planOf } from '#renderer/conversation/choices.ts';
import { useStartAgain } from '#renderer/conversation/use-recover.ts';
import { hereBlock } from '#renderer/conversation/use-start.ts';
import { NoticeLine, ProblemNotice } from '#renderer/problems/problem-notice.tsx';
import { useParts } from '#renderer/shell/parts.ts';
import type { Problem } from '#shared/problem.ts';

/**
 * The service cannot be reached, but this computer has the models for these languages: the conversation can go on here,
 * with the same captions. Shows nothing where it cannot.
 */
export function GoOnHere() {
	const { t } = useTranslation();
	const { account, models, settings } = useParts();
	const startAgain = useStartAgain();
	const view = useStore(models.store);
	const status = useStore(account.store, (all) => all.status);
	const values = useStore(settings.store, (all) => all.values);
	const [isGoing, setGoing] = useState(false);
	const [failure, setFailure] = useState<Problem | null>(null);
	useEffect(() => void models.load(), [models]);

	// As it would be once it was chosen.
	const here = { models: view, account: { ...status, sandbox: 'running' as const } };
	if (hereBlock(here, planOf(choicesOf(values)))) return null;
	if (failure) return <ProblemNotice problem={failure} onDismiss={() => setFailure(null)} />;

	async function go(): Promise<void> {
		if (isGoing) return;
		setGoing(true);
		const chosen = await account.choose('local');
		setGoing(false);
		if (chosen.ok) startAgain();
		else setFailure(chosen.error);
	}

	return (
		<NoticeLine
			tone="info"
			text={t('models.goOnHint')}
			action={{ label: t('models.goOn'), take: () => void go() }}
		/>
	);
}
