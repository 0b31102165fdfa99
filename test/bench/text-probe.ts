/** A message of the interpreter, as it came out of the room's data channel. */
export interface TextSlot {
	/** ms since 1970. */
	readonly atMs: number;
	readonly kind: 'finished' | 'unfinished' | 'other';
	/** Identifies a text by its type and its sentence, the same at both ends of a line. */
	readonly key: string;
	/** Index of the page's connection, in the order they were made. */
	readonly connection: number;
	readonly bytes: number;
}

declare global {
	interface Window {
		/** What came since the last call. */
		readonly __texts: () => TextSlot[];
	}
}

/** `toString()` of it runs in the page before any page script, so it may use nothing from outside. */
export function installTextProbe(): void {
	const decoder = new TextDecoder();
	let slots: TextSlot[] = [];
	let connections = 0;

	function hear(connection: number, { data }: MessageEvent): void {
		if (!(data instanceof ArrayBuffer)) return;
		const words = decoder.decode(data);
		const read = (pattern: RegExp) => pattern.exec(words)?.[1] ?? '';
		const type = read(/"message_type":"(\w+)"/);
		const isText = /transcription$/.test(type);
		slots.push({
			atMs: Date.now(),
			kind: !isText ? 'other' : type.startsWith('partial_') ? 'unfinished' : 'finished',
			key: `${type} ${read(/"transcription_id":"(\w+)"/)}`,
			connection,
			bytes: data.byteLength,
		});
	}

	const Native = window.RTCPeerConnection;
	window.RTCPeerConnection = class extends Native {
		constructor(configuration?: RTCConfiguration) {
			super(configuration);
			const own = connections++;
			this.addEventListener('datachannel', ({ channel }) =>
				channel.addEventListener('message', (event) => hear(own, event)),
			);
		}
	};
	Object.defineProperty(window, '__texts', {
		value: () => {
			const taken = slots;
			slots = [];
			return taken;
		},
	});
}
