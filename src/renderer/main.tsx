import './ui/fonts.css';
import './window.css';
import './breathe.ts';
import { createStore } from 'zustand/vanilla';
import { createReplay, replayEars } from '#renderer/replay/load-replay.ts';
import { interfaceLanguageFor } from '#shared/i18n/interface-languages.ts';
import type { TurnSigns } from './calls/turn-sign.ts';
import { createDirections } from './conversation/create-directions.ts';
import { createJustStopped, followConversation } from './conversation/follow-conversation.ts';
import { createDiagnosisMirror } from './diagnosis/diagnosis-mirror.ts';
import { windowChecksOf } from './diagnosis/window-checks.ts';
import { createFace } from './face-to-face/create-face.ts';
import { askAppInfo, createHost } from './host.ts';
import { createI18n } from './i18n/i18n.ts';
import { createRecording } from './recording/recording.ts';
import { loadRehearsal } from './setup/load-rehearsal.ts';
import { showWindow } from './shell/app.tsx';
import { failFirstPicture } from './shell/first-picture.ts';
import { createMirrors } from './shell/mirrors.ts';
import { createNavigation } from './shell/navigation.ts';
import { preloadLater } from './shell/pages.tsx';
import type { Parts } from './shell/parts.ts';
import { createSound } from './sound/create-sound.ts';
import { systemClock as clock } from './system-clock.ts';
import { openSpeakingStream } from './transport/speaking-stream.ts';
import { createStreamPortsReceiver } from './transport/stream-ports.ts';
import { createDrafts, createTypedSpeech } from './typing/typed-speech.ts';
import { createVoiceForm } from './voices/voice-form.ts';
import { createWindowLog } from './window-log.ts';

/** Builds each topic, connects them, and shows the window. */
async function main(): Promise<void> {
	// The settings nearly always name this language too, so load it while they are fetched.
	const likely = interfaceLanguageFor('system', navigator.languages);
	const likelyI18n = createI18n(likely);
	likelyI18n.catch(() => {});
	const host = createHost(window.dragoman);
	const log = createWindowLog(host);
	const mirrors = createMirrors(host);
	const { settings, account, history, voices, routing, systemSound, shell, guests } = mirrors;
	const [info] = await Promise.all([askAppInfo(host), settings.load(), account.load()]);
	const receiver = createStreamPortsReceiver(window);
	const making = { host, clock, log, settings, account, routing, systemSound, receiver, info };

	const sound = createSound({ ...making, recordingLost: () => recording.lost() });
	const { engine, earEngine, devices, recorder } = sound;
	const face = createFace({ settings, clock, log, microphone: sound.microphone, engine });
	const { replay, memories, begin: beginReplay } = createReplay();
	const directions = createDirections({ ...making, history, sound, face, memories });
	const { legs, spoken, outgoing, incoming, voices: paths } = directions;
	const recording = createRecording({ host, receiver, clock, recorder, conversation: legs });
	const typing = createTypedSpeech({
		clock,
		log,
		mixer: outgoing.mixer,
		openStream: (voice, heard) => openSpeakingStream({ host, receiver, engine, clock, ...voice, heard }),
	});
	followConversation({ typing, conversation: legs, settings, host });
	beginReplay({
		engines: { outgoing: engine, incoming: earEngine },
		log,
		spoken,
		conversation: legs,
		settings,
		sound: (slice, speed, signal) => sound.window.sound.play(slice, signal, speed),
		clock,
		...replayEars({ legs, settings, voices: paths }),
	});
	const turnSigns: TurnSigns = createStore(() => ({ outgoing: 'none', incoming: 'none' }));
	void import('./overlay/overlay-feed.ts').then(
		({ feedOverlay }) =>
			feedOverlay({ host, clock, settings, guests, turnSigns, captions: legs.captions, spoken }),
		(failure: unknown) => log.error('no captions over other windows', { failure: String(failure) }),
	);
	const checks = windowChecksOf({
		host,
		clock,
		log,
		settings,
		sound: sound.window.sound,
		conversation: legs,
	});

	const parts: Parts = {
		...mirrors,
		host,
		clock,
		info,
		conversation: legs,
		justStopped: createJustStopped(legs, clock),
		legs,
		quiet: createStore(() => ({ quietMs: null })),
		creditUse: createStore(() => ({ used: null, lastsMs: null })),
		silence: { outgoing: outgoing.silence, incoming: incoming.silence },
		turns: face.takeTurns(legs, replay),
		talk: paths.outgoing.talk.follow(legs),
		echo: sound.guard,
		recording,
		spoken,
		turnSigns,
		replay,
		typing,
		callOutput: paths.outgoing.callOutput.store,
		voiceForm: createVoiceForm(),
		drafts: createDrafts(),
		rehearsal: loadRehearsal({ ...making, devices, legs }),
		diagnosis: createDiagnosisMirror({ host, clock, checks: checks.now, later: checks.later }),
		sound: sound.window.sound,
		readSound: () => Promise.allSettled([routing.load(), systemSound.load(), devices.refresh()]),
		navigation: createNavigation(),
	};
	void import('./conversation/follow-live.ts').then(
		({ followLive }) => {
			const unsent = { outgoing: outgoing.unsent, incoming: incoming.unsent };
			followLive(parts, log, { unsent, receiver, mixers: [outgoing.mixer, incoming.mixer] });
		},
		(failure: unknown) => log.error('a live conversation is not followed', { failure: String(failure) }),
	);
	const language = interfaceLanguageFor(settings.store.getState().values.interfaceLanguage, info.locales);
	showWindow(parts, await (language === likely ? likelyI18n : createI18n(language)));
	for (const mirror of [history, voices, routing, systemSound, shell]) void mirror.load();
	preloadLater(clock);
}

main().catch(failFirstPicture);
