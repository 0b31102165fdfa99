import type { Interpreter, InterpreterTransport } from '#sandbox/interpreter/transport.ts';

/**
 * Returns every packet as it comes, on a voice that is there from the start, so that what is heard measures
 * the client and not an interpreter. Commands are answered by `interpreter`, which hears only silence.
 */
export function createMirror(
	interpreter: Interpreter,
	port: InterpreterTransport,
	language: string,
): Interpreter {
	port.publish([language]);
	let at = 0;
	return {
		...interpreter,
		get task() {
			return interpreter.task ?? null;
		},
		hear: (_level, durationMs) => interpreter.hear(0, durationMs),
		heardPacket(payload) {
			at += 1;
			port.speak(language, { transcriptionId: 'mirror', partId: `${at}`, packets: [payload] });
		},
	};
}
