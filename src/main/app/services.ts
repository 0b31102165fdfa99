import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type Account, type AccountParts, createAccount, socketOf } from '#main/account/account.ts';
import { createRouting } from '#main/calls/routing.ts';
import { createPulseRecorder } from '#main/calls/sound-recorder.ts';
import { createPactl } from '#main/calls/sound-server.ts';
import { createSystemSound } from '#main/calls/system-sound.ts';
import { createLowering, loweredFormat } from '#main/calls/turn-down-programs.ts';
import { readProcesses } from '#main/calls/virtual-microphone.ts';
import { createAppDiagnosis } from '#main/doctor.ts';
import { createGlossaries } from '#main/glossaries/glossaries.ts';
import { createGuests } from '#main/guests/guests.ts';
import { createHistory, type History } from '#main/history/history.ts';
import { createSharedFile } from '#main/lib/shared-file.ts';
import { createModels, modelsFolder } from '#main/models/models.ts';
import { createRecordings } from '#main/recording/recording.ts';
import {
	checkMediaAddress,
	type Product,
	PUBLIC_REST_BASE,
	PUBLIC_SOCKETS,
	parseAllowedHosts,
} from '#main/service/addresses.ts';
import { readBalance } from '#main/service/balance-client.ts';
import type { SocketAgents } from '#main/service/proxy.ts';
import { createSessionClient, type SessionClient } from '#main/service/session-client.ts';
import { createVoiceClient } from '#main/service/voice-client.ts';
import { createLedgerFile, type Ledger } from '#main/sessions/ledger.ts';
import { createSessionKeeper } from '#main/sessions/session-keeper.ts';
import type { SettingsStore } from '#main/settings/settings.ts';
import { createSockets } from '#main/streaming/socket.ts';
import { createSpeechToSpeech } from '#main/streaming/speech-to-speech.ts';
import { createSpeechToText, createTranscribing } from '#main/streaming/speech-to-text.ts';
import { createStreams, type StreamEnds, type Streams } from '#main/streaming/streams.ts';
import { createTextToSpeech } from '#main/streaming/text-to-speech.ts';
import { createClonedVoices } from '#main/voices/cloned-voices.ts';
import { createMediaLength } from '#main/voices/samples.ts';
import { createVoicesFile } from '#main/voices/voices-file.ts';
import type { CableGuide } from '#shared/host/calls.ts';
import type { Announcement, AnnouncementName, Balance } from '#shared/host/contract.ts';
import type { VoiceEntry } from '#shared/host/voices.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import type { Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { bareHost, isLoopback } from '#shared/service-address.ts';
import type { Settings } from '#shared/settings/schema.ts';
import { needsRoom } from '#shared/settings/shown-pair.ts';
import { createAdmission } from './admission.ts';

/** Time to end the old account's sessions before a new account is used; a dead network must not hold that up. */
const CHANGE_LIMIT_MS = 4000;

/** The window asks for the history as soon as it is up; opening the file before that would delay it by 70 ms. */
const HISTORY_WITHIN_MS = 5000;

/** Installation pages of the makers of virtual cables. The page names a guide, never an address. */
const GUIDES: Readonly<Record<CableGuide, string>> = {
	blackhole: 'https://existential.audio/blackhole/',
	'vb-cable': 'https://vb-audio.com/Cable/',
	loopback: 'https://rogueamoeba.com/loopback/',
};

export type Services = ReturnType<typeof createServices>;

