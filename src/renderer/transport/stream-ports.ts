import { PORTS } from '#shared/host/names.ts';
import { PortsNote, STREAM_PORTS } from '#shared/host/streams.ts';
import type { Clock } from '#shared/lib/clock.ts';

/** The page's ends of a stream (`shared/host/streams.ts`). */
export interface StreamPorts {
	readonly control: MessagePort;
	readonly capture: MessagePort;
	readonly voice: MessagePort;
}

export type StreamPortsReceiver = ReturnType<typeof createStreamPortsReceiver>;

/**
 * Receives the ports that main gives the window, from the preload.
 * The preload's bridge cannot carry ports, so they arrive as a message from the window to itself; ignores other
 * messages.
 */
export function createStreamPortsReceiver(page: Window) {
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
		// The caller has given up: closing the ports informs main.
		for (const port of event.ports) port.close();
	});

	return {
		/** Calls back once, when the ports of this stream have arrived. Returns a function that stops waiting. */
		expect(stream: string, came: (ports: StreamPorts) => void): () => void {
			waiting.set(stream, came);
			return () => void waiting.delete(stream);
		},
	};
}

/** The ports arrive at once or, if the page has no receiver, not at all. */
const PORTS_LIMIT_MS = 2000;

/** Expects a stream's ports, which may arrive before the answer: call this before sending the request. */
export function expectPorts(
	{ receiver, clock }: { readonly receiver: StreamPortsReceiver; readonly clock: Pick<Clock, 'after'> },
	stream: string,
) {
	const { promise, resolve } = Promise.withResolvers<StreamPorts | null>();
	let ports: StreamPorts | null = null;
	const unexpect = receiver.expect(stream, (came) => {
		ports = came;
		resolve(came);
	});
	return {
		/** Call this after main has announced the ports. Null: they did not arrive within 2 s. */
		async wait(): Promise<StreamPorts | null> {
			const cancel = clock.after(PORTS_LIMIT_MS, () => {
				unexpect();
				resolve(null);
			});
			const came = await promise;
			cancel();
			return came;
		},
		/** Closes the unwanted ports, now or when they arrive. */
		refuse(): void {
			unexpect();
			resolve(null);
			for (const port of ports ? [ports.control, ports.capture, ports.voice] : []) port.close();
		},
	};
}
