import { useStore } from 'zustand';
import type { Notice } from '#renderer/conversation/conversation.ts';
import { isRunning } from '#renderer/conversation/live-changes.ts';
import { useStartAgain } from '#renderer/conversation/use-recover.ts';
import { useFacing } from '#renderer/face-to-face/use-facing.ts';
import { duration } from '#renderer/i18n/format.ts';
import { isolate } from '#renderer/i18n/i18n.ts';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { NoticeLine, ProblemNotice } from '#renderer/problems/problem-notice.tsx';
import { useParts } from '#renderer/shell/parts.ts';
import { fixedVoice } from '#shared/conversation/choices.ts';
import { VOICE, WARNING_CODE } from '#shared/protocol/vocabulary.ts';

const BUILT_IN: ReadonlySet<string> = new Set(Object.values(VOICE));

/** `about`: the direction that the notice concerns, if there are two. */
export function NoticeView({
	notice,
	about,
}: {
	readonly notice: Notice;
	readonly about?: string | undefined;
}) {
	const { t, i18n } = useTranslation();
	const { conversation, navigation, settings } = useParts();
	const hasOwn = useStore(settings.store, ({ values }) =>
		values.hear.some((code) => !BUILT_IN.has(fixedVoice(values.voices[code]))),
	);
	const startAgain = useStartAgain();
	// A running conversation retries automatically, so offer no restart.
	const running = useStore(conversation.store, ({ phase }) => isRunning(phase));
	const facing = useFacing();
	const dismiss = { label: t('notice.dismiss'), take: () => conversation.dismissNotice() };
	const line = (text: string, action?: { label: string; take: () => void }) => (
		<NoticeLine tone="warning" text={about ? `${about} ${text}` : text} action={action} dismiss={dismiss} />
	);
	const choose = (place: 'microphone' | 'output') => {
		const label = t(place === 'output' ? 'notice.chooseOutput' : 'notice.chooseMicrophone');
		return facing ? undefined : { label, take: () => navigation.go('live', place) };
	};
	switch (notice.kind) {
		case 'problem':
			return (
				<ProblemNotice
					problem={notice.problem}
					tone="warning"
					onDismiss={dismiss.take}
					onRetry={running ? undefined : startAgain}
					about={about}
				/>
			);
		case 'silent-microphone':
			return line(
				t('notice.silentMicrophone', { device: isolate(notice.device || t('problem.aMicrophone')) }),
				choose('microphone'),
			);
		case 'you-are-muted':
			return line(t('notice.youAreMuted'), {
				label: t('notice.unmute'),
				take: () => {
					conversation.setMuted(false);
					conversation.dismissNotice();
				},
			});
		case 'microphone-switched':
			return line(
				t('notice.microphoneSwitched', names(notice, t('sound.systemDefaultUnknown'))),
				choose('microphone'),
			);
		case 'output-switched':
			return line(
				t('notice.outputSwitched', names(notice, t('sound.systemDefaultUnknown'))),
				choose('output'),
			);
		case 'speech-lost':
			return line(t('notice.speechLost', { duration: duration(notice.ms, i18n.language) }));
		case 'asked-without':
			if (notice.plan.lacks === 'glossaries')
				return line(t('notice.allGlossaries'), {
					label: t('glossary.show'),
					take: () => navigation.go('glossaries'),
				});
			return line(t('notice.fixedVoice'), {
				label: t('notice.showVoices'),
				take: () => navigation.go('voices'),
			});
		case 'was-asleep':
			return line(t('notice.wasAsleep', { duration: duration(notice.forMs, i18n.language) }), {
				label: t('live.resume'),
				take: () => {
					conversation.resume();
					conversation.dismissNotice();
				},
			});
		case 'service-warning':
			return warningLine(notice.code, notice.text, notice.times ?? 0);
	}

	function warningLine(code: string, text: string, times: number) {
		if (code === WARNING_CODE.tooSlowHere)
			return line(t('models.tooSlow'), {
				label: t('models.changeModels'),
				take: () => navigation.go('settings', 'models'),
			});
		const isMissing = code === WARNING_CODE.voiceNotFound;
		const words = !isMissing
			? t('notice.serviceWarning', { text: isolate(text) })
			: t(hasOwn ? 'notice.ownVoiceNotFound' : 'notice.voiceNotFound');
		const count = times > 0 ? ` ${isolate(`× ${new Intl.NumberFormat(i18n.language).format(times)}`)}` : '';
		const showVoices = { label: t('notice.showVoices'), take: () => navigation.go('voices') };
		return line(words + count, isMissing && hasOwn ? showVoices : undefined);
	}
}

function names(notice: { readonly from: string; readonly to: string }, nameless: string) {
	return { from: isolate(notice.from || nameless), to: isolate(notice.to || nameless) };
}

/** Shows that the conversation was paused after a silence, with a button to resume. */
export function QuietNotice() {
	const { t, i18n } = useTranslation();
	const { conversation, quiet } = useParts();
	const quietMs = useStore(quiet, (view) => view.quietMs);
	if (quietMs === null) return null;
	return (
		<NoticeLine
			tone="warning"
			text={t('notice.nobodySpoke', { duration: duration(quietMs, i18n.language) })}
			action={{ label: t('live.resume'), take: () => conversation.resume() }}
		/>
	);
}

/** Shows that the sound is a replay, with a button to return; or that there is nothing to replay. */
export function ReplayNotice() {
	const { t } = useTranslation();
	const { replay } = useParts();
	const { row, catchingUp, nothing } = useStore(replay.store);
	const stop = () => replay.stop();
	if (nothing) {
		const dismiss = { label: t('notice.dismiss'), take: stop };
		return <NoticeLine tone="info" text={t('replay.nothing')} dismiss={dismiss} />;
	}
	if (row === null && !catchingUp) return null;
	const text = t(catchingUp ? 'replay.catchingUp' : 'replay.playing');
	return <NoticeLine tone="info" text={text} action={{ label: t('replay.stop'), take: stop }} />;
}