/** The services of main that answer the window, connected to each other. */
export function createServices(parts: {
	readonly settings: SettingsStore;
	/** The environment that the program was started with, including its secrets. */
	readonly env: NodeJS.ProcessEnv;
	readonly userData: string;
	/** The models folder given on the command line. */
	readonly modelsFolder?: string | undefined;
	readonly version: string;
	readonly clock: Clock;
	readonly log: Logger;
	readonly outbound: {
		readonly fetch: typeof globalThis.fetch;
		readonly agent: SocketAgents;
		resolveProxy(address: string): Promise<string>;
	};
	readonly secrets: AccountParts['secrets'];
	readonly sandbox: AccountParts['sandbox'];
	/** Tells the window that the account is about to change. */
	accountLeaves(revision: number): void;
	/** Creates channels into the page; null if there is no page. */
	createPorts(stream: string): StreamEnds | null;
	/** Asks the user for a sample of a voice; null if they chose none. */
	chooseSample(): Promise<string | null>;
	/** Asks the user for the file of a recording; null if they chose none. */
	chooseRecording(): Promise<string | null>;
	voiceFinished(voice: VoiceEntry): void;
	/** Asks the user where to save a recording. */
	readonly choosePlace: Parameters<typeof createRecordings>[0]['choosePlace'];
	/** Opens a page in the user's browser, if they agree. */
	openOutside(address: string): Promise<boolean>;
	isQuitting(): boolean;
	/** Called when the window is given an address for its media. */
	granted(address: string): void;
}) {
	const { settings, env, userData, clock, log, outbound } = parts;
	const { fetch, agent } = outbound;
	const random = Math.random;
	/** Restricts where a service may send media; does not apply to our own sandbox, which is on this computer. */
	const allowedHosts = () =>
		account.isOwnSandbox() ? [] : parseAllowedHosts(settings.values().allowedHosts);
	const service = { fetch, clock, random, log, allowedHosts };

	const account = createAccount({
		settings,
		secrets: parts.secrets,
		sandbox: parts.sandbox,
		checkKey: (key, baseUrl) =>
			createSessionClient({ ...service, baseUrl: () => baseUrl, key: () => key }).checkKey(),
		isBusy: () => admission.isBusy(),
		async beforeChange() {
			admission.accountLeaves();
			// Tell the window first, so that the conversation ends and what follows is not
			// mistaken for a lost connection.
			parts.accountLeaves(account.status().revision);
			await endConversations();
		},
		keyOfVariable: env.DRAGOMAN_API_KEY,
		voiceTokenOfVariable: env.DRAGOMAN_VOICE_TOKEN,
		publicApiUrl: PUBLIC_REST_BASE,
		publicSockets: PUBLIC_SOCKETS,
		log,
	});
	const asked = { ...service, baseUrl: account.baseUrl, key: account.key };
	const client: SessionClient = createSessionClient(asked);
	const ledger: Ledger = createLedgerFile({ folder: userData, clock, log });
	// Even an unused session counts against the plan, so prepare one only if a conversation could use it.
	const preparedIdleMs = () => (needsRoom(settings.values()) ? settings.values().warmIdleS * 1000 : 0);
	const keeper = createSessionKeeper({ api: client, ledger, clock, random, log, preparedIdleMs });
	const history = createHistory({
		folder: userData,
		clock,
		log,
		choice: settings.values,
		opensWithinMs: HISTORY_WITHIN_MS,
		serviceNow() {
			const asked = client.account();
			const base = URL.parse(account.baseUrl());
			return asked.ok && base && !isLoopback(bareHost(base)) ? asked.value.heardNow() : null;
		},
		// In a run without a session, as in Captions only, nothing else may have opened the ledger yet.
		signIn: () => void ledger.read(),
		chooseRecording: parts.chooseRecording,
	});
	const voices = createClonedVoices({
		clock,
		random,
		log,
		register: createVoicesFile({ folder: userData, clock, log }),
		api: createVoiceClient({
			...service,
			agent,
			baseUrl: account.baseUrl,
			key: account.key,
			voiceToken: account.voiceToken,
		}),
		folder: join(userData, 'voice-samples'),
		lengthOf: createMediaLength(clock),
		isPassing: account.isOwnSandbox,
		ready: account.ready,
		chooseFile: parts.chooseSample,
		finished: parts.voiceFinished,
	});
	const glossaries = createGlossaries({
		...service,
		account,
		corrections: () => settings.values().corrections,
	});
	const isLinux = process.platform === 'linux';
	// On Linux we create the virtual microphone; elsewhere the user installs a virtual cable.
	const routing = createRouting({
		clock,
		log,
		server: isLinux ? createPactl(clock) : null,
		processes: isLinux ? readProcesses() : null,
		// The window does not wait for the person's answer.
		openGuide: async (guide) => void parts.openOutside(GUIDES[guide]),
	});
	const { createPorts } = parts;
	// On Linux we record other programs ourselves; elsewhere Electron's loopback does, which only the real shell has.
	const recorder = isLinux ? createPulseRecorder(clock) : null;
	const lowered = createSharedFile({ folder: userData, clock, log, name: 'lowered', format: loweredFormat });
	const hasLoopback = process.versions.electron !== undefined;
	const systemSound = createSystemSound({
		clock,
		log,
		createPorts,
		recorder,
		lowering: recorder && createLowering({ clock, log, volumes: recorder, file: lowered }),
		way: isLinux ? 'recorder' : hasLoopback ? 'loopback' : 'none',
	});
	const recordings = createRecordings({
		clock,
		log,
		createPorts,
		choosePlace: parts.choosePlace,
		begun: history.recorded,
	});
	const guests = createGuests({ clock, log, createPorts });
	const models = createModels({
		agent,
		clock,
		random,
		log,
		folder: modelsFolder(userData, env, parts.modelsFolder),
		mirror: env.DRAGOMAN_MODELS_URL ?? '',
		isInUse: () => account.status().service === 'local' && admission.isBusy(),
	});
	const streams: Streams = streamsOf({ account, clock, log, allowedHosts, agent, createPorts });
	const admission = createAdmission({
		keeper,
		streams,
		isQuitting: parts.isQuitting,
		granted: parts.granted,
	});
	const diagnosis = createAppDiagnosis({
		account,
		clock,
		log,
		env,
		fetch,
		agent,
		allowedHosts,
		ledger,
		keeper,
		client,
		folder: userData,
		version: parts.version,
		settingsProblem: () => settings.snapshot().problem,
		busy: () => parts.isQuitting() || admission.isBusy(),
		resolveProxy: outbound.resolveProxy,
	});

	async function endConversations(): Promise<void> {
		systemSound.closeAll();
		await Promise.all([keeper.closeAll(CHANGE_LIMIT_MS), streams.closeAll()]);
	}

	async function leaveService(): Promise<void> {
		await Promise.all([diagnosis.close(), streams.closeAll(), voices.close()]);
		// A running diagnosis deletes its session, which is in the ledger, so the ledger is closed after it.
		ledger.close();
		// Last: this may end our own sandbox, which the others must still reach.
		await account.close();
	}

	return {
		account,
		keeper,
		admission,
		history,
		voices,
		glossaries,
		balance: (): Promise<Result<Balance, Problem>> => readBalance(asked),
		routing,
		systemSound,
		recordings,
		guests,
		diagnosis,
		models,
		/** Ends every session, socket and recording of others' sound, but not the program. */
		endConversations,
		/** Closes everything while the program ends; its sessions are already being closed. */
		async close(): Promise<void> {
			// Close the history first: the program does not wait long (lifecycle.ts),
			// and on a dead network the others take longer.
			history.close();
			await Promise.all([
				...[systemSound.close(), routing.close(), guests.close(), recordings.closeAll()],
				glossaries.close(),
				models.close(),
				leaveService(),
			]);
		},
	};
}

