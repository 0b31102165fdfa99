/**
 * A message of a MessagePort as bytes: JSON and the typed arrays in it, because `structuredClone` has no
 * form that both a browser and Node can read. Anything else raises `DataCloneError`, as in Electron
 * (which takes a little more; the app does not use it).
 *
 * Both functions run in a worker of the page as well, sent there by `toString()`, so they may use nothing
 * from outside.
 */
export function encodeFrame(value: unknown): Uint8Array<ArrayBuffer> {
	const parts: Uint8Array[] = [];
	const json = JSON.stringify(value, (_key, inner: unknown) => {
		if (
			typeof inner === 'function' ||
			typeof inner === 'symbol' ||
			inner instanceof Map ||
			inner instanceof Set
		)
			throw new DOMException('could not be cloned', 'DataCloneError');
		if (!ArrayBuffer.isView(inner)) return inner;
		parts.push(new Uint8Array(inner.buffer, inner.byteOffset, inner.byteLength));
		return { '\u0000': inner.constructor.name, bytes: inner.byteLength };
	});
	const text = new TextEncoder().encode(json);
	const padded = (length: number) => Math.ceil(length / 8) * 8;
	const total = parts.reduce((sum, part) => sum + padded(part.length), 8 + padded(text.length));
	const frame = new Uint8Array(total);
	new DataView(frame.buffer).setUint32(0, text.length);
	frame.set(text, 8);
	let at = 8 + padded(text.length);
	for (const part of parts) {
		frame.set(part, at);
		at += padded(part.length);
	}
	return frame;
}

/** `frame` begins at a multiple of 8 in its buffer. */
export function decodeFrame(frame: ArrayBuffer): unknown {
	function make(kind: string, bytes: ArrayBuffer): unknown {
		if (kind === 'Int16Array') return new Int16Array(bytes);
		return kind === 'Float32Array' ? new Float32Array(bytes) : new Uint8Array(bytes);
	}
	const padded = (length: number) => Math.ceil(length / 8) * 8;
	const length = new DataView(frame).getUint32(0);
	let at = 8 + padded(length);
	function revive(value: unknown): unknown {
		if (typeof value !== 'object' || value === null) return value;
		if (Array.isArray(value)) return value.map(revive);
		const entries = Object.entries(value);
		const kind = (value as Record<string, unknown>)['\u0000'];
		if (typeof kind === 'string') {
			const bytes = Number((value as Record<string, unknown>).bytes);
			const made = make(kind, frame.slice(at, at + bytes));
			at += padded(bytes);
			return made;
		}
		return Object.fromEntries(entries.map(([key, inner]) => [key, revive(inner)]));
	}
	return revive(JSON.parse(new TextDecoder().decode(new Uint8Array(frame, 8, length))));
}

/** The worker in the page: each port it is given is the page's end of a socket to main. */
function pumpPorts(encode: typeof encodeFrame, decode: typeof decodeFrame): void {
	self.onmessage = ({ data, ports: [port] }: MessageEvent<{ url: string }>) => {
		if (!port) return;
		const socket = new WebSocket(data.url);
		socket.binaryType = 'arraybuffer';
		const waiting: Uint8Array<ArrayBuffer>[] = [];
		socket.onopen = () => {
			for (const frame of waiting.splice(0)) socket.send(frame);
		};
		socket.onmessage = (event) => port.postMessage(decode(event.data));
		socket.onclose = () => port.close();
		port.onmessage = (event) => {
			const frame = encode(event.data);
			if (socket.readyState === WebSocket.CONNECTING) waiting.push(frame);
			else if (socket.readyState === WebSocket.OPEN) socket.send(frame);
		};
		// Chromium tells when the other end was closed or its owner has gone.
		port.addEventListener('close', () => socket.close());
	};
}

export const portWorkerScript = `(${pumpPorts})(${encodeFrame}, ${decodeFrame})`;
