import { followTurns } from '#renderer/conversation/turn-beacon.ts';
import { watchCredit } from '#renderer/conversation/watches/credit-watch.ts';
import { followQuiet } from '#renderer/conversation/watches/quiet-pause.ts';
import type { Parts } from '#renderer/window/parts.ts';
import type { Logger } from '#shared/lib/log.ts';
import { followCallCourtesies } from './call-courtesies.ts';

/**
 * What follows a conversation as long as the window is there, and can wait for the first paint: before it there is
 * neither speech nor caption.
 */
export function followLive(parts: Parts, log: Logger): void {
	const { settings, host } = parts;
	followTurns({ ...parts, applies: () => settings.store.getState().values.mode === 'meeting' });
	followCallCourtesies({ ...parts, log });
	followQuiet(parts);
	watchCredit({ ...parts, ask: () => host.ask('account.balance', undefined) });
}
