import type { Host } from '#renderer/host.ts';
import type { PhaseReport } from '#shared/host/contract.ts';
import type { Cancel } from '#shared/lib/clock.ts';
import type { Conversation } from './conversation.ts';
import type { ConversationView } from './conversation-store.ts';

/** Tells main how the conversation stands at each change that the shell shows. Returns a function that ends it. */
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

/** Ends the conversation when the program wants to close, then says that it may. Returns a function that ends it. */
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
