import { watchCredit } from '#renderer/account/credit-watch.ts';
import { followCallCourtesies } from '#renderer/calls/call-courtesies.ts';
import { followTurns } from '#renderer/calls/turn-sign.ts';
import type { Parts } from '#renderer/shell/parts.ts';
import type { Logger } from '#shared/lib/log.ts';
import { isRunning } from './live-changes.ts';
import { followQuiet } from './pause-when-quiet.ts';

/**
 * What follows a conversation as long as the window is there, and can wait for the first paint: before it there is
 * neither speech nor caption.
 */
export function followLive(parts: Parts, log: Logger): void {
	const { settings, host, conversation } = parts;
	followTurns({ ...parts, applies: () => settings.store.getState().values.mode === 'meeting' });
	followCallCourtesies({ ...parts, log });
	followQuiet(parts);
	// A browser closes a window without asking the program: the page itself asks. Elsewhere main does (`main/app/lifecycle.ts`).
	if (parts.info.shell === 'stand-in')
		window.addEventListener('beforeunload', (event) => {
			const isLeft = settings.store.getState().values.closeLive === 'stop';
			if (isRunning(conversation.store.getState().phase) && !isLeft) event.preventDefault();
		});
	watchCredit({ ...parts, ask: () => host.ask('account.balance', undefined) });
}
