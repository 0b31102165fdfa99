import type { Voice } from '#sandbox/canned/engine.ts';
import type { PhrasePicker } from '#sandbox/canned/phrases.ts';
import { createFaults } from '#sandbox/faults.ts';
import { createInterpreter } from '#sandbox/interpreter/interpreter.ts';
import type {
	Engine,
	EnginePorts,
	Interpreter,
	InterpreterTransport,
} from '#sandbox/interpreter/transport.ts';
import type { Timbre } from '#sandbox/speech/timbre.ts';
import { createManualClock, type ManualClock } from '#test/support/manual-clock.ts';

/** One thing the interpreter did, with the time since the stage was set, ms. */
export interface Deed {
	readonly atMs: number;
	readonly what: 'say' | 'publish' | 'speak' | 'drop' | 'end';
	/** The message, the languages, the language spoken; null for `end`. */
	readonly value: unknown;
}

/** An interpreter under manual time with a port that plays speech as long as it is. */
export interface InterpreterStage {
	readonly clock: ManualClock;
	readonly interpreter: Interpreter;
	readonly deeds: readonly Deed[];
	/** Messages of one type, or all with a type. */
	messages(type?: string): { message_type: string; data: Record<string, unknown> }[];
	/** `[type, language, text]` of every text message, in order. */
	texts(): [string, string, string][];
	command(messageType: string, data?: object): void;
	/** Lets time pass while packets of that level arrive every 20 ms. */
	hear(level: number, ms: number): Promise<void>;
	/** Lets time pass without packets. */
	wait(ms: number): Promise<void>;
	setFault(name: string, on: boolean): void;
}

export function webrtcTask(
	options: { source?: string; targets?: readonly string[]; pipeline?: object } = {},
): object {
	const targets = options.targets ?? ['es'];
	return {
		input_stream: { content_type: 'audio', source: { type: 'webrtc' } },
		output_stream: { content_type: 'audio', target: { type: 'webrtc' } },
		pipeline: {
			transcription: { source_language: options.source ?? 'en' },
			translations: targets.map((target) => ({ target_language: target })),
			...options.pipeline,
		},
	};
}

/** Speech is loud, silence is a little noise. */
export const SPEECH = 0.1;
export const SILENCE = 0.0005;

export function createInterpreterStage(
	options: {
		generation?: 'current' | 'older';
		kind?: 'script' | 'echo';
		faults?: readonly string[];
		phrasePicker?: PhrasePicker;
		voice?: Voice;
		timbreOf?: (voiceId: string) => Timbre | null;
		/** Instead of the scripted one. */
		createEngine?: (ports: EnginePorts) => Engine;
		/** Every draw is in the middle of its range unless given: runs are repeatable, and all ids alike. */
		random?: () => number;
		/** The client sends a file. */
		asHeard?: boolean;
	} = {},
): InterpreterStage {
	const clock = createManualClock();
	const faults = createFaults();
	for (const fault of options.faults ?? []) faults.set(fault, true);
	const deeds: Deed[] = [];
	const did = (what: Deed['what'], value: unknown) => deeds.push({ atMs: clock.now(), what, value });
	const playingUntil = new Map<string, number>();
	const port: InterpreterTransport = {
		say: (message) => did('say', structuredClone(message)),
		publish: (languages) => did('publish', [...languages]),
		speak(language, speech) {
			did('speak', { language, id: speech.transcriptionId, part: speech.partId, packets: speech.packets });
			const start = Math.max(clock.now(), playingUntil.get(language) ?? 0);
			playingUntil.set(language, start + speech.packets.length * 20);
			const { promise, resolve } = Promise.withResolvers<void>();
			const cancel = clock.after(start - clock.now() + speech.packets.length * 20, resolve);
			return {
				done: promise,
				drop() {
					cancel();
					resolve();
					did('drop', language);
				},
			};
		},
		end: () => did('end', null),
		asHeard: options.asHeard ?? false,
	};
	const interpreter = createInterpreter({
		kind: options.kind ?? 'script',
		generation: options.generation ?? 'current',
		clock,
		random: options.random ?? (() => 0.5),
		faults,
		transport: port,
		...(options.phrasePicker && { phrasePicker: options.phrasePicker }),
		...(options.voice && { voice: options.voice }),
		...(options.timbreOf && { timbreOf: options.timbreOf }),
		createEngine: options.createEngine,
	});

	function messages(type?: string) {
		return deeds
			.filter(({ what }) => what === 'say')
			.map(({ value }) => value as { message_type: string; data: Record<string, unknown> })
			.filter((message) => (type === undefined ? 'message_type' in message : message.message_type === type));
	}

	return {
		clock,
		interpreter,
		deeds,
		messages,
		texts: () =>
			messages()
				.filter(({ message_type: name }) => name.endsWith('transcription'))
				.map(({ message_type: name, data }) => {
					const { language, text } = data.transcription as { language: string; text: string };
					return [name, language, text];
				}),
		command: (message_type, data = {}) => interpreter.command(JSON.stringify({ message_type, data })),
		async hear(level, ms) {
			for (let heard = 0; heard < ms; heard += 20) {
				interpreter.hear(level, 20);
				interpreter.heardPacket?.(Uint8Array.of(0xf8, heard / 20, Math.round(level * 100)));
				await clock.run(20);
			}
		},
		wait: (ms) => clock.run(ms),
		setFault: (name, on) => void faults.set(name, on),
	};
}

/** A stage whose task runs and whose client sends silence; 2.1 s have passed, so that no rate limit applies any more. */
export async function runningStage(
	options: Parameters<typeof createInterpreterStage>[0] = {},
	task: object = webrtcTask(),
): Promise<InterpreterStage> {
	const stage = createInterpreterStage(options);
	stage.command('set_task', task);
	await stage.hear(SILENCE, 2100);
	return stage;
}
