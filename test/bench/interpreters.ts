import { transcription } from '#sandbox/interpreter/messages.ts';
import type { Interpreter, InterpreterTransport } from '#sandbox/interpreter/transport.ts';
import { SERVER_MESSAGE } from '#shared/protocol/vocabulary.ts';

/** An interpreter that hears nothing and sends the texts that a benchmark gives it. */
export interface Talker {
	/** Pass this to the sandbox's option of the same name. */
	interpose(interpreter: Interpreter, port: InterpreterTransport): Interpreter;
	/** Sends a partial text of row `row`, or its final text together with the translation. */
	say(row: number, text: string, final: boolean): void;
}

export function createTalker(): Talker {
	let port: InterpreterTransport | null = null;
	const spoken = (row: number, language: string, text: string) => ({
		transcriptionId: `bench${row}`,
		language,
		text,
		startS: row,
		endS: row + 1,
		startedAtS: 1_700_000_000,
	});
	return {
		interpose(interpreter, given) {
			port = given;
			return {
				...interpreter,
				get task() {
					return interpreter.task ?? null;
				},
				hear: (_level, durationMs) => interpreter.hear(0, durationMs),
			};
		},
		say(row, text, final) {
			const { partialTranscription, validatedTranscription, translatedTranscription } = SERVER_MESSAGE;
			const kind = final ? validatedTranscription : partialTranscription;
			port?.say(transcription(kind, spoken(row, 'en', text), { translation: false }));
			if (final)
				port?.say(transcription(translatedTranscription, spoken(row, 'es', text), { translation: true }));
		},
	};
}

/** A sentence of usual length. */
export const SENTENCE = 'what was agreed about the delivery in the spring and who will write the letter';

/**
 * Sends every packet back at once, as a voice that exists from the start, so that the delay measured is the client's and not
 * an interpreter's. `interpreter` answers the commands and hears only silence.
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
