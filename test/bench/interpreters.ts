import { transcription } from '#sandbox/interpreter/messages.ts';
import type { Interpreter, InterpreterTransport } from '#sandbox/interpreter/transport.ts';
import { SERVER_MESSAGE } from '#shared/protocol/vocabulary.ts';

/** An interpreter that hears nothing and says what the measurement tells it to. */
export interface Talker {
	/** For the sandbox's option of this name. */
	interpose(interpreter: Interpreter, port: InterpreterTransport): Interpreter;
	/** What was heard in row `row`: not yet certain, or final together with its translation. */
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

/** A sentence as long as most are. */
export const SENTENCE = 'what was agreed about the delivery in the spring and who will write the letter';

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
