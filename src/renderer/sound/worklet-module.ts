const added = new WeakMap<BaseAudioContext, Map<string, Promise<void>>>();

/**
 * Loads a worklet into a context once, however often it is requested; a failed load is tried again. Rejects when it
 * fails.
 */
export function addWorklet(context: BaseAudioContext, url: string): Promise<void> {
	const known = added.get(context) ?? new Map<string, Promise<void>>();
	added.set(context, known);
	const before = known.get(url);
	if (before) return before;
	const loading = context.audioWorklet.addModule(url);
	known.set(url, loading);
	// The next request tries again.
	loading.catch(() => known.delete(url));
	return loading;
}
