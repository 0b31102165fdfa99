import type { joinProblem } from './livekit-problems.ts';
import type { createRoomStay } from './livekit-room.ts';

export type Livekit = typeof import('./livekit-parts.ts');

/** Call this before the first Room: switches off behaviour of the library that we cannot accept. */
function tame(livekit: Livekit): void {
	// The library's log lines contain addresses with tokens.
	livekit.setLogLevel('silent');
	letRoomsGo(livekit);
	makeNoContexts(livekit);
}

/**
 * Every Room creates its own AudioContext as it connects, because of a delay in Safari (2.18.7,
 * `acquireAudioContext`). The context blocks the page's thread at Start for up to 100 ms and renders silence for
 * the whole call; the voice plays in elements, which need no context.
 */
function makeNoContexts(livekit: Livekit): void {
	Reflect.set(livekit.Room.prototype, 'acquireAudioContext', async () => {});
}

/**
 * Every Room registers itself for clean-up with a closure that holds the Room, so none is ever freed (2.18.7;
 * livekit/client-sdk-js issue 2008). Without the registry a Room is freed after disconnecting, which has already
 * removed everything that the clean-up would.
 */
function letRoomsGo(livekit: Livekit): void {
	Reflect.set(livekit.Room, 'cleanupRegistry', false);
}

/** LiveKit's library, and our modules that need it. */
interface Rooms {
	readonly livekit: Livekit;
	readonly createRoomStay: typeof createRoomStay;
	readonly joinProblem: typeof joinProblem;
}

let loading: Promise<Rooms> | null = null;

/** Loads the library (87 kB gzip, about 100 ms) once, while the user is setting up. Can be retried. */
export function preloadLivekit(): Promise<Rooms> {
	loading ??= Promise.all([import('./livekit-parts.ts'), import('./livekit-room.ts')]).then(
		([livekit, stays]) => {
			tame(livekit);
			return { livekit, createRoomStay: stays.createRoomStay, joinProblem: stays.joinProblem };
		},
		(failure: unknown) => {
			loading = null;
			throw failure;
		},
	);
	return loading;
}
