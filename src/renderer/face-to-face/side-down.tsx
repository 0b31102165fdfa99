import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { NoticeLine, problemWords } from '#renderer/problems/problem-notice.tsx';
import { useParts } from '#renderer/shell/parts.ts';
import { type FaceSide, sides } from '#shared/conversation/turns.ts';
import { legOf, useSideDown } from './use-side-down.ts';

/** A direction that has ended while the other goes on, with a button to restart it. */
export function SidesDown() {
	return sides.map((side) => <SideDown key={side} side={side} />);
}

function SideDown({ side }: { readonly side: FaceSide }) {
	const { t, i18n } = useTranslation();
	const { conversation, legs } = useParts();
	const leg = legs[legOf[side]];
	const problem = useStore(leg.conversation.store, (view) => view.problem);
	// A restarted direction would run while the other one is paused.
	const paused = useStore(conversation.store, (whole) => whole.paused);
	if (!useSideDown(side)) return null;
	const why = problem ? problemWords(problem, t, i18n.language) : t('phase.failed');
	return (
		<NoticeLine
			tone="problem"
			text={`${t(`legs.${legOf[side]}`)}: ${why}`}
			action={paused ? undefined : { label: t('recovery.retry'), take: leg.again }}
		/>
	);
}
