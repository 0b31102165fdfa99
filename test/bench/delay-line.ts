import type { Interpreter, InterpreterTransport } from '#sandbox/interpreter/transport.ts';

/** This long after the last loud packet still counts as speech. */
const HOLD_MS = 200;
const LOUD = 0.004;

/**
 * The sandbox's interpreter with its own texts at their own times, but the voice is what was said, later by exactly
 * `delayMs`. The interpreter must have no voice (fault `no-voice`).
 */
export function createDelayLine(
	interpreter: Interpreter,
	port: InterpreterTransport,
	parts: { readonly language: string; readonly delayMs: () => number },
): Interpreter {
	const waiting = new Set<NodeJS.Timeout>();
	let loudMs = Number.NEGATIVE_INFINITY;
	let at = 0;
	return {
		...interpreter,
		get task() {
			return interpreter.task ?? null;
		},
		hear(level, durationMs) {
			// An interpreter without a voice takes the track away whenever a task is applied.
			port.publish([parts.language]);
			if (level > LOUD) loudMs = performance.now();
			interpreter.hear(level, durationMs);
		},
		heardPacket(payload) {
			// Pauses are not sent, so that the line can catch up after a late timer.
			if (performance.now() - loudMs > HOLD_MS) return;
			const timer = setTimeout(() => {
				waiting.delete(timer);
				at += 1;
				port.speak(parts.language, { transcriptionId: 'line', partId: `${at}`, packets: [payload] });
			}, parts.delayMs());
			waiting.add(timer);
		},
		close() {
			for (const timer of waiting) clearTimeout(timer);
			interpreter.close();
		},
	};
}
