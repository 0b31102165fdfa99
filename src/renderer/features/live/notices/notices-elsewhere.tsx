import { useStore } from 'zustand';
import bar from '#renderer/ui/notices.module.css';
import { useParts } from '#renderer/window/parts.ts';
import { CreditNotice } from './credit-notice.tsx';
import { QuietNotice } from './quiet-notice.tsx';

/** On the pages beside the live one: that the conversation has paused by itself, or that it soon cannot go on. */
export function NoticesElsewhere() {
	const { quiet, creditUse } = useParts();
	const isQuiet = useStore(quiet, (view) => view.quietMs !== null);
	const isLow = useStore(creditUse, (view) => view.lastsMs !== null && !view.isPutAway);
	if (!isQuiet && !isLow) return null;
	return (
		<div className={bar.notices}>
			<QuietNotice />
			<CreditNotice />
		</div>
	);
}
