/**
 * What `source` gives, until `signal` aborts: then it ends at once, even while the source is silent. Whoever opened
 * the source frees it.
 */
export async function* untilAborted<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
	const pieces = source[Symbol.asyncIterator]();
	try {
		for (;;) {
			const next = await nextOf(pieces, signal);
			if (next.done) return;
			yield next.value;
		}
	} finally {
		// Not awaited: a silent source answers only when it is freed.
		void pieces.return?.().catch(() => {});
	}
}

/** A promise of the abort for each piece: a single one, raced against all of them, would hold on to each until its end. */
async function nextOf<T>(pieces: AsyncIterator<T>, signal: AbortSignal): Promise<IteratorResult<T>> {
	const nothing = { done: true, value: undefined } as const;
	if (signal.aborted) return nothing;
	const aborted = Promise.withResolvers<IteratorResult<T>>();
	const end = () => aborted.resolve(nothing);
	signal.addEventListener('abort', end, { once: true });
	try {
		return await Promise.race([pieces.next(), aborted.promise]);
	} finally {
		signal.removeEventListener('abort', end);
	}
}
