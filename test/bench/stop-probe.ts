/** Wall-clock ms, to be compared with another process; null = has not happened. */
export interface StopSeen {
	readonly pressedMs: number | null;
	/** When the last track of the microphone had ended. */
	readonly releasedMs: number | null;
}

/** `__stop` of a page in which `installStopProbe` ran. */
export interface StopProbe {
	/** The next press is the one that counts. */
	arm(): void;
	seen(): StopSeen;
	/** From now on the room's socket swallows what is sent to it and does not close. */
	hang(on: boolean): void;
}

/**
 * Watches presses and every copy of the microphone's track. `toString()` of it runs in the page before any page
 * script, so it may use nothing from outside.
 */
export function installStopProbe(): void {
	const live = new Set<MediaStreamTrack>();
	let pressedMs: number | null = null;
	let releasedMs: number | null = null;
	let hanging = false;
	const wall = (atMs: number) => performance.timeOrigin + atMs;

	function look(): void {
		for (const track of live) if (track.readyState === 'ended') live.delete(track);
		if (live.size === 0 && pressedMs !== null) releasedMs ??= wall(performance.now());
	}
	const { stop, clone } = MediaStreamTrack.prototype;
	MediaStreamTrack.prototype.stop = function (this: MediaStreamTrack) {
		const mine = live.has(this);
		stop.call(this);
		if (mine) look();
	};
	MediaStreamTrack.prototype.clone = function (this: MediaStreamTrack) {
		const copy = clone.call(this);
		if (live.has(this)) live.add(copy);
		return copy;
	};
	const devices = navigator.mediaDevices;
	const open = devices.getUserMedia.bind(devices);
	devices.getUserMedia = async (wish) => {
		const stream = await open(wish);
		for (const track of stream.getAudioTracks()) live.add(track);
		return stream;
	};
	for (const method of ['send', 'close'] as const) {
		const native = WebSocket.prototype[method] as (...all: unknown[]) => void;
		WebSocket.prototype[method] = function (this: WebSocket, ...all: unknown[]) {
			if (!hanging) native.apply(this, all);
		};
	}
	addEventListener(
		'click',
		(event) => {
			if (event.isTrusted) pressedMs ??= wall(event.timeStamp);
		},
		true,
	);
	const probe: StopProbe = {
		arm() {
			pressedMs = null;
			releasedMs = null;
		},
		seen: () => ({ pressedMs, releasedMs }),
		hang(on) {
			hanging = on;
		},
	};
	Object.defineProperty(window, '__stop', { value: probe });
}
