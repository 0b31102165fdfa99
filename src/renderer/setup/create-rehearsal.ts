import { choicesOf } from '#renderer/conversation/choices.ts';
import { isOver } from '#renderer/conversation/conversation.ts';
import { createLeg, type LegMaking } from '#renderer/conversation/create-leg.ts';
import { reportPhase } from '#renderer/conversation/follow-conversation.ts';
import type { Legs } from '#renderer/conversation/legs.ts';
import { type AudioEngine, createAudioEngine } from '#renderer/sound/context.ts';
import type { Devices } from '#renderer/sound/devices.ts';
import type { Microphone } from '#renderer/sound/microphone.ts';
import { createMixer, withMute } from '#renderer/sound/mixer.ts';
import type { Choices } from '#shared/conversation/choices.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { err, ok } from '#shared/lib/result.ts';
import { baseOf } from '#shared/protocol/languages.ts';
import type { Settings } from '#shared/settings/schema.ts';
import { createRehearsal } from './rehearsal.ts';
import ar from './rehearsal-recordings/ar.ogg?url';
import de from './rehearsal-recordings/de.ogg?url';
import en from './rehearsal-recordings/en.ogg?url';
import es from './rehearsal-recordings/es.ogg?url';
import fr from './rehearsal-recordings/fr.ogg?url';
import it from './rehearsal-recordings/it.ogg?url';
import pt from './rehearsal-recordings/pt.ogg?url';
import type { SetupRehearsal } from './setup-rehearsal.ts';

/** A phrase by its language; made with espeak-ng, see `rehearsal-recordings/README.md`. */
const phrases: Readonly<Record<string, string>> = { ar, de, en, es, fr, it, pt };

export interface RehearsalMaking extends LegMaking {
	readonly devices: Devices;
	/** The person's own conversation: it comes first. */
	readonly legs: Pick<Legs, 'store'>;
}

/** The rehearsal of the whole way: a leg of its own, heard by one engine of its own, written down nowhere. */
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

/** The chosen languages, with English spoken where there is no phrase. */
export function rehearsed(values: Settings): Choices {
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

/** A microphone that hears a recording in place of a room. */
export function createPhraseSource(parts: {
	readonly engine: AudioEngine;
	readonly clock: Clock;
}): PhraseSource {
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