/** Longest sound in one message to the local interpreter, ms. */
const LOCAL_CHUNK_MS = 40;

/** The window's sockets: to the service of the current account, through ports into the page. */
function streamsOf(parts: {
	readonly account: Account;
	readonly clock: Clock;
	readonly log: Logger;
	readonly allowedHosts: () => readonly string[];
	readonly agent: SocketAgents;
	/** Creates channels into the page; null if there is no page. */
	readonly createPorts: (stream: string) => StreamEnds | null;
}): Streams {
	const { account, clock, log, allowedHosts } = parts;
	const address = (product: Product) => () => socketOf(account, product);
	const sockets = createSockets({
		clock,
		log,
		key: account.key,
		checkAddress: (url) => checkMediaAddress(url, account.baseUrl(), allowedHosts()),
		randomHash: () => randomBytes(16).toString('hex'),
		agent: parts.agent,
	});
	const common = { sockets, clock, log, random: Math.random };
	const withoutFinalize = new Set<string>();
	/** The local interpreter gains nothing from longer chunks. */
	const paceOf = ({ chunkMs }: { readonly chunkMs: number }) =>
		account.status().service === 'local' ? { chunkMs: LOCAL_CHUNK_MS, isHere: true } : { chunkMs };
	return createStreams({
		clock,
		log,
		createSpeaker: () => createTextToSpeech({ ...common, address: address('tts') }),
		createPorts: parts.createPorts,
		createSpeechStream(opening, heard) {
			if (opening.purpose === 'speech-to-text') {
				const pace = paceOf(opening);
				const createEngine = () =>
					createSpeechToText({ ...common, address: address('stt'), ...pace, withoutFinalize });
				return createTranscribing({ clock, createEngine }, opening, heard);
			}
			const { keepSpeech } = opening;
			const pace = paceOf(opening);
			const speech = createSpeechToSpeech({ ...common, address: address('s2s'), keepSpeech, ...pace });
			let received = 0;
			speech.listen((event) => {
				if (event.type === 'message' || event.type === 'audio') received += 1;
				heard(event);
			});
			return {
				// The window's state machine sets the task and confirms it.
				open: (signal) => speech.open(null, signal),
				send: speech.send,
				audio: speech.audio,
				close: speech.close,
				counts() {
					const { chunks, roundTripMs } = speech.counts();
					return { chunksSent: chunks, chunksReceived: received, roundTripMs };
				},
			};
		},
	});
}

