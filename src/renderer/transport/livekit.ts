import type { createRoomStay } from './livekit-room.ts';

export type Livekit = typeof import('livekit-client');

/** The library, and what of ours works with nothing else. */
interface Rooms {
	readonly livekit: Livekit;
	readonly createRoomStay: typeof createRoomStay;
}

let loading: Promise<Rooms> | null = null;

/**
 * Loads the library (137 kB gzip, about 100 ms) once; call it while the user is setting up. A failed
 * load is forgotten, so that the next call tries again.
 */
export function preloadLivekit(): Promise<Rooms> {
	loading ??= Promise.all([import('livekit-client'), import('./livekit-room.ts')]).then(
		([livekit, stays]) => {
			// Its log lines carry addresses with tokens in them.
			livekit.setLogLevel('silent');
			letRoomsGo(livekit);
			makeNoContexts(livekit);
			return { livekit, createRoomStay: stays.createRoomStay };
		},
		(failure: unknown) => {
			loading = null;
			throw failure;
		},
	);
	return loading;
}

/**
 * Every Room makes an AudioContext of its own as it connects, for a delay that Safari has (2.18.7,
 * `acquireAudioContext`). It holds up the page's thread at Start for up to 100 ms and renders silence for as long as
 * the call lasts; the voice plays in elements, which need none.
 */
function makeNoContexts(livekit: Livekit): void {
	Reflect.set(livekit.Room.prototype, 'acquireAudioContext', async () => {});
}

/**
 * Every Room registers itself for clean-up with a closure that holds the Room, so none is ever freed
 * (2.18.7; livekit/client-sdk-js issue 2008). Without the registry a Room that was left is garbage:
 * what the clean-up would remove, leaving has removed already.
 */
function letRoomsGo(livekit: Livekit): void {
	Reflect.set(livekit.Room, 'cleanupRegistry', false);
}
