import { useStore } from 'zustand';
import type { ConversationView } from '#renderer/conversation/conversation.ts';
import { interpretedAt } from '#renderer/conversation/conversation.ts';
import { useOwnPhase, useTwoLegs } from '#renderer/conversation/use-legs.ts';
import { useStartBlock } from '#renderer/conversation/use-start.ts';
import { stopwatch } from '#renderer/i18n/format.ts';
import type { TFunction } from '#renderer/i18n/i18n.ts';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { useIsLocal, useParts, useSetting } from '#renderer/shell/parts.ts';
import { useNow } from '#renderer/shell/use-now.ts';
import { Button } from '#renderer/ui/button.tsx';
import hidden from '#renderer/ui/hidden.module.css';
import { Icon } from '#renderer/ui/icon.tsx';
import tag from '#renderer/ui/tag.module.css';
import styles from './dock.module.css';
import travelBadgeStyles from './travel-badge.module.css';

/** The state of the connection in words, beside a dot whose shape repeats it, and the outcome of a live change. */
export function StatusLine() {
	const { t } = useTranslation();
	const { conversation } = useParts();
	const whole = useStore(conversation.store);
	const view = { ...whole, phase: useOwnPhase() };
	const blocked = useStartBlock() !== null;
	const twoLegs = useTwoLegs();
	const source = useSetting('mode') === 'listen' ? 'computer' : 'microphone';

	return (
		<div className={styles.statusLine}>
			<StateDot view={view} blocked={blocked} />
			{/* The notice of a failure already announces it. */}
			<span role={view.phase === 'failed' ? undefined : 'status'} data-testid="phase">
				{phaseWords(view, blocked, source, t)}
			</span>
			{!twoLegs && <TravelBadge />}
			{view.change !== 'none' && (
				<span className={`${tag.pill} ${styles.change}`} role="status">
					{t(`live.change.${view.change}`)}
				</span>
			)}
		</div>
	);
}

/** A dot whose shape repeats the meaning of its colour. */
export function StateDot({
	view,
	blocked = false,
}: {
	readonly view: ConversationView;
	readonly blocked?: boolean;
}) {
	const look = lookOf(view, blocked);
	return <span className={`${styles.dot} ${look === 'ready' ? '' : styles[look]}`} aria-hidden="true" />;
}

/** What Mute silences: a microphone, the call, or the computer's sound. */
export type Source = keyof typeof mutedWords;

const mutedWords = {
	microphone: 'phase.mutedLive',
	call: 'phase.mutedCall',
	computer: 'phase.mutedListen',
} as const;

/** The state in words, without start blocks, which never concern one direction alone. */
export function stateWords(view: ConversationView, t: TFunction, source: Source = 'microphone'): string {
	return phaseWords(view, false, source, t);
}

/** A word or two; while starting, the stage. */
function phaseWords(view: ConversationView, blocked: boolean, source: Source, t: TFunction): string {
	switch (view.phase) {
		case 'idle':
			return t(blocked ? 'phase.blocked' : 'phase.idle');
		case 'preparing':
		case 'connecting':
		case 'starting':
			return view.awaiting ? t(`awaiting.${view.awaiting}`) : t(`phase.${view.phase}`);
		case 'live':
			if (view.paused) return t('phase.paused');
			return t(view.muted ? mutedWords[source] : 'phase.live');
		case 'switching':
		case 'reconnecting':
		case 'ending':
		case 'failed':
			return t(`phase.${view.phase}`);
	}
}

type Look = 'ready' | 'dotLive' | 'dotWorking' | 'dotPaused' | 'dotFailed';

function lookOf(view: ConversationView, blocked: boolean): Look {
	if (view.phase === 'failed') return 'dotFailed';
	if (view.phase === 'idle') return blocked ? 'dotWorking' : 'ready';
	if (view.phase !== 'live') return 'dotWorking';
	return view.paused ? 'dotPaused' : 'dotLive';
}

/** Shows that the conversation uses a WebSocket, and after a fallback the reason and a button back to WebRTC. */
function TravelBadge() {
	const { t } = useTranslation();
	const { conversation } = useParts();
	const isLocal = useIsLocal();
	const route = useStore(conversation.store, (view) => view.travel?.route ?? null);
	const fellBack = useStore(conversation.store, (view) => view.travel?.fellBack ?? null);
	const isLive = useStore(conversation.store, (view) => view.phase === 'live');
	const mode = useSetting('mode');
	// Captions-only mode and this computer have no other route.
	if (route !== 'websocket' || mode === 'captions' || isLocal) return null;
	return (
		<span className={travelBadgeStyles.badge} data-testid="travel">
			<span role="status">{t(fellBack ? 'travel.fellBack' : 'travel.websocket')}</span>
			{fellBack && isLive && (
				<Button look="quiet" onPress={() => conversation.backToWebrtc()}>
					{t('travel.back')}
				</Button>
			)}
		</span>
	);
}

/** Interpreted time so far, without pauses, which is billed. */
export function Elapsed() {
	const { t, i18n } = useTranslation();
	const { conversation } = useParts();
	const view = useStore(conversation.store);
	const now = useNow(view.countingSinceMs !== null);
	if (view.liveSinceMs === null) return null;
	return (
		<span className={styles.elapsed} data-tooltip={t('live.elapsedHint')}>
			<Icon name="clock" size={16} />
			<span className={hidden.hidden}>{t('live.elapsed')}</span>
			<span>{stopwatch(interpretedAt(view, now), i18n.language)}</span>
		</span>
	);
}
