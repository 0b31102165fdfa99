import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { PhaseReport } from '#shared/host/contract.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';

/** Starting and ending have their stragglers, and somebody may begin at once. */
const REST_MS = 8000;

/** When nothing has happened for a while, main gives back what V8 holds of memory for a busy program. */
export interface MemoryGiver {
	/** What the conversation does; `idle` also says that the window is usable. */
	phase(phase: PhaseReport): void;
	close(): void;
}

export function createMemoryGiver(parts: {
	readonly clock: Clock;
	readonly log: Logger;
	/** Default: V8's own collection. */
	readonly collect?: () => void;
}): MemoryGiver {
	const { clock, log, collect = collectAll } = parts;
	let cancel: Cancel = () => {};

	function giveBack(): void {
		try {
			collect();
		} catch (failure) {
			log.warn('memory is not given back', { failure: String(failure) });
		}
	}

	return {
		phase(phase) {
			cancel();
			if (phase === 'idle' || phase === 'failed') cancel = clock.after(REST_MS, giveBack);
		},
		close: () => cancel(),
	};
}

/**
 * V8 collects by itself only when a program asks for more memory, and one at rest asks for none: after the start main
 * held 15 MB that nothing used. Stops main for some 30 ms.
 */
function collectAll(): void {
	setFlagsFromString('--expose-gc');
	const collect = runInNewContext('gc') as (options: object) => void;
	collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
