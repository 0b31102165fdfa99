/** Sound that waits longer than this is late, ms. */
const LATE_MS = 2000;
/** Lateness that lasts this long without a break is not a temporary load, ms. */
const LATE_FOR_MS = 10_000;

/**
 * Detects that this computer is too slow for the recogniser; reports it once per conversation. Sound that
 * arrived faster than real time, as after a takeover, takes time on a fast computer too.
 */
export class Lateness {
	#sinceMs: number | null = null;
	#isTold = false;
	/** How far the waiting sound was ahead of real time, ms, at `#givenMs`. */
	#aheadMs = 0;
	#givenMs: number | null = null;

	begin(): void {
		this.#sinceMs = null;
		this.#isTold = false;
		this.#aheadMs = 0;
		this.#givenMs = null;
	}

	/** Records that `ms` of sound have arrived. */
	given(ms: number, nowMs: number): void {
		this.#aheadMs += ms - (nowMs - (this.#givenMs ?? nowMs));
		this.#givenMs = nowMs;
	}

	/** `waitingMs`: length of sound that has not been recognised yet. */
	isSlow(waitingMs: number, nowMs: number): boolean {
		// Once the lead has been worked off, it no longer excuses lateness.
		this.#aheadMs = Math.min(this.#aheadMs, waitingMs);
		if (waitingMs - Math.max(0, this.#aheadMs) <= LATE_MS) {
			this.#sinceMs = null;
			return false;
		}
		this.#sinceMs ??= nowMs;
		if (this.#isTold || nowMs - this.#sinceMs < LATE_FOR_MS) return false;
		this.#isTold = true;
		return true;
	}
}
