import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { NoticeLine } from '#renderer/window/components/problem-notice.tsx';
import { useParts } from '#renderer/window/parts.ts';
import { useTwoLegs } from '#renderer/window/use-legs.ts';
import { useStartAgain } from '#renderer/window/use-recover.ts';
import { sessionsNeeded } from '#shared/conversation/sessions-needed.ts';
import type { SessionRow } from '#shared/host/contract.ts';

/** After Start failed for lack of a session: how many sessions are open, and Start again. */
export function NoSessionLeft({ rows }: { readonly rows: readonly SessionRow[] | null }) {
	const { t, i18n } = useTranslation();
	const { conversation, navigation } = useParts();
	const problem = useStore(conversation.store, (view) => view.problem);
	const startAgain = useStartAgain();
	const twoLegs = useTwoLegs();
	if (problem?.kind !== 'session-limit' && problem?.kind !== 'session-uncertain') return null;
	const number = (value: number) => new Intl.NumberFormat(i18n.language).format(value);
	const ours = rows?.filter(({ owner }) => owner.startsWith('this-')).length ?? 0;
	const sentences = [
		t(problem.kind === 'session-limit' ? 'sessions.limit' : 'sessions.uncertain'),
		t('sessions.needs', { number: number(sessionsNeeded(twoLegs ? 'both-ways' : 'one-way')) }),
		rows ? t('sessions.counts', { open: number(rows.length), ours: number(ours) }) : '',
	];

	function tryAgain(): void {
		navigation.go('live');
		startAgain();
	}

	return (
		<NoticeLine
			tone="warning"
			text={sentences.filter((text) => text !== '').join(' ')}
			action={{ label: t('recovery.retry'), take: tryAgain }}
		/>
	);
}
