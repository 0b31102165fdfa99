const added = new WeakMap<BaseAudioContext, Map<string, Promise<void>>>();

/** Loads a worklet into a context once, however often it is asked for, but again after it could not be. Rejects when it cannot be loaded. */
export function addWorklet(context: BaseAudioContext, url: string): Promise<void> {
	const known = added.get(context) ?? new Map<string, Promise<void>>();
	added.set(context, known);
	const before = known.get(url);
	if (before) return before;
	const loading = context.audioWorklet.addModule(url);
	known.set(url, loading);
	// Asked for again it is tried again.
	loading.catch(() => known.delete(url));
	return loading;
}
