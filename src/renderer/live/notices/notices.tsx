import { Suspense } from 'react';
import { useStore } from 'zustand';
import type { Notice } from '#renderer/conversation/conversation-store.ts';
import { useOwnProblem } from '#renderer/conversation/use-own-problem.ts';
import { useStartAgain } from '#renderer/conversation/use-recover.ts';
import { ProblemNotice } from '#renderer/problems/problem-notice.tsx';
import { useParts } from '#renderer/shell/parts.ts';
import { lazily } from '#renderer/ui/lazily.ts';
import bar from '#renderer/ui/notices.module.css';
import { AwayNotices } from './away-notice.tsx';
import { SilenceNotice, useSilence } from './silence-notice.tsx';
import { useLegWords } from './use-leg-words.ts';

const ReplayNotice = lazily(async () => (await import('#renderer/replay/replay-notice.tsx')).ReplayNotice);
const QuietNotice = lazily(async () => (await import('./quiet-notice.tsx')).QuietNotice);
const CreditNotice = lazily(async () => (await import('#renderer/account/credit-notice.tsx')).CreditNotice);
const GuestsNotice = lazily(async () => (await import('#renderer/guests/guests-notice.tsx')).GuestsNotice);
/** Lazy, so that no start waits for it. */
const NoticeView = lazily(async () => (await import('./notice-view.tsx')).NoticeView);

/** Notices that repeat what a named silent stage already says. */
const SAID_BETTER: ReadonlySet<Notice['kind']> = new Set(['silent-microphone', 'you-are-muted']);

/** What went wrong or wants attention: one line and one action each, never a dialog over the conversation. */
export function Notices() {
	const { conversation, settings, replay, quiet, creditUse, guests } = useParts();
	const problem = useOwnProblem();
	const startAgain = useStartAgain();
	const notice = useStore(conversation.store, (view) => view.notice);
	const { problemAbout, noticeAbout } = useLegWords();
	const settingsProblem = useStore(settings.store, (view) => view.problem);
	const silence = useSilence();
	const { row, catchingUp, nothing } = useStore(replay.store);
	const isAgain = row !== null || catchingUp || nothing;
	const isQuiet = useStore(quiet, (view) => view.quietMs !== null);
	const isLow = useStore(creditUse, (view) => view.lastsMs !== null && !view.isPutAway);
	const isShared = useStore(guests.store, (view) => view.sharing);
	const isOfConversation = isQuiet || isLow || isShared || isAgain;
	if (!problem && !notice && !settingsProblem && !silence && !isOfConversation) return <AwayNotices />;
	return (
		<>
			<AwayNotices />
			<div className={bar.notices}>
				{problem && problem.kind !== 'cancelled' && (
					<ProblemNotice problem={problem} about={problemAbout} onRetry={startAgain} />
				)}
				<SilenceNotice />
				{isQuiet && (
					<Suspense fallback={null}>
						<QuietNotice />
					</Suspense>
				)}
				{isLow && (
					<Suspense fallback={null}>
						<CreditNotice />
					</Suspense>
				)}
				{isShared && (
					<Suspense fallback={null}>
						<GuestsNotice />
					</Suspense>
				)}
				{isAgain && (
					<Suspense fallback={null}>
						<ReplayNotice />
					</Suspense>
				)}
				{notice && !(silence && SAID_BETTER.has(notice.kind)) && (
					<Suspense fallback={null}>
						<NoticeView notice={notice} about={noticeAbout} />
					</Suspense>
				)}
				{settingsProblem && <ProblemNotice problem={settingsProblem} tone="warning" />}
			</div>
		</>
	);
}
