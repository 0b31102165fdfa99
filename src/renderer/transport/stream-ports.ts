import { PORTS } from '#shared/host/channels.ts';
import { PortsNote, STREAM_PORTS } from '#shared/host/streams.ts';

/** The page's ends of a stream (`shared/host/streams.ts`). */
export interface StreamPorts {
	readonly control: MessagePort;
	readonly capture: MessagePort;
	readonly voice: MessagePort;
}

/** Where the preload leaves the ports that main gives the window. */
export interface StreamPortsDoor {
	/** Calls back once, when the ports of this stream have come. Returns the end of waiting. */
	expect(stream: string, came: (ports: StreamPorts) => void): () => void;
}

/** A bridge cannot carry ports: they come as a message of the window to itself, and of nobody else. */
export function createStreamPortsDoor(page: Window): StreamPortsDoor {
	const waiting = new Map<string, (ports: StreamPorts) => void>();

	page.addEventListener('message', (event) => {
		if (event.source !== page || event.origin !== page.location.origin) return;
		const { data } = event as { data: unknown };
		if (typeof data !== 'object' || data === null || !('name' in data) || data.name !== PORTS) return;
		const note = PortsNote.safeParse('note' in data ? data.note : null);
		const [control, capture, voice] = event.ports;
		if (!note.success || event.ports.length !== STREAM_PORTS.length || !control || !capture || !voice) return;
		const came = waiting.get(note.data.stream);
		waiting.delete(note.data.stream);
		if (came) return came({ control, capture, voice });
		// Nobody waits any more: main sees its ends close.
		for (const port of event.ports) port.close();
	});

	return {
		expect(stream, came) {
			waiting.set(stream, came);
			return () => void waiting.delete(stream);
		},
	};
}
