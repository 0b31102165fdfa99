import type { Host } from '#renderer/host.ts';
import type { Event } from '#shared/conversation/machine/events.ts';
import { SHORT_SLEEP_MS } from '#shared/conversation/machine/live.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import { createScope } from '#shared/lib/scope.ts';

export interface PowerWatchParts {
	readonly host: Pick<Host, 'listen'>;
	readonly clock: Clock;
	readonly dispatch: (event: Event) => void;
}

const BEAT_MS = 5000;

/**
 * Turns the system's sleep into `suspend` and `woke`. An unannounced sleep (a stopped process) shows as a beat that
 * comes far too late; only the monotonic clock is used for that, because the wall clock may be set while we run.
 * Returns a function that ends it.
 */
export function createPowerWatch({ host, clock, dispatch }: PowerWatchParts): Cancel {
	const scope = createScope(clock);
	let suspended: { readonly wallMs: number; readonly nowMs: number } | null = null;
	let beatMs = clock.now();

	scope.add(
		host.listen('power.changed', ({ event, atWallMs }) => {
			if (event === 'suspend') {
				// The message may have waited for the end of the sleep.
				suspended = { wallMs: atWallMs ?? clock.wall(), nowMs: clock.now() };
				dispatch({ type: 'suspend' });
			}
			if (event !== 'resume' || !suspended) return;
			// The monotonic clock may have slept too.
			const sleptMs = Math.max(clock.wall() - suspended.wallMs, clock.now() - suspended.nowMs);
			suspended = null;
			beatMs = clock.now();
			dispatch({ type: 'woke', sleptMs });
		}),
	);
	scope.every(BEAT_MS, () => {
		const lateMs = clock.now() - beatMs - BEAT_MS;
		beatMs = clock.now();
		if (suspended || lateMs < SHORT_SLEEP_MS) return;
		dispatch({ type: 'suspend' });
		dispatch({ type: 'woke', sleptMs: lateMs });
	});
	return () => scope.close();
}
