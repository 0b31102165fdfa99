import { Suspense, useEffect, useState } from 'react';
import { useStore } from 'zustand';
import type { Conversation, ConversationView, Notice } from '#renderer/conversation/conversation.ts';
import { useOwnProblem, useTwoLegs } from '#renderer/conversation/use-legs.ts';
import { useStartAgain } from '#renderer/conversation/use-recover.ts';
import { useFacing } from '#renderer/face-to-face/use-facing.ts';
import { duration } from '#renderer/i18n/format.ts';
import { isolate } from '#renderer/i18n/i18n.ts';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { lazilyWithWords } from '#renderer/i18n/use-words.ts';
import { NoticeLine, ProblemNotice } from '#renderer/problems/problem-notice.tsx';
import type { Place } from '#renderer/shell/navigation.ts';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import { useNow } from '#renderer/shell/use-now.ts';
import type { SoundDevice } from '#renderer/sound/sound.ts';
import bar from '#renderer/ui/notices.module.css';
import { sessionsNeeded } from '#shared/conversation/choices.ts';
import type { SilentStage } from '#shared/conversation/silence.ts';
import type { LegName } from '#shared/leg-name.ts';
import { recoveryOf } from '#shared/problem.ts';
import { otherMicrophone } from '#shared/sound/devices.ts';

const ReplayNotice = lazilyWithWords(
	async () => (await import('#renderer/live/notices/notice-view.tsx')).ReplayNotice,
);
const QuietNotice = lazilyWithWords(async () => (await import('./notice-view.tsx')).QuietNotice);
const CreditNotice = lazilyWithWords(async () => (await import('#renderer/account/credit.tsx')).CreditNotice);
const GuestsNotice = lazilyWithWords(
	async () => (await import('#renderer/guests/guests-dialog.tsx')).GuestsNotice,
);
const TakeOver = lazilyWithWords(async () => (await import('#renderer/models/take-over.tsx')).TakeOver);
/** Lazy, so that no start waits for it. */
const NoticeView = lazilyWithWords(async () => (await import('./notice-view.tsx')).NoticeView);

/** Notices that repeat the notice about a silent stage. */
const SAID_BETTER: ReadonlySet<Notice['kind']> = new Set(['silent-microphone', 'you-are-muted']);

