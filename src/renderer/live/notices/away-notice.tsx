import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import type { Conversation } from '#renderer/conversation/conversation.ts';
import { keepsLate } from '#renderer/conversation/route.ts';
import { useTwoLegs } from '#renderer/conversation/use-legs.ts';
import { duration } from '#renderer/i18n/format.ts';
import { NoticeLine } from '#renderer/problems/problem-notice.tsx';
import { useParts } from '#renderer/shell/parts.ts';
import { useNow } from '#renderer/shell/use-now.ts';
import bar from '#renderer/ui/notices.module.css';
import type { LegName } from '#shared/leg-name.ts';

/**
 * While a connection is gone: what is wrong, since when, and what becomes of the speech. Each of two directions has its
 * own.
 */
export function AwayNotices() {
	const { conversation, legs } = useParts();
	const twoLegs = useTwoLegs();
	const names = useStore(legs.names);
	if (!twoLegs) return <Away of={conversation} />;
	return names.map((name) => <Away key={name} of={legs[name].conversation} leg={name} />);
}

function Away({ of, leg }: { readonly of: Pick<Conversation, 'store'>; readonly leg?: LegName }) {
	const { t, i18n } = useTranslation();
	const { account, settings } = useParts();
	const recovering = useStore(of.store, (view) => view.recovering);
	const isSaid = useStore(of.store, (view) => !view.paused && !view.muted);
	const isKept = useStore(of.store, ({ travel }) => travel?.route === 'websocket');
	const socket = useStore(account.store, ({ status }) => status.speechSocket);
	const isLate = useStore(settings.store, ({ values }) => keepsLate(values, socket));
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
					isSaid ? t(isKept ? 'away.kept' : isLate ? 'away.late' : 'away.lost') : '',
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
