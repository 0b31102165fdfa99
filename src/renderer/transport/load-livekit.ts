import { type Livekit, tame } from './livekit.ts';
import type { joinProblem } from './livekit-problems.ts';
import type { createRoomStay } from './livekit-room.ts';

/** The library, and those of our modules that need it. */
interface Rooms {
	readonly livekit: Livekit;
	readonly createRoomStay: typeof createRoomStay;
	readonly joinProblem: typeof joinProblem;
}

let loading: Promise<Rooms> | null = null;

/**
 * Loads the library (87 kB gzip, about 100 ms) once; call it while the user is setting up. A failed
 * load is forgotten, so that the next call tries again.
 */
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
