import type { HeldSession } from './held-session.ts';
import { USABLE_MS, type Use } from './keeper-machine.ts';

/** What a held session is for now; `null` = it is being given up. */
export function purposeOf(session: HeldSession): Use | null {
	const state = session.state();
	return state.phase === 'held' || state.phase === 'opening' ? state.use : null;
}

/** Will session and token still open the room when the window gets there? */
export function isFresh(session: HeldSession): boolean {
	const state = session.state();
	if (state.phase === 'opening') return true;
	if (state.phase !== 'held') return false;
	const neededUntil = session.account.serverNow() + USABLE_MS;
	const token = session.tokenExpiresAt();
	return (
		(state.expiresAt === null || state.expiresAt > neededUntil) && (token === null || token > neededUntil)
	);
}