export interface ChangesParts {
	readonly services: Services;
	readonly settings: Pick<SettingsStore, 'values' | 'listen'>;
	announce<Name extends AnnouncementName>(name: Name, payload: Announcement<Name>): void;
	/** Updates menu, tray and global keys to match the settings. */
	refresh(): void;
}

/** Announces changes in main to the window, and applies changed settings to whatever depends on them. */
export function followChanges({ services, settings, announce, refresh }: ChangesParts): void {
	const { account, keeper, history, voices, diagnosis, routing, systemSound, guests, models } = services;
	settings.listen((snapshot) => {
		if (!needsRoom(settings.values())) keeper.cool();
		refresh();
		announce('settings.changed', snapshot);
	});
	followChoice(settings, history);
	history.listen((state) => announce('history.changed', state));
	voices.listen((list) => announce('voice.changed', list));
	diagnosis.listen((state) => announce('diagnosis.changed', state));
	routing.listen((state) => announce('routing.changed', state));
	systemSound.listen((state) => announce('system-sound.changed', state));
	guests.listen((state) => announce('guests.changed', state));
	models.listen((state) => announce('models.changed', state));
	account.listen((status) => {
		announce('account.changed', status);
		void voices.accountChanged();
	});
	keeper.onLost((handle, problem) => announce('session.lost', { handle, problem }));
	keeper.onExpiring((handle, leftMs) => announce('session.expiring', { handle, leftMs }));
}

type Choice = Pick<Settings, 'history' | 'historyDays'>;

interface ChoiceSource {
	values(): Choice;
	listen(heard: () => void): Cancel;
}

/** Tells the history when the user's choice changes; it ignores other settings. */
export function followChoice(settings: ChoiceSource, history: Pick<History, 'choiceChanged'>): Cancel {
	const now = () => JSON.stringify([settings.values().history, settings.values().historyDays]);
	let before = now();
	return settings.listen(() => {
		if (now() === before) return;
		before = now();
		history.choiceChanged();
	});
}
