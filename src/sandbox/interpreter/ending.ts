import type { Clock } from '#shared/lib/clock.ts';
import type { Scope } from '#shared/lib/scope.ts';
import { TIMING } from './timing.ts';

/** How long the tail of a conversation may be; null = no such bound. */
export interface TailBounds {
	/** Ms in all. */
	readonly inAllMs: number | null;
	/** Ms without a sound being spoken. */
	readonly quietMs: number | null;
}

/** What `end_task` without force allows, by generation (protocol 5.1.4). */
export function tailBounds(generation: 'current' | 'older', eosTimeoutS: number | undefined): TailBounds {
	if (eosTimeoutS !== undefined) return { inAllMs: null, quietMs: eosTimeoutS * 1000 };
	return { inAllMs: generation === 'older' ? TIMING.olderTail : null, quietMs: null };
}

/** How often the tail is checked, ms. */
const LOOK_MS = 50;

/** Calls `done` once: when nothing is left to say, or a bound is reached. */
export function awaitTail(parts: {
	clock: Clock;
	scope: Scope;
	bounds: TailBounds;
	idle: () => boolean;
	speaking: () => boolean;
	done: () => void;
}): void {
	const { clock, scope, bounds, idle, speaking, done } = parts;
	const startedAt = clock.now();
	let soundAt = startedAt;

	function over(): boolean {
		const now = clock.now();
		if (speaking()) soundAt = now;
		if (idle()) return true;
		if (bounds.inAllMs !== null && now - startedAt >= bounds.inAllMs) return true;
		return bounds.quietMs !== null && now - soundAt >= bounds.quietMs;
	}

	const stop = scope.every(LOOK_MS, () => {
		if (!over()) return;
		stop();
		done();
	});
}
