import { createStore, type StoreApi } from 'zustand/vanilla';
import { choicesOf } from '#renderer/conversation/choices.ts';
import { isOver, type LegConversation } from '#renderer/conversation/conversation.ts';
import { createLeg, type LegMaking } from '#renderer/conversation/create-directions.ts';
import { reportPhase } from '#renderer/conversation/follow-conversation.ts';
import type { Legs } from '#renderer/conversation/legs.ts';
import { type AudioEngine, createAudioEngine } from '#renderer/sound/context.ts';
import type { Devices } from '#renderer/sound/device-list.ts';
import type { Microphone } from '#renderer/sound/microphone.ts';
import { createMixer, type Mixer, withMute } from '#renderer/sound/mixer.ts';
import type { Choices } from '#shared/conversation/choices.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { err, ok } from '#shared/lib/result.ts';
import { createScope, type Scope } from '#shared/lib/scope.ts';
import type { Problem } from '#shared/problem.ts';
import { baseOf } from '#shared/protocol/languages.ts';
import type { Settings } from '#shared/settings/schema.ts';
import ar from './rehearsal-recordings/ar.ogg?url';
import de from './rehearsal-recordings/de.ogg?url';
import en from './rehearsal-recordings/en.ogg?url';
import es from './rehearsal-recordings/es.ogg?url';
import fr from './rehearsal-recordings/fr.ogg?url';
import it from './rehearsal-recordings/it.ogg?url';
import pt from './rehearsal-recordings/pt.ogg?url';

/** The stages of one phrase, in order. */
export const rehearsalSteps = ['connected', 'said', 'understood', 'translated', 'heard'] as const;
type RehearsalStep = (typeof rehearsalSteps)[number];

export interface RehearsalView {
	readonly state: 'idle' | 'running' | 'passed' | 'failed';
	/** When each step was reached: ms after Start for `connected`, ms after the phrase began for the others. */
	readonly reached: { readonly [Step in RehearsalStep]?: number };
	readonly understood: string;
	readonly translated: string;
	/** Why there was no conversation; null if it was connected but a step was not reached. */
	readonly problem: Problem | null;
}

/** Limit for the whole rehearsal, because a conversation costs money. */
const LONGEST_MS = 40_000;
/** Silence first, because recognition needs a moment to settle. */
const BEFORE_MS = 600;
const fresh: RehearsalView = { state: 'idle', reached: {}, understood: '', translated: '', problem: null };

type Rehearsal = ReturnType<typeof createRehearsal>;

/** Sends one known phrase through the whole real path, as if it had been spoken. Stores nothing. */
export function createRehearsal(parts: {
	/** Shown before this code is loaded. */
	readonly store?: StoreApi<RehearsalView>;
	readonly clock: Clock;
	readonly conversation: Pick<LegConversation, 'store' | 'captions' | 'start' | 'stopNow'>;
	readonly mixer: Pick<Mixer, 'listen'>;
	/** Called before the conversation is started, which waits until this resolves. */
	readonly prepare?: () => Promise<unknown>;
	/** Plays the phrase into the outgoing track; resolves when it has been played. False = it could not be played. */
	readonly say: () => Promise<boolean>;
}) {
	const { clock, conversation, mixer, prepare, say } = parts;
	const store = parts.store ?? createStore<RehearsalView>()(() => fresh);
	let scope: Scope | null = null;
	let under: Promise<void> | null = null;

	function reach(step: RehearsalStep, sinceMs: number): void {
		const { reached, state } = store.getState();
		if (state !== 'running' || step in reached) return;
		store.setState({ reached: { ...reached, [step]: Math.round(clock.now() - sinceMs) } });
	}

	/** Runs the rehearsal; resolves to how it ended, never rejects. */
	function perform(choices: Choices, own: Scope): Promise<Pick<RehearsalView, 'state' | 'problem'>> {
		return new Promise((done) => {
			const startedMs = clock.now();
			let saidMs: number | null = null;
			let speaking = false;
			/** Passes the rehearsal once every step was reached and the sentence was spoken to its end. */
			const settle = () => {
				const { reached } = store.getState();
				if (!speaking && rehearsalSteps.every((step) => step in reached)) {
					done({ state: 'passed', problem: null });
				}
			};
			const fail = (problem: Problem | null) => done({ state: 'failed', problem });
			own.add(() => fail(null));
			own.after(LONGEST_MS, () => fail(null));
			own.add(
				conversation.store.subscribe(({ phase, problem }) => {
					if (phase === 'failed') return fail(problem);
					if (phase !== 'live' || saidMs !== null) return;
					reach('connected', startedMs);
					saidMs = clock.now() + BEFORE_MS;
					own.after(BEFORE_MS, () => void speak());
				}),
			);
			async function speak(): Promise<void> {
				saidMs = clock.now();
				if (!(await say())) return fail(null);
				reach('said', saidMs);
				settle();
			}
			own.add(
				conversation.captions.store.subscribe(() => {
					const row = conversation.captions.row(0);
					const translation = row?.translations[0];
					if (saidMs === null || !row) return;
					if (row.source?.final) reach('understood', saidMs);
					if (translation?.final) reach('translated', saidMs);
					const understood = row.source?.text ?? '';
					store.setState({ understood, translated: translation?.text ?? '' });
					settle();
				}),
			);
			own.add(
				mixer.listen((event) => {
					if (event.type === 'blocked') return fail({ kind: 'output-blocked' });
					if (event.type !== 'voice-active' || saidMs === null) return;
					speaking = event.active;
					if (speaking) reach('heard', saidMs);
					settle();
				}),
			);
			conversation.start(choices);
		});
	}

	async function run(choices: Choices): Promise<void> {
		const own = createScope(clock);
		scope = own;
		store.setState({ ...fresh, state: 'running' }, true);
		if (prepare) await prepare();
		// The rehearsal was stopped meanwhile, so start nothing.
		if (own.closed) return store.setState({ state: 'failed' });
		const end = await perform(choices, own);
		own.close();
		await conversation.stopNow();
		store.setState(end);
	}

	return {
		store,
		/** Resolves when the rehearsal is over and main is deleting its session. Does nothing while one runs. */
		async run(choices: Choices): Promise<void> {
			under ??= run(choices).finally(() => {
				under = null;
			});
			await under;
		},
		/** Ends the rehearsal now. Resolves like `run`. */
		async stop(): Promise<void> {
			scope?.close();
			await under;
		},
	};
}

