/** What the page calls, by `exposeFunction`. */
export interface PageDoors {
	/** It has come to its fatal step and waits to be killed. */
	atFatalStep(): void;
	/** Finals are handed to the history. */
	handedFinals(texts: readonly string[]): void;
}

/** What `countPageSteps` puts on `window`. */
export interface PageSteps {
	/** Counts from zero, and stops for good at the step of this number; 0 = never. */
	arm(fatal: number): void;
	count(): number;
}

type AnyFunction = (...args: unknown[]) => unknown;

/**
 * Counts every step by which a page touches the world outside it: calls of main, of sockets, of peer connections, of
 * devices and of sound, each before it is done and before its outcome is handled. At the fatal one it reports that and
 * never comes to the next. `toString()` of it runs in the page, so it may use nothing from outside.
 */
export function countPageSteps(): void {
	// A page that outlived its trial counts already; counted twice, it would still die at the step of that trial.
	if ('crash' in window) return;
	const doors = window as unknown as PageDoors;
	let steps = 0;
	let fatal = 0;

	function step(): void {
		if (++steps !== fatal) return;
		doors.atFatalStep();
		for (;;);
	}

	function counted(run: AnyFunction): AnyFunction {
		return function (this: unknown, ...args: unknown[]): unknown {
			step();
			const outcome = Reflect.apply(run, this, args);
			if (outcome instanceof Promise) return outcome.finally(step);
			step();
			return outcome;
		};
	}

	function countAll(holder: object, names: readonly string[]): void {
		for (const name of names) {
			const run: unknown = Reflect.get(holder, name);
			if (typeof run === 'function')
				Object.defineProperty(holder, name, { value: counted(run as AnyFunction), configurable: true });
		}
	}

	/** Calls of main pass as events; what they say is read on the way. */
	const dispatch = EventTarget.prototype.dispatchEvent;
	EventTarget.prototype.dispatchEvent = function (event) {
		const isCall = event.type === 'to-preload' && event instanceof MessageEvent;
		if (isCall) {
			const said = JSON.parse(event.lastEventId) as { args?: { v?: unknown }[] };
			const [name, input] = said.args ?? [];
			if (name?.v === 'history.append') {
				const { captions } = (input?.v ?? { captions: [] }) as {
					captions: { text: string; final: boolean }[];
				};
				doors.handedFinals(captions.filter(({ final }) => final).map(({ text }) => text));
			}
			step();
		}
		const outcome = dispatch.call(this, event);
		if (isCall) step();
		return outcome;
	};
	countAll(WebSocket.prototype, ['send', 'close']);
	countAll(RTCDataChannel.prototype, ['send', 'close']);
	countAll(RTCPeerConnection.prototype, ['createOffer', 'createAnswer', 'setLocalDescription', 'close']);
	countAll(RTCPeerConnection.prototype, ['setRemoteDescription', 'addIceCandidate', 'addTransceiver']);
	countAll(MediaDevices.prototype, ['getUserMedia', 'enumerateDevices']);
	countAll(MediaStreamTrack.prototype, ['stop', 'applyConstraints']);
	countAll(AudioContext.prototype, ['resume', 'close']);
	countAll(AudioWorklet.prototype, ['addModule']);
	countAll(RTCRtpSender.prototype, ['replaceTrack', 'setParameters']);
	const crash: PageSteps = {
		arm(at) {
			steps = 0;
			fatal = at;
		},
		count: () => steps,
	};
	Object.assign(window, { crash });
}
