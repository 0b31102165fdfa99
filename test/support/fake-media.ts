import type { MediaSource } from '#renderer/sound/device-list.ts';

export interface FakeDevice {
	readonly kind: 'audioinput' | 'audiooutput';
	readonly id: string;
	readonly label: string;
}

/** Devices in the test's hand: real tracks of tones, no hardware. The first device of a kind is the default. */
export interface FakeMedia extends MediaSource {
	/** Constraints requested, newest last. */
	readonly asked: MediaTrackConstraints[];
	/** Tracks handed out, newest last. */
	readonly tracks: MediaStreamTrack[];
	/** Tracks handed out and not stopped, copies of them not counted. */
	live(): number;
	/** Replaces the devices with these, and announces it. Tracks of removed devices end, as when unplugged. */
	plug(devices: readonly FakeDevice[]): void;
	/** The next requests fail with these, in order, before it works again; `hold` = no answer until `release`. */
	fail(...names: readonly string[]): void;
	release(): void;
	/** Loudness of every track, 0 to 1. */
	setLoudness(loudness: number): void;
	close(): Promise<void>;
}

export function createFakeMedia(first: readonly FakeDevice[]): FakeMedia {
	const events = new EventTarget();
	const context = new AudioContext();
	const tone = context.createOscillator();
	const loudness = context.createGain();
	loudness.gain.value = 0;
	tone.connect(loudness);
	tone.start();
	let devices = first;
	let failures: string[] = [];
	const held: (() => void)[] = [];
	const asked: MediaTrackConstraints[] = [];
	const tracks: MediaStreamTrack[] = [];
	const origin = new Map<MediaStreamTrack, FakeDevice>();

	function open(wish: MediaTrackConstraints): MediaStream {
		const exact =
			typeof wish.deviceId === 'object' && 'exact' in wish.deviceId ? wish.deviceId.exact : undefined;
		const inputs = devices.filter((device) => device.kind === 'audioinput');
		const device = exact === undefined ? inputs[0] : inputs.find((one) => one.id === exact);
		if (!device) throw new DOMException('', inputs.length === 0 ? 'NotFoundError' : 'OverconstrainedError');
		const sink = context.createMediaStreamDestination();
		loudness.connect(sink);
		for (const track of sink.stream.getAudioTracks()) {
			Object.defineProperty(track, 'label', { value: device.label });
			tracks.push(track);
			origin.set(track, device);
		}
		return sink.stream;
	}

	return {
		asked,
		tracks,
		live: () => tracks.filter((track) => track.readyState === 'live').length,
		async enumerateDevices() {
			const kinds = ['audioinput', 'audiooutput'] as const;
			return kinds.flatMap((kind) => {
				const own = devices.filter((device) => device.kind === kind);
				const [main] = own;
				const alias = main ? [{ ...main, id: 'default', label: `Default - ${main.label}`, of: main.id }] : [];
				return [...alias, ...own.map((device) => ({ ...device, of: device.id }))].map(
					({ id, label, of }) =>
						({ kind, deviceId: id, label, groupId: `group-${of}`, toJSON: () => ({}) }) as MediaDeviceInfo,
				);
			});
		},
		async getUserMedia(constraints) {
			const wish = typeof constraints?.audio === 'object' ? constraints.audio : {};
			asked.push(wish);
			const failure = failures.shift();
			if (failure === 'hold') await new Promise<void>((resolve) => held.push(resolve));
			else if (failure) throw new DOMException('', failure);
			return open(wish);
		},
		addEventListener: events.addEventListener.bind(events) as MediaSource['addEventListener'],
		removeEventListener: events.removeEventListener.bind(events) as MediaSource['removeEventListener'],
		plug(next) {
			devices = next;
			for (const track of tracks) {
				const device = origin.get(track);
				if (track.readyState !== 'live' || next.some((one) => one.id === device?.id)) continue;
				track.stop();
				// `stop()` fires no `ended` event, but the loss of a device does.
				track.dispatchEvent(new Event('ended'));
			}
			events.dispatchEvent(new Event('devicechange'));
		},
		fail: (...names) => {
			failures = [...failures, ...names];
		},
		release() {
			for (const answer of held.splice(0)) answer();
		},
		setLoudness: (next) => {
			loudness.gain.value = next;
		},
		close: () => context.close(),
	};
}
