import { StrictMode, startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { createStore } from 'zustand/vanilla';
import type { AppInfo } from '#shared/host/contract.ts';
import { interfaceLanguageFor } from '#shared/i18n/interface-languages.ts';
import { legNames } from '#shared/leg-name.ts';
import { createAccountMirror } from './account/account-mirror.ts';
import { createOthersSound } from './calls/others-sound.ts';
import { createRoutingMirror } from './calls/routing-mirror.ts';
import { createSystemSoundMirror } from './calls/system-sound-mirror.ts';
import type { TurnBeacon } from './calls/turn-beacon.ts';
import { correctCaptions } from './captions/corrected-captions.ts';
import { createJournal } from './captions/journal.ts';
import { createLegJournals } from './captions/leg-journals.ts';
import { createSpokenRows } from './captions/spoken-rows.ts';
import { createTranscript } from './captions/transcript.ts';
import { choicesOf, planOf, wantedLegs } from './conversation/choices.ts';
import { createLeg } from './conversation/create-leg.ts';
import { followConversation } from './conversation/follow-conversation.ts';
import { followPlan } from './conversation/follow-plan.ts';
import { createJustStopped } from './conversation/just-stopped.ts';
import { createLegs } from './conversation/legs.ts';
import { followChoices, isUnderWay } from './conversation/live-changes.ts';
import { answerClosing, reportPhase } from './conversation/report-phase.ts';
import { createDiagnosisMirror } from './diagnosis/diagnosis-mirror.ts';
import { windowChecksOf } from './diagnosis/window-checks.ts';
import { createFace } from './face-to-face/create-face.ts';
import { createGuestsMirror } from './guests/guests-mirror.ts';
import { createHistoryMirror } from './history/history-mirror.ts';
import { createHost } from './host.ts';
import { createI18n, loadJapanese } from './i18n/i18n.ts';
import { createConversationRecorder, RECORDED_HZ } from './recording/conversation-recorder.ts';
import { createRecording } from './recording/recording.ts';
import { createReplay, earsOf } from './replay/replay.ts';
import { createSettingsMirror } from './settings/settings-mirror.ts';
import { createSetupRehearsal } from './setup/create-rehearsal.ts';
import { App } from './shell/app.tsx';
import { failFirstPicture } from './shell/first-picture.ts';
import { createNavigation } from './shell/navigation.ts';
import { preloadPages } from './shell/pages.tsx';
import type { Parts } from './shell/parts.ts';
import { Providers } from './shell/providers.tsx';
import { createShellMirror } from './shell/shell-mirror.ts';
import { createAudioEngine } from './sound/context.ts';
import { createDevices } from './sound/devices.ts';
import { createEchoGuard } from './sound/echo-guard.ts';
import { echoSettings, followGate } from './sound/echo-settings.ts';
import { followRoom } from './sound/follow-room.ts';
import { followSettings } from './sound/follow-settings.ts';
import { tapLevelLater } from './sound/level-tap.ts';
import { createMicrophone } from './sound/microphone.ts';
import type { CaptureSettings } from './sound/microphone-capture.ts';
import { createMixer } from './sound/mixer.ts';
import { createRoomOutput } from './sound/room-output.ts';
import { incomingVoicePath, outgoingVoicePath } from './sound/voice-path.ts';
import { watchDevices } from './sound/watch-devices.ts';
import { createWindowSound } from './sound/window-sound.ts';
import { systemClock as clock } from './system-clock.ts';
import { createLivekitTransport } from './transport/livekit-transport.ts';
import { preloadLivekit } from './transport/load-livekit.ts';
import { openSpeakingStream } from './transport/speaking-stream.ts';
import { createStreamPortsReceiver } from './transport/stream-ports.ts';
import { createDrafts } from './typing/drafts.ts';
import { createTypedSpeech } from './typing/typed-speech.ts';
import { createVoiceForm } from './voices/voice-form.ts';
import { createVoicesMirror } from './voices/voices-mirror.ts';
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
	void import('./overlay/overlay-feed.ts').then(
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
	void import('./conversation/follow-live.ts').then(
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
