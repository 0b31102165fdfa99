import type { AppliedGlossaries } from '#sandbox/glossaries/glossary-store.ts';
import type { Engine, EnginePorts } from '#sandbox/interpreter/transport.ts';
import type { Transcriber, TranscriberParts } from '#sandbox/sockets/speech-to-text.ts';
import { toFloat } from '#sandbox/speech/pcm.ts';
import type { ReadingOptions, Synthesizer } from '#sandbox/speech/synthesizer.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { createLocalEngine } from './local-engine.ts';
import { createLocalTranscriber } from './local-transcriber.ts';
import { createLibrary } from './models.ts';
import { createThreads } from './threads.ts';
import { joined, type Sound, type Voicing } from './voice.ts';

/** Everything that recognises, translates and speaks with the models in one folder. Its owner closes it. */
export interface LocalInterpreter {
	createEngine(ports: EnginePorts, glossaries: AppliedGlossaries, synthesizer: Synthesizer): Engine;
	createTranscriber(parts: TranscriberParts): Transcriber;
	/** Null where there is no voice for the language. */
	speak(
		text: string,
		language: string,
		options?: ReadingOptions,
	): Promise<{ readonly samples: Float32Array; readonly rateHz: number } | null>;
	close(): void;
}

export function createLocalInterpreter(folder: string, clock: Clock): LocalInterpreter {
	const library = createLibrary(folder);
	const threads = createThreads({ clock, folder, detector: library.detector });
	return {
		createTranscriber: (parts) => createLocalTranscriber(parts, { threads, library }),
		createEngine: (ports, glossaries, { frames }) =>
			createLocalEngine(ports, { threads, library, glossaries, frames }),
		async speak(text, language, { timbre = 'low', tempo = 1 } = {}) {
			const mouth = await threads.mouth();
			const pieces: Sound[] = [];
			const voicing: Voicing = { text, language, timbre: timbre === 'high' ? 'high' : 'low', tempo };
			await mouth.speak(voicing, (piece) => void pieces.push(piece));
			const { samples, rateHz } = joined(pieces);
			return samples.length === 0 ? null : { samples: toFloat(samples), rateHz };
		},
		close: threads.close,
	};
}
