import type { RoutingMirror, SystemSoundMirror } from '#renderer/calls/call-mirrors.ts';
import { createOthersSound } from '#renderer/calls/others-sound.ts';
import { createJournal, createLegJournals } from '#renderer/captions/journal.ts';
import { createSpokenRows } from '#renderer/captions/spoken-rows.ts';
import type { Face } from '#renderer/face-to-face/create-face.ts';
import type { HistoryMirror } from '#renderer/history/history-mirror.ts';
import type { VoiceReplay } from '#renderer/replay/load-replay.ts';
import type { SettingsMirror } from '#renderer/settings/settings-mirror.ts';
import { followSettings, type WindowAudio } from '#renderer/sound/create-sound.ts';
import { outgoingMicrophone } from '#renderer/sound/microphone-path.ts';
import { createMixer } from '#renderer/sound/mixer.ts';
import { incomingVoicePath, outgoingVoicePath } from '#renderer/sound/voice-path.ts';
import { legNames } from '#shared/leg-name.ts';
import type { Cancel } from '#shared/lib/clock.ts';
import { choicesOf, planOf, wantedLegs } from './choices.ts';
import { type Conversation, isOver } from './conversation.ts';
import { createLeg, type LegMaking } from './create-leg.ts';
import { answerClosing, reportPhase } from './follow-conversation.ts';
import { createLegs } from './legs.ts';
import { followChoices } from './live-changes.ts';

export interface DirectionsMaking extends LegMaking {
	readonly routing: RoutingMirror;
	readonly systemSound: SystemSoundMirror;
	readonly history: Pick<HistoryMirror, 'continued'>;
	readonly sound: WindowAudio;
	readonly face: Face;
	/** Keeps the last minute of each voice. */
	readonly memories: VoiceReplay['memories'];
}

/** Both directions of a conversation, each from its source to its voice, and the conversation that runs them. */
export function createDirections({
	sound,
	face,
	memories,
	routing,
	systemSound,
	history,
	...making
}: DirectionsMaking) {
	const { host, clock, log, settings, receiver } = making;
	const { engine, earEngine, devices, recorder } = sound;
	const stages = { guard: sound.guard, room: sound.room, recorder, face, window: sound.window };
	const ownVoice = outgoingVoicePath({
		...stages,
		memory: memories.outgoing,
		output: createMixer({ engine, devices, clock, log }),
		engine,
		settings,
		routing,
		clock,
		host,
		microphone: sound.microphone,
	});
	const othersVoice = incomingVoicePath({
		...stages,
		memory: memories.incoming,
		output: createMixer({ engine: earEngine, devices, clock, log }),
		engine: earEngine,
		settings,
		lowerOthers: (gain) => void host.ask('system-sound.lower', { gain }),
	});
	const takeContinued = () => {
		const id = history.continued.getState()?.id ?? null;
		history.continued.setState(null, true);
		return id;
	};
	const journals = createLegJournals(createJournal({ host, clock, takeContinued }));
	const outgoing = createLeg(making, {
		name: 'outgoing',
		microphone: outgoingMicrophone({ talk: ownVoice.talk, face, recorder }),
		engine,
		voice: ownVoice,
		journal: journals.outgoing,
	});
	const hearOthers = sound.window.meteredOthers(
		createOthersSound({
			host,
			receiver,
			engine: earEngine,
			media: sound.media,
			clock,
			log,
			settings,
			systemSound,
		}),
	);
	const incoming = createLeg(making, {
		name: 'incoming',
		microphone: recorder.source(face.microphoneOf('incoming', hearOthers)),
		engine: earEngine,
		voice: othersVoice,
		journal: journals.incoming,
	});
	const values = () => settings.store.getState().values;
	const legs = createLegs({
		legs: { outgoing, incoming },
		clock,
		planOf,
		wanted: () => wantedLegs(values()),
		listenWanted: settings.store.subscribe,
		corrections: { now: () => values().corrections, listen: settings.store.subscribe },
	});
	const spoken = createSpokenRows({
		legs: legNames.map((name) => ({
			...legs[name].conversation,
			choices: () => planOf(choicesOf(values()))[name],
		})),
		clock,
	});
	reportPhase(legs, host);
	answerClosing(legs, host);
	ownVoice.callOutput.follow(legs);
	followSettings({ settings, microphone: sound.microphone, mixer: outgoing.mixer });
	followSettings({ ...incoming, settings, source: ['systemSound'], original: false });
	followChoices(legs, settings);
	followPlan(legs, settings);
	return {
		legs,
		spoken: spoken.store,
		outgoing,
		incoming,
		voices: { outgoing: ownVoice, incoming: othersVoice },
	};
}

/**
 * Makes face-to-face mode use one session if the account's plan refuses a second: changes the setting, visibly,
 * and starts the conversation again, once. Restores the setting after that conversation, so that the next Start
 * requests two sessions again. Returns a function that stops this.
 */
export function followPlan(
	conversation: Pick<Conversation, 'store' | 'start'>,
	settings: Pick<SettingsMirror, 'store' | 'write'>,
): Cancel {
	/** True if we changed the setting, not the user. */
	let isBorrowed = false;
	return conversation.store.subscribe((view, before) => {
		const { phase, problem } = view;
		if (isBorrowed && isOver(view) && before.phase !== phase) {
			isBorrowed = false;
			void settings.write({ faceOneSession: false });
			return;
		}
		if (phase !== 'failed' || before.phase === 'failed' || problem?.kind !== 'session-limit') return;
		const { mode, faceTalk, faceOneSession } = settings.store.getState().values;
		if (mode !== 'face' || faceTalk !== 'hold' || faceOneSession || before.liveSinceMs !== null) return;
		void settings.write({ faceOneSession: true });
		conversation.start(choicesOf({ ...settings.store.getState().values, faceOneSession: true }));
		isBorrowed = true;
	});
}
