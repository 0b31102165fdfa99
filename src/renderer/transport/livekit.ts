export type Livekit = typeof import('./livekit-parts.ts');

/** Before the first Room: what the library does that we cannot have. */
export function tame(livekit: Livekit): void {
	// Its log lines carry addresses with tokens in them.
	livekit.setLogLevel('silent');
	letRoomsGo(livekit);
	makeNoContexts(livekit);
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
