import type { Clock } from '#shared/lib/clock.ts';

const added = new WeakMap<BaseAudioContext, Map<string, Promise<void>>>();

/** Loads a worklet into a context once. Rejects if that fails; the next request then tries again. */
export function addWorklet(context: BaseAudioContext, url: string): Promise<void> {
	const known = added.get(context) ?? new Map<string, Promise<void>>();
	added.set(context, known);
	const before = known.get(url);
	if (before) return before;
	const loading = context.audioWorklet.addModule(url);
	known.set(url, loading);
	// The next request tries again.
	loading.catch(() => known.delete(url));
	return loading;
}

/** A worklet answers at once, even in a stalled context, unless its thread is gone. */
const ANSWER_LIMIT_MS = 1000;

/** A port lent to a worklet. Sends `end` to the worklet, which answers with `answer` and the port. */
export function createLentPort(clock: Clock, { end, answer }: { end: unknown; answer: string }) {
	let held: Promise<MessagePort | null> = Promise.resolve(null);
	let isClosed = false;

	function keep(next: Promise<MessagePort | null>): void {
		held = next;
		void next.then((port) => isClosed && port?.close());
	}

	return {
		/** Gives the port to the page, at first or again. */
		own: (port: MessagePort): void => keep(Promise.resolve(port)),
		/** Resolves to the port as soon as its holder returns it; null if it is lost for good. */
		async take(): Promise<MessagePort | null> {
			const taken = held;
			const port = await taken;
			// Only one caller may get the port.
			if (held === taken) held = Promise.resolve(null);
			return isClosed ? null : port;
		},
		/** Asks the worklet to end and to answer with the port. Resolves once it has answered, or never will. */
		recall(from: AudioWorkletNode): Promise<void> {
			const back = new Promise<MessagePort | null>((done) => {
				const stop = clock.after(ANSWER_LIMIT_MS, () => done(null));
				from.port.addEventListener('message', ({ data, ports: [port] }) => {
					if (data?.type !== answer) return;
					stop();
					done(port ?? null);
				});
			});
			from.port.postMessage(end);
			keep(back);
			return back.then(() => {});
		},
		/** Closes the port if the page has it. */
		close(): void {
			isClosed = true;
			keep(held);
		},
	};
}
