import { espeakName, wordsPerMinute } from '#sandbox/speech/timbre.ts';
import { voiceFor } from '#shared/models/manifest.ts';
import { isInstalled } from './models.ts';
import { loadEspeak } from './packages.ts';
import { createPiper } from './piper.ts';

const PITCH = { low: 50, high: 65 } as const;

/** Language codes for which espeak-ng would choose another variant than we want. */
const NAMES: ReadonlyMap<string, string> = new Map([
	['en', 'en-us'],
	['fr', 'fr-fr'],
	// The variant of most speakers, and better understood: Whisper recognises 66 % of its words, 37 % of the
	// European variant's.
	['pt', 'pt-br'],
	['pt-eu', 'pt'],
]);

export interface Voicing {
	readonly text: string;
	readonly language: string;
	readonly timbre: 'low' | 'high';
	/** 1 is normal. */
	readonly tempo: number;
}

/** Length of the first piece of a sentence, which plays while the rest is generated. */
const FIRST_MS = 400;

export interface Sound {
	/** 16-bit, mono. */
	readonly samples: Int16Array;
	readonly rateHz: number;
}

export interface Voice {
	/** Delivers the sound piece by piece as it is generated; nothing if the language has no voice. */
	speak(voicing: Voicing, heard: (piece: Sound) => void): Promise<void>;
}

/** espeak-ng in WebAssembly: about a hundred languages, in this process, without a program to install. */
export async function createEspeak(folder: string) {
	const { worker, files } = await loadEspeak(folder);
	const rateHz = worker.samplerate ?? worker.get_samplerate?.() ?? 22_050;
	return {
		files,
		speak({ text, language, timbre, tempo }: Voicing, heard: (piece: Sound) => void): void {
			worker.set_voice(espeakName(language, NAMES));
			worker.set_rate(wordsPerMinute(tempo));
			worker.set_pitch(PITCH[timbre]);
			worker.synthesize(text, (audio) => {
				// The memory belongs to the module, which reuses it.
				if (audio?.byteLength) heard({ samples: new Int16Array(audio.slice(0)), rateHz });
				return 0;
			});
		},
	};
}

/**
 * Piper if the voice of the language is installed and can be loaded, otherwise espeak-ng. Once aborted, Piper
 * speaks no further sentence.
 */
export async function createVoices(folder: string, signal: AbortSignal): Promise<Voice> {
	const espeak = await createEspeak(folder);
	const piper = createPiper(folder, espeak.files, signal);
	return {
		async speak(voicing, heard) {
			const id = voiceFor(voicing.language);
			if (id === null || !isInstalled(folder, id)) return espeak.speak(voicing, heard);
			let isHeard = false;
			try {
				await piper.speak(id, voicing, (piece) => {
					isHeard = true;
					heard(piece);
				});
			} catch (failure) {
				if (isHeard) throw failure;
				espeak.speak(voicing, heard);
			}
		},
	};
}

/** Joins the pieces of a sound. */
export function joined(pieces: readonly Sound[]): Sound {
	const samples = new Int16Array(pieces.reduce((sum, piece) => sum + piece.samples.length, 0));
	let at = 0;
	for (const piece of pieces) {
		samples.set(piece.samples, at);
		at += piece.samples.length;
	}
	return { samples, rateHz: pieces[0]?.rateHz ?? 22_050 };
}

/**
 * Delivers the beginning of a sentence separately, so that the voice can start while the rest is still being
 * generated. It ends with a whole frame of 20 ms, because only whole frames are played.
 */
export function inTwo(begin: (piece: Sound) => void): { take(piece: Sound): void; rest(): Sound | null } {
	let pieces: Sound[] = [];
	let isBegun = false;
	return {
		take(piece) {
			pieces.push(piece);
			if (isBegun) return;
			const { samples, rateHz } = joined(pieces);
			const frame = rateHz / 50;
			const first = Math.floor(samples.length / frame) * frame;
			if (first < (rateHz * FIRST_MS) / 1000) return;
			isBegun = true;
			begin({ samples: samples.subarray(0, first), rateHz });
			pieces = [{ samples: samples.subarray(first), rateHz }];
		},
		rest: () => (pieces.length === 0 ? null : joined(pieces)),
	};
}
