export type Livekit = typeof import('livekit-client');

let loading: Promise<Livekit> | null = null;

/**
 * Loads the library (137 kB gzip, about 100 ms) once; call it while the user is setting up. A failed
 * load is forgotten, so that the next call tries again.
 */
export function preloadLivekit(): Promise<Livekit> {
	loading ??= import('livekit-client').then(
		(livekit) => {
			// Its log lines carry addresses with tokens in them.
			livekit.setLogLevel('silent');
			return livekit;
		},
		(failure: unknown) => {
			loading = null;
			throw failure;
		},
	);
	return loading;
}
