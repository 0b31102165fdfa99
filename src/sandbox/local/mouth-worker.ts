import { parentPort, workerData } from 'node:worker_threads';
import type { End } from './ear-worker.ts';
import { createTranslator } from './translator.ts';
import { createVoices, inTwo, type Sound, type Voicing } from './voice.ts';

/** Requests of the same kind are answered in order, but a translation does not wait for a voice. */
export type Request =
	| {
			readonly type: 'translate';
			readonly id: number;
			readonly text: string;
			readonly route: readonly string[];
	  }
	| ({ readonly type: 'speak'; readonly id: number } & Voicing);

/** Messages to the thread that translates and speaks. */
export type ToMouth = Request | End;

/** The sound of a text arrives in one or two pieces. */
export type FromMouth =
	| { readonly type: 'ready' }
	| { readonly type: 'translated'; readonly id: number; readonly text: string }
	| { readonly type: 'spoken'; readonly id: number; readonly sound: Sound | null; readonly isLast: boolean }
	| { readonly type: 'failed'; readonly id: number; readonly reason: string };

export interface MouthData {
	/** Folder of the models. */
	readonly folder: string;
}

const port = parentPort;
if (!port) throw new Error('runs as a thread only');
const { folder } = workerData as MouthData;
const ending = new AbortController();
const [translator, voice] = await Promise.all([
	createTranslator(folder),
	createVoices(folder, ending.signal),
]);

function answer(message: FromMouth): void {
	port?.postMessage(message);
}

async function obey(message: Request): Promise<FromMouth> {
	const { id } = message;
	ending.signal.throwIfAborted();
	if (message.type === 'speak') {
		const parts = inTwo((sound) => answer({ type: 'spoken', id, sound, isLast: false }));
		await voice.speak(message, parts.take);
		return { type: 'spoken', id, sound: parts.rest(), isLast: true };
	}
	return { type: 'translated', id, text: await translator.translate(message.text, message.route) };
}

const turns = { translate: Promise.resolve(), speak: Promise.resolve() };
port.on('message', (message: ToMouth) => {
	if (message.type === 'end') {
		ending.abort();
		void Promise.all([turns.translate, turns.speak]).then(() => process.exit());
		return;
	}
	turns[message.type] = turns[message.type]
		.then(() => obey(message))
		.catch(
			(failure: unknown): FromMouth => ({
				type: 'failed',
				id: message.id,
				reason: failure instanceof Error ? failure.message : String(failure),
			}),
		)
		.then(answer);
});
answer({ type: 'ready' });
