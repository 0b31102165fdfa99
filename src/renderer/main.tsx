import { StrictMode, startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { createStore } from 'zustand/vanilla';
import type { AppInfo } from '#shared/host/contract.ts';
import { interfaceLanguageFor } from '#shared/i18n/interface-languages.ts';
import { legNames } from '#shared/leg-name.ts';
import { App } from './app/app.tsx';
import { createFace } from './app/create-face.ts';
import { createLeg } from './app/create-leg.ts';
import { createSetupRehearsal } from './app/create-rehearsal.ts';
import { echoSettings, followGate } from './app/echo-settings.ts';
import { followConversation } from './app/follow-conversation.ts';
import { followPlan } from './app/follow-plan.ts';
import { followRoom } from './app/follow-room.ts';
import { followSettings } from './app/follow-settings.ts';
import { createOthersSound } from './app/others-sound.ts';
import { preloadPages } from './app/pages.tsx';
import { Providers } from './app/providers.tsx';
import { createRecording } from './app/recording.ts';
import { createReplay, earsOf } from './app/replay.ts';
import { incomingVoicePath, outgoingVoicePath } from './app/voice-path.ts';
import { watchDevices } from './app/watch-devices.ts';
import { windowChecksOf } from './app/window-checks.ts';
import { createWindowSound } from './app/window-sound.ts';
import { createAudioEngine } from './audio/context.ts';
import { createConversationRecorder, RECORDED_HZ } from './audio/conversation-recorder.ts';
import { createDevices } from './audio/devices.ts';
import { createEchoGuard } from './audio/echo-guard.ts';
import { tapLevelLater } from './audio/level-tap.ts';
import { createMicrophone } from './audio/microphone.ts';
import type { CaptureSettings } from './audio/microphone-capture.ts';
import { createMixer } from './audio/mixer.ts';
import { createRoomOutput } from './audio/room-output.ts';
import { correctCaptions } from './conversation/corrected-captions.ts';
import { createJournal } from './conversation/journal.ts';
import { createLegJournals } from './conversation/legs/leg-journals.ts';
import { createLegs } from './conversation/legs/legs.ts';
import { answerClosing, reportPhase } from './conversation/report-phase.ts';
import { createSpokenRows } from './conversation/spoken-rows.ts';
import { createTranscript } from './conversation/transcript.ts';
import type { TurnBeacon } from './conversation/turn-beacon.ts';
import { createHost } from './host.ts';
import { createTypedSpeech } from './speaking/typed-speech.ts';
import { systemClock as clock } from './system-clock.ts';
import { createLivekitTransport } from './transport/livekit-transport.ts';
import { preloadLivekit } from './transport/load-livekit.ts';
import { openSpeakingStream } from './transport/speaking-stream.ts';
import { createStreamPortsReceiver } from './transport/stream-ports.ts';
import { choicesOf, planOf, wantedLegs } from './window/choices.ts';
import { createDrafts } from './window/drafts.ts';
import { failFirstPicture } from './window/first-picture.ts';
import { createJustStopped } from './window/just-stopped.ts';
import { followChoices, isUnderWay } from './window/live-changes.ts';
import { createAccountMirror } from './window/mirrors/account-mirror.ts';
import { createDiagnosisMirror } from './window/mirrors/diagnosis-mirror.ts';
import { createGuestsMirror } from './window/mirrors/guests-mirror.ts';
import { createHistoryMirror } from './window/mirrors/history-mirror.ts';
import { createRoutingMirror } from './window/mirrors/routing-mirror.ts';
import { createSettingsMirror } from './window/mirrors/settings-mirror.ts';
import { createShellMirror } from './window/mirrors/shell-mirror.ts';
import { createSystemSoundMirror } from './window/mirrors/system-sound-mirror.ts';
import { createVoicesMirror } from './window/mirrors/voices-mirror.ts';
import { createNavigation } from './window/navigation.ts';
import type { Parts } from './window/parts.ts';
import { createVoiceForm } from './window/voice-form.ts';
import { createI18n, loadJapanese } from './window/words/i18n.ts';
import { createWindowLog } from './window-log.ts';
import './ui/fonts.css';
import './window.css';
import './breathe.ts';

const unknownApp: AppInfo = {
	version: '',
	shell: 'stand-in',
	platform: '',
	locales: ['en'],
	microphone: 'unknown',
};

/** Preloading waits for the first paint. */
const PRELOAD_AFTER_MS = 500;

/** The composition root of the window: builds everything, connects it, shows it. */
async function main(): Promise<void> {
	// The language that the settings hardly ever contradict is made ready while main is asked for them.
	const likely = interfaceLanguageFor('system', navigator.languages);
	const likelyI18n = createI18n(likely);
	likelyI18n.catch(() => {});
	const host = createHost(window.dragoman);
	const log = createWindowLog(host);
	const settings = createSettingsMirror(host);
	const account = createAccountMirror(host);
	const history = createHistoryMirror(host);
	const voices = createVoicesMirror(host);
	const routing = createRoutingMirror(host);
	const systemSound = createSystemSoundMirror(host);
	const shell = createShellMirror(host);
	const guests = createGuestsMirror(host);
	const [info] = await Promise.all([host.ask('app.info', undefined), settings.load(), account.load()]);
	const app: AppInfo = info.ok ? info.value : unknownApp;

	const media = navigator.mediaDevices;
	// One engine for each, because an engine plays everything on one output.
	const engine = createAudioEngine({ clock, log });
	const earEngine = createAudioEngine({ clock, log });
	const receiver = createStreamPortsReceiver(window);
	const devices = createDevices({ media, clock });
	watchDevices({ devices, routing, clock, platform: app.platform });
	const captureSettings = (): CaptureSettings => settings.store.getState().values;
	const window_ = createWindowSound({
		...{ engine, devices, media, clock, settings },
		permission: app.microphone,
		async readPermission() {
			const again = await host.ask('app.info', undefined);
			return again.ok ? again.value.microphone : app.microphone;
		},
		captureSettings,
	});
	const createContext = () => new AudioContext({ sampleRate: RECORDED_HZ, latencyHint: 'playback' });
	const recorder = createConversationRecorder({
		engine: createAudioEngine({ clock, log, createContext }),
		clock,
		lost: () => recording.lost(),
	});
	const room = createRoomOutput({ devices, engine: createAudioEngine({ clock, log }), log });
	const guard = createEchoGuard({
		tap: (track, heard, periodMs) => tapLevelLater({ engine, clock }, track, heard, periodMs),
		clock,
		log,
		...echoSettings(settings),
	});
	const microphone = guard.guard(
		window_.metered(
			createMicrophone({ media, devices, clock, engine, log, captureSettings, heard: guard.heard }),
		),
	);
	const face = createFace({ settings, clock, log, microphone, engine });
	const again = createReplay();
	const stages = { guard, room, recorder, face, window: window_ };
	const ownVoice = outgoingVoicePath({
		...stages,
		memory: again.memories.outgoing,
		output: createMixer({ engine, devices, clock, log }),
		engine,
		settings,
		routing,
		clock,
		host,
		microphone,
	});
	const othersVoice = incomingVoicePath({
		...stages,
		memory: again.memories.incoming,
		output: createMixer({ engine: earEngine, devices, clock, log }),
		engine: earEngine,
		settings,
		lowerOthers: (gain) => void host.ask('system-sound.lower', { gain }),
	});
	const { talk, callOutput } = ownVoice;
	const making = { host, clock, log, settings, account, receiver };
	const journals = createLegJournals(createJournal({ host, clock }));
	const outgoing = createLeg(making, {
		name: 'outgoing',
		microphone: recorder.source(face.microphoneOf('outgoing', talk.microphone)),
		...{ engine, voice: ownVoice, journal: journals.outgoing },
		isUnderWay: (): boolean => isUnderWay(legs.store.getState().phase),
	});
	const { leaveRoom } = outgoing;
	const hearOthers = window_.meteredOthers(
		createOthersSound({ host, receiver, engine: earEngine, media, clock, log, settings, systemSound }),
	);
	const incoming = createLeg(making, {
		name: 'incoming',
		microphone: recorder.source(face.microphoneOf('incoming', hearOthers)),
		engine: earEngine,
		voice: othersVoice,
		journal: journals.incoming,
	});
	const legs = createLegs({
		legs: { outgoing, incoming },
		clock,
		planOf,
		wanted: () => wantedLegs(settings.store.getState().values),
		listenWanted: settings.store.subscribe,
	});
	const recording = createRecording({ host, receiver, clock, recorder, conversation: legs });
	const corrected = correctCaptions(legs.captions, {
		now: () => settings.store.getState().values.corrections,
		listen: settings.store.subscribe,
	});
	const conversation = { ...legs, captions: createTranscript(corrected, legs, clock) };
	reportPhase(legs, host);
	answerClosing(legs, host);
	callOutput.follow(legs);
	const typing = createTypedSpeech({
		clock,
		log,
		mixer: outgoing.mixer,
		openStream: (voice, heard) => openSpeakingStream({ host, receiver, engine, clock, ...voice, heard }),
	});
	followConversation({ typing, conversation: legs, settings, host });
	followSettings({ settings, microphone, mixer: outgoing.mixer });
	followSettings({ ...incoming, settings, source: ['systemSound'], original: false });
	followChoices(legs, settings);
	followPlan(legs, settings);
	followGate(guard, settings);
	followRoom(room, settings);
	const planned = () => planOf(choicesOf(settings.store.getState().values));
	const spoken = createSpokenRows({
		legs: legNames.map((name) => ({ ...legs[name].conversation, choices: () => planned()[name] })),
		clock,
	});
	const legVoices = { outgoing: ownVoice, incoming: othersVoice };
	again.begin({
		engines: { outgoing: engine, incoming: earEngine },
		log,
		spoken: spoken.store,
		...{ conversation, settings },
		sound: (slice, speed, signal) => window_.sound.play(slice, signal, speed),
		ears: () =>
			earsOf(
				legs.names.getState(),
				settings.store.getState().values.mode,
				(leg) => legs[leg].voice.getState().muted,
			),
		mine: () => earsOf(legs.names.getState(), settings.store.getState().values.mode, () => false),
		quiet: (leg, quiet) => legVoices[leg].quiet(quiet),
		speed: () => Number(settings.store.getState().values.replaySpeed),
		clock,
	});
	const beacon: TurnBeacon = createStore(() => ({ outgoing: 'none', incoming: 'none' }));
	void import('./window/overlay-feed.ts').then(
		({ feedOverlay }) =>
			feedOverlay({
				...{ host, clock, settings, guests, beacon },
				captions: conversation.captions,
				spoken: spoken.store,
			}),
		(failure: unknown) => log.error('no captions over other windows', { failure: String(failure) }),
	);

	const checks = windowChecksOf({
		...{ host, clock, settings, sound: window_.sound, conversation: legs },
		createTransport: (grant) => createLivekitTransport({ grant, clock, log }),
		permission: microphonePermission,
	});

	const parts: Parts = {
		host,
		clock,
		info: app,
		settings,
		account,
		conversation,
		justStopped: createJustStopped(legs, clock),
		legs,
		quiet: createStore(() => ({ quietMs: null })),
		creditUse: createStore(() => ({ used: null, lastsMs: null })),
		silence: { outgoing: outgoing.silence, incoming: incoming.silence },
		turns: face.takeTurns(conversation, again.replay),
		talk: talk.follow(legs),
		echo: guard,
		...{ recording, guests },
		spoken: spoken.store,
		beacon,
		replay: again.replay,
		typing,
		...{ history, voices, routing, systemSound, shell },
		callOutput: callOutput.store,
		voiceForm: createVoiceForm(),
		drafts: createDrafts(),
		rehearsal: createSetupRehearsal({ ...making, devices, legs, leaveRoom }),
		diagnosis: createDiagnosisMirror({ host, clock, checks: checks.now, later: checks.later, leaveRoom }),
		sound: window_.sound,
		readSound: () => Promise.allSettled([routing.load(), systemSound.load(), devices.refresh()]),
		navigation: createNavigation(),
	};
	void import('./app/follow-live.ts').then(
		({ followLive }) => followLive(parts, log),
		(failure: unknown) => log.error('a live conversation is not followed', { failure: String(failure) }),
	);
	const language = interfaceLanguageFor(settings.store.getState().values.interfaceLanguage, app.locales);
	const root = document.getElementById('root');
	if (!root) throw new Error('index.html has no #root');
	const i18n = await (language === likely ? likelyI18n : createI18n(language));
	// Rendered in slices, between which the page responds: in one go it would freeze until the whole window is built.
	startTransition(() =>
		createRoot(root).render(
			<StrictMode>
				<Providers parts={parts} i18n={i18n}>
					<App />
				</Providers>
			</StrictMode>,
		),
	);
	for (const mirror of [history, voices, routing, systemSound, shell]) void mirror.load();
	// Once the window is up: saves the first Start 100 ms.
	clock.after(
		PRELOAD_AFTER_MS,
		() =>
			void loadJapanese()
				.then(preloadLivekit)
				.catch(() => {})
				.then(preloadPages),
	);
}

/** Chromium's name for it; the TypeScript type lacks `microphone`. */
async function microphonePermission(): Promise<PermissionState> {
	return (await navigator.permissions.query({ name: 'microphone' as PermissionName })).state;
}

main().catch(failFirstPicture);