/** The rehearsal with the languages and the output that are chosen now. */
export interface SetupRehearsal extends Pick<Rehearsal, 'store' | 'stop'> {
	run(): Promise<void>;
}

/** Phrases by language; created with espeak-ng, see `rehearsal-recordings/README.md`. */
const phrases: Readonly<Record<string, string>> = { ar, de, en, es, fr, it, pt };

export interface RehearsalMaking extends LegMaking {
	readonly store: StoreApi<RehearsalView>;
	readonly devices: Devices;
	/** The user's own conversation, which has priority. */
	readonly legs: Pick<Legs, 'store'>;
}

/** The rehearsal of the whole path: has its own direction and engine, and stores nothing. */
export function createSetupRehearsal(making: RehearsalMaking): SetupRehearsal {
	const { clock, log, host, devices, settings, legs } = making;
	const engine = createAudioEngine({ clock, log });
	const mixer = createMixer({ engine, devices, clock, log });
	const source = createPhraseSource({ engine, clock });
	const own = {
		...settings,
		store: { ...settings.store, getState: () => soloOf(settings.store.getState()) },
	};
	const { conversation } = createLeg(
		{ ...making, settings: own },
		{ name: 'outgoing', microphone: source.microphone, engine, voice: withMute(mixer), journal: null },
	);
	reportPhase(conversation, host);
	let spoken = 'en';
	const rehearsal = createRehearsal({
		store: making.store,
		clock,
		conversation,
		mixer,
		prepare: () => mixer.setOutput(settings.store.getState().values.output),
		say: () => source.say(phrases[spoken] ?? en),
	});
	legs.store.subscribe((view) => {
		if (!isOver(view)) void rehearsal.stop();
	});

	return {
		store: rehearsal.store,
		stop: rehearsal.stop,
		async run() {
			const { values } = settings.store.getState();
			const choices = rehearsed(values);
			spoken = choices.speak;
			// Audible even if the voice is turned off, because the rehearsal asks whether it is heard.
			mixer.setVoiceVolume(Math.max(values.voiceVolume, 0.5));
			mixer.setOriginalVolume(0.4);
			await rehearsal.run(choices);
		},
	};
}

/** The chosen languages, with English as the source if there is no phrase in the user's language. */
function rehearsed(values: Settings): Choices {
	const base = baseOf(values.speak);
	const speak = base in phrases ? base : 'en';
	const target =
		[values.voiceOf, ...values.hear].find((code) => code !== '' && baseOf(code) !== speak) ??
		(speak === 'en' ? 'es' : 'en');
	return { ...choicesOf({ ...values, mode: 'solo' }), mode: 'solo', speak, hear: [target], voiceOf: target };
}

function soloOf<View extends { readonly values: Settings }>(view: View): View {
	return { ...view, values: { ...view.values, mode: 'solo' } };
}

interface PhraseSource {
	readonly microphone: Microphone;
	/** Plays the file into the open microphone; resolves at its end. False = it could not be played. */
	say(address: string): Promise<boolean>;
}

/** A microphone that delivers a recording in place of a room's sound. */
function createPhraseSource(parts: { readonly engine: AudioEngine; readonly clock: Clock }): PhraseSource {
	let graph: { readonly context: AudioContext; readonly out: MediaStreamAudioDestinationNode } | null = null;
	let leave = () => {};

	function close(): void {
		leave();
		leave = () => {};
		graph = null;
	}

	return {
		microphone: {
			device: '',
			async open() {
				close();
				leave = parts.engine.use((context) => {
					const out = context.createMediaStreamDestination();
					graph = { context, out };
					// Chromium pulls nothing from a node without input, so no packet would leave before the phrase.
					const silence = new ConstantSourceNode(context, { offset: 0 });
					silence.connect(out);
					silence.start();
					return () => {
						silence.disconnect();
						for (const track of out.stream.getTracks()) track.stop();
					};
				});
				const [track] = (graph as PhraseGraph | null)?.out.stream.getAudioTracks() ?? [];
				return track ? ok(track) : err({ kind: 'microphone-failed', device: '', reason: 'no audio context' });
			},
			close,
			setMuted() {},
			listen: () => () => {},
			async apply() {},
		},
		async say(address) {
			const here = graph;
			if (!here) return false;
			try {
				const bytes = await (await fetch(address)).arrayBuffer();
				const node = here.context.createBufferSource();
				node.buffer = await here.context.decodeAudioData(bytes);
				node.connect(here.out);
				const lengthMs = node.buffer.duration * 1000;
				node.start();
				await new Promise<void>((done) => void parts.clock.after(lengthMs, done));
				return graph === here;
			} catch {
				return false;
			}
		},
	};
}

interface PhraseGraph {
	readonly out: MediaStreamAudioDestinationNode;
}
