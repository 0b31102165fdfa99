import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { useTwoLegs } from '#renderer/conversation/use-legs.ts';
import { useParts } from '#renderer/shell/parts.ts';
import { sessionsNeeded } from '#shared/conversation/choices.ts';
import type { LegName } from '#shared/leg-name.ts';

/** Which direction a problem or a notice is about, in words; undefined where there is only one. */
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
	const number = new Intl.NumberFormat(i18n.language).format(sessionsNeeded('both-ways'));
	const about = (leg: LegName | undefined) => leg && `${t(`legs.${leg}`)}:`;
	return {
		problemAbout:
			twoLegs && problem?.kind === 'session-limit' ? t('legs.limit', { number }) : about(problemLeg),
		noticeAbout: about(noticeLeg),
	};
}
