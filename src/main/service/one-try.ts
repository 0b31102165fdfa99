import type { Cancel, Clock } from '#shared/lib/clock.ts';
import { type ConnectFailure, readConnectFailure } from './connect-failure.ts';
import { type BodyReading, readJsonBody } from './json-body.ts';

/** How one exchange ended. `broken`: no whole answer, because of the network. */
export type TryOutcome =
	| {
			readonly type: 'answer';
			readonly status: number;
			readonly headers: Headers;
			readonly body: BodyReading;
	  }
	| { readonly type: 'broken'; readonly failure: ConnectFailure; readonly url: string }
	| { readonly type: 'late'; readonly afterMs: number }
	| { readonly type: 'cancelled'; readonly sent: boolean };

/** One request, bounded in time and size; never rejects, leaves no socket behind. */
export async function tryOnce(
	url: string,
	init: RequestInit,
	parts: {
		readonly fetch: typeof globalThis.fetch;
		readonly clock: Clock;
		/** Until the first byte of the answer, ms. */
		readonly firstMs: number;
		/** Until the whole answer is read, ms. */
		readonly overallMs: number;
		readonly signal: AbortSignal | undefined;
		readonly heardHead: (response: Response) => void;
	},
): Promise<TryOutcome> {
	if (parts.signal?.aborted) return { type: 'cancelled', sent: false };
	const control = new AbortController();
	let ended: TryOutcome | null = null;
	const end = (outcome: TryOutcome) => {
		ended ??= outcome;
		control.abort();
	};
	const started = parts.clock.now();
	const late = () => end({ type: 'late', afterMs: Math.round(parts.clock.now() - started) });
	const cancels: Cancel[] = [parts.clock.after(parts.overallMs, late)];
	const stopWaiting = parts.clock.after(parts.firstMs, late);
	const cancelled = () => end({ type: 'cancelled', sent: true });
	parts.signal?.addEventListener('abort', cancelled, { once: true });
	try {
		// Never followed: a redirect would carry the key to a host the user did not name.
		const response = await parts.fetch(url, { ...init, redirect: 'manual', signal: control.signal });
		stopWaiting();
		parts.heardHead(response);
		const body = await readJsonBody(response);
		return ended ?? { type: 'answer', status: response.status, headers: response.headers, body };
	} catch (thrown) {
		return ended ?? { type: 'broken', failure: readConnectFailure(thrown), url };
	} finally {
		stopWaiting();
		for (const cancel of cancels) cancel();
		parts.signal?.removeEventListener('abort', cancelled);
	}
}
