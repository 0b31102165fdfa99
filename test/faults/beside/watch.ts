declare global {
	interface Window {
		readonly __watch: {
			/** Microphone tracks that are live. */
			microphones(): number;
			/** Elements that play a track of a voice that is live. */
			voices(): number;
			/** From now on nobody gets a microphone. */
			deny(): void;
		};
	}
}

/** `toString()` of it runs in the page before any page script, so it may use nothing from outside. */
export function installWatch(): void {
	const tracks = new Set<MediaStreamTrack>();
	const elements = new Set<HTMLMediaElement>();
	let denied = false;
	const media = MediaDevices.prototype;
	const { getUserMedia } = media;
	media.getUserMedia = async function (this: MediaDevices, constraints) {
		if (denied) throw new DOMException('Permission denied', 'NotAllowedError');
		const stream = await getUserMedia.call(this, constraints);
		for (const track of stream.getTracks()) tracks.add(track);
		return stream;
	};
	const srcObject = Object.getOwnPropertyDescriptor(HTMLMediaElement.prototype, 'srcObject');
	if (srcObject?.set) {
		const { set } = srcObject;
		Object.defineProperty(HTMLMediaElement.prototype, 'srcObject', {
			...srcObject,
			set(this: HTMLMediaElement, value: MediaProvider | null) {
				set.call(this, value);
				elements.add(this);
			},
		});
	}
	const isLive = (element: HTMLMediaElement) =>
		element.srcObject instanceof MediaStream &&
		element.srcObject.getAudioTracks().some(({ readyState }) => readyState === 'live');
	Object.defineProperty(window, '__watch', {
		value: {
			microphones: () => [...tracks].filter(({ readyState }) => readyState === 'live').length,
			voices: () => [...elements].filter((element) => !element.paused && isLive(element)).length,
			deny() {
				denied = true;
			},
		},
	});
}
