import { watchCredit } from '#renderer/account/credit-watch.ts';
import { followCallCourtesies } from '#renderer/calls/call-courtesies.ts';
import { followTurns } from '#renderer/calls/turn-sign.ts';
import type { sendVoices } from '#renderer/guests/guest-voices.ts';
import type { Parts } from '#renderer/shell/parts.ts';
import type { Logger } from '#shared/lib/log.ts';
import { keepUnsent } from './keep-unsent.ts';
import { isRunning } from './live-changes.ts';
import { followQuiet } from './pause-when-quiet.ts';

/** Starts what observes conversations; can run after the first paint: no speech comes before. */
export function followLive(
	parts: Parts,
	log: Logger,
	{
		unsent,
		...sound
	}: Pick<Parameters<typeof sendVoices>[0], 'receiver' | 'mixers'> & {
		readonly unsent: Parameters<typeof keepUnsent>[1];
	},
): void {
	const { settings, host, conversation, guests } = parts;
	followTurns({ ...parts, applies: () => settings.store.getState().values.mode === 'meeting' });
	followCallCourtesies({ ...parts, log });
	followQuiet(parts);
	keepUnsent(parts, unsent);
	const unwatch = guests.store.subscribe(({ sharing }) => {
		if (!sharing) return;
		unwatch();
		import('#renderer/guests/guest-voices.ts').then(
			(it) => it.sendVoices({ ...parts, log, ...sound }),
			(failure: unknown) => log.error('no voices for guests', { failure: String(failure) }),
		);
	});
	// A browser closes a window without asking, so the page asks. Elsewhere main does
	// (`main/app/lifecycle.ts`).
	if (parts.info.shell === 'stand-in')
		window.addEventListener('beforeunload', (event) => {
			const isLeft = settings.store.getState().values.closeLive === 'stop';
			if (isRunning(conversation.store.getState().phase) && !isLeft) event.preventDefault();
		});
	watchCredit({ ...parts, ask: () => host.ask('account.balance', undefined) });
}