/** Problems and other notices: one line and one action each, never a dialog over the conversation. */
export function Notices() {
	const { account, conversation, models, settings, replay, quiet, creditUse, guests } = useParts();
	const problem = useOwnProblem();
	const isService = useStore(account.store, ({ status }) => status.service === 'service');
	const isGone = useIsGone();
	const isAway = isService && (isGone || (problem !== null && recoveryOf[problem.kind] === 'check-network'));
	const isTakenOver = useStore(models.takeOver, (view) => view.isHere || view.problem !== null) || isAway;
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
	const isOfConversation = isQuiet || isLow || isShared || isAgain || isTakenOver;
	if (!problem && !notice && !settingsProblem && !silence && !isOfConversation) return <AwayNotices />;
	return (
		<>
			<AwayNotices />
			<div className={bar.notices}>
				{problem && problem.kind !== 'cancelled' && (
					<ProblemNotice problem={problem} about={problemAbout} onRetry={startAgain} />
				)}
				{isTakenOver && (
					<Suspense fallback={null}>
						<TakeOver isAway={isAway} />
					</Suspense>
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

/** True if the connection is lost; with two directions, if both are: a live one is not ended for the other. */
function useIsGone(): boolean {
	const { conversation, legs } = useParts();
	const twoLegs = useTwoLegs();
	const isGone = ({ recovering }: ConversationView) => recovering !== null;
	const whole = useStore(conversation.store, isGone);
	const mine = useStore(legs.outgoing.conversation.store, isGone);
	const theirs = useStore(legs.incoming.conversation.store, isGone);
	return whole && (!twoLegs || (mine && theirs));
}

/** While a connection is lost: what is wrong, since when, and what happens to speech, for each direction. */
function AwayNotices() {
	const { conversation, legs } = useParts();
	const twoLegs = useTwoLegs();
	const names = useStore(legs.names);
	if (!twoLegs) return <Away of={conversation} />;
	return names.map((name) => <Away key={name} of={legs[name].conversation} leg={name} />);
}

function Away({ of, leg }: { readonly of: Pick<Conversation, 'store'>; readonly leg?: LegName }) {
	const { t, i18n } = useTranslation();
	const recovering = useStore(of.store, (view) => view.recovering);
	const isSaid = useStore(of.store, (view) => !view.paused && !view.muted);
	const isKept = useStore(of.store, ({ travel }) => travel?.route === 'websocket');
	const now = useNow(recovering !== null);
	if (!recovering) return null;
	const sinceMs = Math.max(0, now - recovering.sinceMs);
	return (
		<div className={bar.notices} data-away={leg ?? 'whole'}>
			<NoticeLine
				tone="warning"
				text={[
					leg ? `${t(`legs.${leg}`)}:` : '',
					t('away.gone'),
					isSaid ? t(isKept ? 'away.kept' : 'away.lost') : '',
				]
					.filter((words) => words !== '')
					.join(' ')}
				// Not announced: it changes every second.
				aside={
					sinceMs < 1000
						? undefined
						: t('away.since', {
								time: duration(sinceMs, i18n.language),
								attempt: new Intl.NumberFormat(i18n.language).format(recovering.attempt),
							})
				}
			/>
		</div>
	);
}

/** Which direction a problem or a notice is about, in words; undefined if there is only one direction. */
export function useLegWords(): {
	readonly problemAbout: string | undefined;
	readonly noticeAbout: string | undefined;
} {
	const { t, i18n } = useTranslation();
	const { conversation } = useParts();
	const twoLegs = useTwoLegs();
	const problem = useStore(conversation.store, (view) => view.problem);
	const problemLeg = useStore(conversation.store, (view) => view.problemLeg);
	const noticeLeg = useStore(conversation.store, (view) => view.noticeLeg);
	const number = new Intl.NumberFormat(i18n.language).format(sessionsNeeded({ bothDirections: true }));
	const about = (leg: LegName | undefined) => leg && `${t(`legs.${leg}`)}:`;
	return {
		problemAbout:
			twoLegs && problem?.kind === 'session-limit' ? t('legs.limit', { number }) : about(problemLeg),
		noticeAbout: about(noticeLeg),
	};
}

/** The first silent direction, and its silent stage. */
export function useSilence(): { readonly leg: LegName; readonly stage: SilentStage } | null {
	const { silence } = useParts();
	const outgoing = useStore(silence.outgoing.store, ({ stage }) => stage);
	const incoming = useStore(silence.incoming.store, ({ stage }) => stage);
	if (outgoing) return { leg: 'outgoing', stage: outgoing };
	return incoming && { leg: 'incoming', stage: incoming };
}

/** Shown if the conversation is connected but silent: names the silent stage and a remedy. */
export function SilenceNotice() {
	const found = useSilence();
	return found && <Told key={`${found.leg} ${found.stage}`} {...found} />;
}

interface Action {
	readonly label: string;
	readonly take: () => void;
	/** True if this leads to a control of the live page, which the face-to-face page does not have. */
	readonly toBox?: boolean;
}

function Told({ leg, stage }: { readonly leg: LegName; readonly stage: SilentStage }) {
	const { t } = useTranslation();
	const { silence, legs, conversation, settings, navigation, sound } = useParts();
	const isAlone = useStore(legs.names, (names) => names.length < 2);
	const other = useLiveliest(stage === 'microphone' || stage === 'speech');
	const facing = useFacing();
	const dismiss = () => silence[leg].dismiss();

	const lead = (place: Place, label: string): Action => ({
		label,
		take: () => navigation.go('live', place),
		toBox: true,
	});
	const chooseMicrophone = lead('microphone', t('silence.chooseMicrophone'));
	const again: Action = {
		label: t('silence.again'),
		take() {
			dismiss();
			legs[leg].conversation.reconnect();
		},
	};
	const actions: { readonly [Stage in SilentStage]: readonly Action[] } = {
		muted: [
			{
				label: t('notice.unmute'),
				take() {
					legs[leg].conversation.setMuted(false);
					if (isAlone) conversation.setMuted(false);
					dismiss();
				},
			},
		],
		microphone: other ? [otherOne(other), chooseMicrophone] : [chooseMicrophone],
		speech: other ? [otherOne(other), chooseMicrophone] : [chooseMicrophone],
		packets: [again],
		// The connection is too slow; nothing we can offer makes it faster.
		line: [],
		captions: [],
		transcript: [again, lead('languages', t('silence.languages'))],
		voice: [again],
		output: [
			{
				label: t('silence.turnUp'),
				take() {
					legs[leg].muteVoice(false);
					if (settings.store.getState().values.voiceVolume === 0) void settings.write({ voiceVolume: 1 });
					dismiss();
				},
			},
			{ label: t('silence.testSound'), take: () => void sound.testOutput() },
			lead('output', t('notice.chooseOutput')),
		],
	};

	function otherOne({ id, label }: SoundDevice): Action {
		return {
			label: t('silence.useOther', { device: isolate(label) }),
			take() {
				void settings.write({ microphone: { id, label } });
				dismiss();
			},
		};
	}

	const [action, ...others] = actions[stage].filter(({ toBox }) => !(facing && toBox));
	const words = t(`silence.${stage}`);
	return (
		<div data-silence={stage}>
			<NoticeLine
				tone={stage === 'speech' || stage === 'captions' ? 'info' : 'warning'}
				text={isAlone ? words : `${t(`legs.${leg}`)}: ${words}`}
				action={action}
				others={others}
				dismiss={{ label: t('notice.dismiss'), take: dismiss }}
			/>
		</div>
	);
}

/** Another microphone that delivers sound, searched for once. */
function useLiveliest(wanted: boolean): SoundDevice | null {
	const { sound } = useParts();
	const [found, setFound] = useState<SoundDevice | null>(null);
	useEffect(() => {
		if (!wanted) return;
		let isHere = true;
		void sound.liveliest().then((device) => {
			if (isHere) setFound(device);
		});
		return () => {
			isHere = false;
		};
	}, [wanted, sound]);
	return found;
}

/** Warns that the microphone hears the translation, and shows what to do about it or what was done. */
export function EchoNotice() {
	const { t } = useTranslation();
	const { echo, settings, navigation } = useParts();
	const { heard, gated } = useStore(echo.store);
	const gate = useSetting('gate');
	const others = useOtherMicrophone();
	if (!heard) return null;
	const dismiss = { label: t('notice.dismiss'), take: () => echo.dismiss() };
	const set = (next: 'on' | 'off') => () => {
		void settings.write({ gate: next });
		echo.dismiss();
	};
	const headphones = { label: t('echo.headphones'), take: () => navigation.go('live', 'output') };
	return (
		<div className={bar.notices}>
			{gated && gate === 'auto' ? (
				<NoticeLine
					tone="warning"
					text={t('echo.gated')}
					action={{ label: t('echo.undo'), take: set('off') }}
					dismiss={dismiss}
				/>
			) : gate === 'on' ? (
				<NoticeLine
					tone="warning"
					text={t('echo.still')}
					action={headphones}
					others={others}
					dismiss={dismiss}
				/>
			) : (
				<>
					<NoticeLine
						tone="warning"
						text={t('echo.heard')}
						action={{ label: t('echo.gate'), take: set('on') }}
						dismiss={dismiss}
					/>
					<NoticeLine tone="warning" text={t('echo.orElse')} action={headphones} others={others} />
				</>
			)}
		</div>
	);
}

/** The microphone to switch to with one press, if there is another. */
function useOtherMicrophone() {
	const { t } = useTranslation();
	const { sound, settings, echo } = useParts();
	const { microphones, systemMicrophone } = useStore(sound.store);
	const microphone = useSetting('microphone');
	const other = otherMicrophone({ label: microphone?.label ?? systemMicrophone }, microphones);
	if (!other) return [];
	const { id, label } = other;
	function take(): void {
		void settings.write({ microphone: { id, label } });
		echo.dismiss();
	}
	return [{ label: t('silence.useOther', { device: isolate(label) }), take }];
}
