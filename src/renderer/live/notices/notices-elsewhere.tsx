import { useState } from 'react';
import { useStore } from 'zustand';
import { CreditNotice } from '#renderer/account/credit.tsx';
import { isRunning } from '#renderer/conversation/live-changes.ts';
import { useLegView, useOwnProblem, useTwoLegs } from '#renderer/conversation/use-legs.ts';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { NoticeLine, ProblemNotice, problemSentence } from '#renderer/problems/problem-notice.tsx';
import { useParts } from '#renderer/shell/parts.ts';
import bar from '#renderer/ui/notices.module.css';
import { legNames } from '#shared/leg-name.ts';
import { QuietNotice } from './notice-view.tsx';
import { useLegWords } from './notices.tsx';

/** On other pages than the live page: shows what failed, paused by itself or will soon have to end. */
export function NoticesElsewhere() {
	const { t, i18n } = useTranslation();
	const { conversation, legs, quiet, creditUse, navigation } = useParts();
	const problem = useOwnProblem();
	// Earlier failures were shown on the live page.
	const [known] = useState(problem);
	const { problemAbout } = useLegWords();
	const running = useStore(conversation.store, ({ phase }) => isRunning(phase));
	const twoLegs = useTwoLegs();
	const views = {
		outgoing: useLegView(legs.outgoing.conversation),
		incoming: useLegView(legs.incoming.conversation),
	};
	const isQuiet = useStore(quiet, (view) => view.quietMs !== null);
	const isLow = useStore(creditUse, (view) => view.lastsMs !== null && !view.isPutAway);
	const failed = problem !== known && problem?.kind !== 'cancelled' ? problem : null;
	const stopped = running && twoLegs ? legNames.filter((name) => views[name].phase === 'failed') : [];
	if (!failed && stopped.length === 0 && !isQuiet && !isLow) return null;
	const toConversation = { label: t('setup.toConversation'), take: () => navigation.go('live') };
	return (
		<aside className={bar.notices} aria-label={t('live.title')}>
			{failed && <ProblemNotice problem={failed} about={problemAbout} others={[toConversation]} />}
			{stopped.map((name) => {
				const own = views[name].problem;
				const words = own ? problemSentence(own, t, i18n.language) : '';
				return (
					<NoticeLine
						key={name}
						tone="warning"
						text={t('legs.failed', { leg: t(`legs.${name}`), words })}
						problem={own ?? undefined}
						action={toConversation}
					/>
				);
			})}
			<QuietNotice />
			<CreditNotice />
		</aside>
	);
}
