import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Host } from '#renderer/host.ts';
import type { SettingsMirror } from '#renderer/settings/settings-mirror.ts';
import type { TypedSpeech } from '#renderer/typing/typed-speech.ts';
import type { PhaseReport } from '#shared/host/contract.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import type { Conversation, ConversationView } from './conversation.ts';
import { isRunning, isUnderWay } from './live-changes.ts';

/**
 * Silences typed texts and releases their socket when a conversation takes the loudspeaker, the user switches to
 * something else, or the account changes. A failure in one mode is not shown in the next. Returns a function that
 * stops this.
 */
export function followConversation({
	typing,
	conversation,
	settings,
	host,
}: {
	readonly typing: Pick<TypedSpeech, 'silence'>;
	readonly conversation: Pick<Conversation, 'store' | 'stop' | 'dismissNotice'>;
	readonly settings: Pick<SettingsMirror, 'store'>;
	readonly host: Pick<Host, 'listen'>;
}): Cancel {
	const ends = [
		conversation.store.subscribe((view, before) => {
			if (isRunning(view.phase) && !isRunning(before.phase)) typing.silence();
		}),
		settings.store.subscribe(({ values }, before) => {
			if (values.mode === before.values.mode) return;
			if (before.values.mode === 'type') typing.silence();
			if (conversation.store.getState().phase !== 'failed') return;
			conversation.dismissNotice();
			conversation.stop();
		}),
		host.listen('account.leaving', typing.silence),
		host.listen('app.closing', typing.silence),
	];
	return () => {
		for (const end of ends) end();
	};
}

/** How long after the end a press still counts as meant for Stop: longer than a user's reaction time. */
export const SLIP_MS = 600;

/** True just after the conversation ended: Stop has become Start, and a late press would start a billed session. */
export function createJustStopped(
	{ store: conversation }: Pick<Conversation, 'store'>,
	clock: Pick<Clock, 'after'>,
): StoreApi<boolean> {
	const store = createStore(() => false);
	let over: Cancel = () => {};
	conversation.subscribe(({ phase }, { phase: before }) => {
		const goesOn = isUnderWay(phase);
		if (goesOn === isUnderWay(before)) return;
		over();
		store.setState(!goesOn, true);
		if (!goesOn) over = clock.after(SLIP_MS, () => store.setState(false, true));
	});
	return store;
}

/** Reports the conversation's state to main at each change that the shell shows. Returns a stop function. */
export function reportPhase(conversation: Pick<Conversation, 'store'>, host: Pick<Host, 'ask'>): Cancel {
	let told = '';
	function tell(view: ConversationView): void {
		const report = { phase: reportOf(view), muted: view.muted };
		if (JSON.stringify(report) === told) return;
		told = JSON.stringify(report);
		void host.ask('conversation.phase', report);
	}
	return conversation.store.subscribe(tell);
}

/** Ends the conversation before the program closes, then confirms to main. Returns an unsubscribe function. */
export function answerClosing(
	conversation: Pick<Conversation, 'stopNow'>,
	host: Pick<Host, 'ask' | 'listen'>,
): Cancel {
	return host.listen('app.closing', () => {
		void conversation.stopNow().then(() => host.ask('app.close-ready', undefined));
	});
}

/** The phase as the shell needs it (tray, power, quit). */
function reportOf({ phase, paused, liveSinceMs }: ConversationView): PhaseReport {
	switch (phase) {
		case 'preparing':
		case 'connecting':
		case 'starting':
			return 'starting';
		case 'switching':
			return liveSinceMs === null ? 'starting' : 'recovering';
		case 'reconnecting':
			return 'recovering';
		case 'live':
			return paused ? 'paused' : 'live';
		default:
			return phase;
	}
}
