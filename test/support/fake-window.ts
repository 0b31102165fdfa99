import { createStore, type StoreApi } from 'zustand/vanilla';
import { createAccountMirror } from '#renderer/account/account-mirror.ts';
import { type CreditUseView, noCreditUse } from '#renderer/account/credit-watch.ts';
import type { CallOutputView } from '#renderer/calls/call-output.ts';
import { createSystemSoundMirror } from '#renderer/calls/others-sound.ts';
import type { TurnSigns } from '#renderer/calls/turn-sign.ts';
import { createRoutingMirror } from '#renderer/calls/virtual-microphone.ts';
import { createJustStopped } from '#renderer/conversation/follow-conversation.ts';
import type { Leg, Legs } from '#renderer/conversation/legs.ts';
import { followChoices } from '#renderer/conversation/live-changes.ts';
import type { Talk, TalkView } from '#renderer/conversation/push-to-talk.ts';
import { createDiagnosisMirror } from '#renderer/diagnosis/diagnosis-mirror.ts';
import type { TurnTaking, TurnView } from '#renderer/face-to-face/turn-taking.ts';
import { createGuestsMirror } from '#renderer/guests/guests-mirror.ts';
import { createHistoryMirror } from '#renderer/history/history-mirror.ts';
import type { Host } from '#renderer/host.ts';
import { createModelsMirror } from '#renderer/models/models-mirror.ts';
import type { RecordingView } from '#renderer/recording/recording.ts';
import type { Replay } from '#renderer/replay/replay.ts';
import { createSettingsMirror } from '#renderer/settings/settings-mirror.ts';
import type { RehearsalView, SetupRehearsal } from '#renderer/setup/rehearsal.ts';
import { createShellMirror } from '#renderer/shell/mirrors.ts';
import { createNavigation } from '#renderer/shell/navigation.ts';
import type { Parts } from '#renderer/shell/parts.ts';
import {
	noSound,
	type Recording,
	type Sound,
	type SoundDevice,
	type SoundView,
} from '#renderer/sound/sound.ts';
import { systemClock } from '#renderer/system-clock.ts';
import type { SpeakingEvent, SpeakingStream } from '#renderer/transport/speaking-stream.ts';
import { createDrafts, createTypedSpeech } from '#renderer/typing/typed-speech.ts';
import { createVoiceForm } from '#renderer/voices/voice-form.ts';
import { createVoicesMirror } from '#renderer/voices/voices-mirror.ts';
import type { SilentStage } from '#shared/conversation/silence.ts';
import type { Finding } from '#shared/diagnosis/checks.ts';
import type { RoutingState, SystemSoundState } from '#shared/host/calls.ts';
import type {
	AccountStatus,
	AppInfo,
	GuestsState,
	Input,
	RequestName,
	SessionRow,
	SettingsSnapshot,
	ShellState,
} from '#shared/host/contract.ts';
import type { HistoryState } from '#shared/host/history.ts';
import type { ModelsState } from '#shared/host/models.ts';
import type { VoiceList } from '#shared/host/voices.ts';
import type { LegName } from '#shared/leg-name.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { ok, type Result } from '#shared/lib/result.ts';
import { abilitiesOf } from '#shared/overlay/placement.ts';
import type { Problem } from '#shared/problem.ts';
import { defaultSettings, type SettingOrigin, type Settings } from '#shared/settings/schema.ts';
import type { SpokenVoice } from '#shared/typing/type-to-speak-queue.ts';
import { createFakeConversation, type FakeConversation } from './fake-conversation.ts';
import { historyAnswers, type KeptConversation } from './fake-pages.ts';

/** State and answers of the fake main process. */
export interface FakeMain {
	readonly settings?: Partial<Settings>;
	readonly origins?: Readonly<Record<string, SettingOrigin>>;
	/** The option or variable that decided, by setting. */
	readonly sources?: Readonly<Record<string, string>>;
	readonly account?: Partial<AccountStatus>;
	readonly key?: Partial<AccountStatus['key']>;
	readonly info?: Partial<AppInfo>;
	readonly sessions?: readonly SessionRow[];
	readonly history?: Partial<HistoryState>;
	readonly voices?: Partial<VoiceList>;
	readonly models?: Partial<ModelsState>;
	readonly routing?: Partial<RoutingState>;
	readonly systemSound?: Partial<SystemSoundState>;
	readonly recording?: Partial<RecordingView>;
	/** Does the microphone hear the voice? */
	readonly echo?: { readonly heard?: boolean; readonly gated?: boolean };
	readonly shell?: Partial<ShellState>;
	readonly callOutput?: CallOutputView;
	readonly creditUse?: Partial<CreditUseView>;
	/** Addresses at which guests reach the captions once they are shared; empty = on no network. */
	readonly guestAddresses?: readonly string[];
	/** Kept conversations, newest first. */
	readonly conversations?: readonly KeptConversation[];
	/** Answers instead of the usual ones. */
	readonly answers?: Partial<
		Record<RequestName, (input: unknown) => Result<unknown, Problem> | Promise<Result<unknown, Problem>>>
	>;
	readonly sound?: Partial<SoundView>;
	/** The test of the virtual microphone. */
	readonly testPath?: Sound['testPath'];
	/** The findings of the diagnosis. */
	readonly findings?: readonly Finding[];
	readonly rehearsal?: Partial<RehearsalView>;
	/** Another microphone with a level. */
	readonly liveliest?: SoundDevice;
	readonly silence?: { readonly leg: LegName; readonly stage: SilentStage };
	readonly clock?: Clock;
}

export interface FakeWindow {
	readonly parts: Parts;
	readonly conversation: FakeConversation;
	readonly legs: FakeLegs;
	readonly turns: FakeTurns;
	readonly talk: FakeTalk;
	readonly replay: FakeReplay;
	/** Streams that typed texts opened. */
	readonly speaking: readonly FakeSpeaking[];
	/** The window's requests to main, in order. */
	readonly asked: readonly (readonly [RequestName, unknown])[];
	/** An announcement from main. */
	announce(name: string, payload: unknown): void;
	/** Resolves when both mirrors have their first snapshot. */
	readonly ready: Promise<void>;
}

const devices: SoundView = {
	...noSound,
	microphones: [
		{ id: 'm1', label: 'MacBook Pro Microphone' },
		{ id: 'm2', label: 'Jabra Evolve2 65' },
	],
	outputs: [
		{ id: 'o1', label: 'MacBook Pro Speakers' },
		{ id: 'o2', label: 'Jabra Evolve2 65' },
	],
	systemMicrophone: 'MacBook Pro Microphone',
	systemOutput: 'MacBook Pro Speakers',
	listed: true,
	permission: 'granted',
};

/** Everything a page needs, without a main process, a microphone or a service. */
export function createFakeWindow(main: FakeMain = {}): FakeWindow {
	const clock = main.clock ?? systemClock;
	const asked: (readonly [RequestName, unknown])[] = [];
	const heard = new Map<string, Set<(payload: never) => void>>();
	let snapshot: SettingsSnapshot = {
		revision: 1,
		values: { ...defaultSettings, ...main.settings },
		origins: { ...main.origins },
		sources: { ...main.sources },
		problem: null,
	};
	let account: AccountStatus = {
		revision: 1,
		service: 'service',
		apiUrl: 'https://api.example.com',
		sandbox: 'off',
		...main.account,
		key: { present: true, lastFour: '9f3a', source: 'keychain', keychain: 'available', ...main.key },
	};

	function changeAccount(change: Partial<AccountStatus>): Result<AccountStatus, Problem> {
		account = { ...account, ...change, revision: account.revision + 1 };
		return ok(account);
	}

	let guestsRevision = 0;
	function guestsNow(sharing: boolean): GuestsState {
		const addresses = [...(main.guestAddresses ?? ['http://192.168.1.20:49152/AAAAAAAAAAAAAAAAAAAAAA/'])];
		const isShared = sharing && addresses.length > 0;
		guestsRevision += 1;
		return {
			revision: guestsRevision,
			sharing: isShared,
			addresses: isShared ? addresses : [],
			guests: 0,
			listening: [],
		};
	}

	function announce(name: string, payload: unknown): void {
		for (const tell of heard.get(name) ?? []) tell(payload as never);
	}

	const usual: Partial<Record<RequestName, (input: never) => Result<unknown, Problem>>> = {
		'settings.read': () => ok(snapshot),
		'settings.write': (patch: Record<string, unknown>) => {
			const origins = { ...snapshot.origins };
			for (const name of Object.keys(patch)) origins[name] = 'setting';
			snapshot = {
				...snapshot,
				revision: snapshot.revision + 1,
				values: { ...snapshot.values, ...patch } as Settings,
				origins,
			};
			return ok(snapshot);
		},
		'account.read': () => ok(account),
		'account.balance': () => ok({ credits: 1000, usd: 10 }),
		'account.set-key': ({ key, keep }: { key: string; keep: 'keychain' | 'session' }) =>
			changeAccount({
				service: 'service',
				key: { ...account.key, present: true, lastFour: key.slice(-4), source: keep },
			}),
		'account.forget-key': () =>
			changeAccount({ key: { ...account.key, present: false, lastFour: '', source: 'none' } }),
		'account.set-voice-token': ({ token, keep }: { token: string; keep: 'keychain' | 'session' }) =>
			changeAccount({ voiceToken: { present: true, lastFour: token.slice(-4), source: keep } }),
		'account.forget-voice-token': () =>
			changeAccount({ voiceToken: { present: false, lastFour: '', source: 'none' } }),
		'account.choose': ({ service }: Input<'account.choose'>) =>
			changeAccount({ service, sandbox: service === 'service' ? 'off' : 'running' }),
		'session.list': () =>
			ok({
				rows: main.sessions ?? [],
				next: null,
				complete: true,
				serverNow: clock.wall(),
				brokenLedger: null,
			}),
		'file.save-document': ({ suggestedName }: { suggestedName: string }) => ok(`/home/ada/${suggestedName}`),
		'file.save-text': ({ suggestedName }: { suggestedName: string }) => ok(`/home/ada/${suggestedName}`),
		'history.state': () => ok({ revision: 1, undecided: 0, offer: null, problem: null, ...main.history }),
		'glossary.list': () => ok([]),
		'guests.open': () => ok(guestsNow(true)),
		'guests.close': () => ok(announce('guests.changed', guestsNow(false))),
		'voice.list': () =>
			ok({
				revision: 1,
				voices: [],
				builtIn: ['default_low', 'default_high'],
				credential: 'api-key',
				problem: null,
				...main.voices,
			}),
		'models.read': () =>
			ok({
				revision: 1,
				models: [],
				freeBytes: 52_000_000_000,
				problem: null,
				folder: '/home/ada/.config/dragoman/models',
				...main.models,
			}),
		'shell.state': () =>
			ok({
				revision: 1,
				tray: 'shown',
				globalKeys: 'works',
				holds: false,
				shown: true,
				refusedKeys: [],
				...main.shell,
			}),
		'system-sound.state': () =>
			ok({ revision: 1, way: 'recorder', applications: [], problem: null, ...main.systemSound }),
		'routing.state': () => ok({ revision: 1, virtualMicrophone: { state: 'none' }, ...main.routing }),
		...historyAnswers(main.conversations ?? []),
		'overlay.abilities': () => ok(abilitiesOf({ shell: 'electron', platform: 'win32', wayland: false })),
		'diagnosis.run': () => ok({ revision: 1, running: false, findings: [...(main.findings ?? [])] }),
		'diagnostics.report': () => ok('Dragoman 0.2.0'),
		'system.open-microphone-privacy': () => ok(false),
		'system.open-service-site': () => ok(true),
		'system.open-sound-privacy': () => ok(false),
	};

	const host: Host = {
		async ask(name, input) {
			asked.push([name, input]);
			const answer = main.answers?.[name] ?? usual[name];
			return (await (answer ? answer(input as never) : ok())) as Result<never, Problem>;
		},
		listen(name, tell) {
			const listeners = heard.get(name) ?? new Set();
			listeners.add(tell as (payload: never) => void);
			heard.set(name, listeners);
			return () => void listeners.delete(tell as (payload: never) => void);
		},
	};

	const settings = createSettingsMirror(host);
	const accountMirror = createAccountMirror(host);
	const models = createModelsMirror(host, accountMirror);
	const history = createHistoryMirror(host);
	const voices = createVoicesMirror(host);
	const routing = createRoutingMirror(host);
	const shell = createShellMirror(host);
	const systemSound = createSystemSoundMirror(host);
	const guests = createGuestsMirror(host);
	const callOutput = createStore<CallOutputView>()(() => main.callOutput ?? { to: 'ear' });
	const recordingStore = createStore<RecordingView>()(() => ({
		state: 'off',
		sinceMs: null,
		path: '',
		problem: null,
		saved: false,
		...main.recording,
	}));
	const conversation = createFakeConversation(clock);
	const legs = createFakeLegs();
	const turns = createFakeTurns();
	const talk = createFakeTalk();
	const speaking: FakeSpeaking[] = [];
	const typing = createTypedSpeech({
		clock,
		log: silentLogger,
		mixer: { setVoice() {}, selectVoice() {}, resumeVoice() {} },
		openStream: createFakeSpeaking(speaking),
	});
	followChoices(conversation, settings);
	const silenceOf = (leg: LegName) => {
		const store = createStore<{ readonly stage: SilentStage | null }>()(() => ({
			stage: main.silence?.leg === leg ? main.silence.stage : null,
		}));
		return { store, dismiss: () => store.setState({ stage: null }) };
	};
	const turnSigns: TurnSigns = createStore(() => ({ outgoing: 'none', incoming: 'none' }));
	const replay = createFakeReplay();
	const parts: Parts = {
		host,
		clock,
		info: {
			version: '0.2.0',
			shell: 'electron',
			platform: 'linux',
			locales: ['en-GB'],
			microphone: 'granted',
			...main.info,
		},
		settings,
		account: accountMirror,
		models,
		conversation,
		justStopped: createJustStopped(conversation, clock),
		legs,
		quiet: createStore(() => ({ quietMs: null })),
		creditUse: createStore<CreditUseView>(() => ({ ...noCreditUse, ...main.creditUse })),
		silence: { outgoing: silenceOf('outgoing'), incoming: silenceOf('incoming') },
		turns,
		talk,
		spoken: createStore<{ readonly lit: readonly string[] }>()(() => ({ lit: [] })),
		turnSigns,
		replay,
		typing,
		rehearsal: fakeRehearsal(main.rehearsal),
		diagnosis: createDiagnosisMirror({ host, clock, checks: [], later: [] }),
		sound: {
			store: createStore<SoundView>()(() => ({ ...devices, ...main.sound })),
			microphoneLevel: () => 0.55,
			microphonePeakDb: () => -30,
			othersLevel: () => 0.45,
			outputLevel: () => 0.35,
			listenIn: async () => ok(() => {}),
			liveliest: async () => main.liveliest ?? null,
			testOutput: async () => ok(),
			record: async () => ok(fakeRecording()),
			play: async () => ok(),
			testPath: async (path) => (await main.testPath?.(path)) ?? { passed: true, delayMs: 60, gainDb: 0 },
		},
		history,
		voices,
		routing,
		recording: {
			store: recordingStore,
			begin: async (name) => void asked.push(['recording.begin', name]),
			end: async () => void asked.push(['recording.end', null]),
			dismiss: () => recordingStore.setState({ problem: null, saved: false }),
		},
		echo: {
			store: createStore(() => ({ heard: false, gated: false, ...main.echo })),
			dismiss() {},
		},
		systemSound,
		guests,
		readSound: () => Promise.allSettled([routing.load(), systemSound.load()]),
		shell,
		callOutput,
		voiceForm: createVoiceForm(),
		drafts: createDrafts(),
		navigation: createNavigation(),
	};
	return {
		parts,
		replay,
		conversation,
		legs,
		turns,
		talk,
		speaking,
		asked,
		announce,
		ready: Promise.all([
			settings.load(),
			accountMirror.load(),
			main.account?.service === 'local' ? models.load() : undefined,
			history.load(),
			voices.load(),
			routing.load(),
			systemSound.load(),
			shell.load(),
		]).then(() => {}),
	};
}

function fakeRehearsal(view: Partial<RehearsalView> = {}): SetupRehearsal {
	const store = createStore<RehearsalView>()(() => ({
		state: 'idle',
		reached: {},
		understood: '',
		translated: '',
		problem: null,
		...view,
	}));
	return { store, run: async () => store.setState({ state: 'running' }), stop: async () => {} };
}

/** Thirty-one seconds of words and pauses. */
function fakeRecording(): Recording {
	const rateHz = 24_000;
	const samples = Int16Array.from({ length: 31 * rateHz }, (_, index) =>
		index % 12_000 < 8000 ? Math.round(Math.sin(index / 17) * 8000) : 0,
	);
	return { lengthMs: () => 31_000, level: () => 0.6, stop: () => ({ samples, rateHz }) };
}

interface FakeLeg extends Leg {
	readonly conversation: FakeConversation;
	readonly calls: readonly (readonly [string, ...unknown[]])[];
}

/** Two legs that do only what a test tells them. */
interface FakeLegs {
	readonly names: StoreApi<readonly LegName[]>;
	readonly outgoing: FakeLeg;
	readonly incoming: FakeLeg;
	readonly theirs: Legs['theirs'];
}

export function createFakeLegs(): FakeLegs {
	const theirs = createStore<{ readonly corrected: string | null }>()(() => ({ corrected: null }));
	return {
		theirs: { store: theirs, correct: (corrected) => theirs.setState({ corrected }) },
		names: createStore<readonly LegName[]>()(() => ['outgoing']),
		outgoing: createFakeLeg('outgoing'),
		incoming: createFakeLeg('incoming'),
	};
}

function createFakeLeg(name: LegName): FakeLeg {
	const calls: (readonly [string, ...unknown[]])[] = [];
	const voice = createStore(() => ({ muted: false }));
	return {
		name,
		conversation: createFakeConversation(),
		voice,
		calls,
		muteVoice(muted) {
			calls.push(['muteVoice', muted]);
			voice.setState({ muted });
		},
		again: () => void calls.push(['again']),
	};
}

/** Claims to play what is requested, until told otherwise. */
interface FakeReplay extends Replay {
	readonly asked: readonly string[];
	/** Rows that can be heard again. */
	keep(...rows: readonly string[]): void;
}

export function createFakeReplay(): FakeReplay {
	const asked: string[] = [];
	const store: Replay['store'] = createStore(
		() => ({ row: null, catchingUp: false, nothing: false }) as never,
	);
	const rows = createStore<ReadonlySet<string>>()(() => new Set<string>());
	return {
		store,
		rows,
		asked,
		last(among) {
			const kept = [...rows.getState()].filter((row) => among?.(row));
			asked.push(['last', ...kept].join(' '));
		},
		play: (row) => void asked.push(row),
		stop() {
			asked.push('stop');
			store.setState({ row: null, catchingUp: false, nothing: false });
		},
		keep: (...kept) => rows.setState(new Set(kept), true),
	};
}

/** A stream for typed texts that does only what a test tells it. */
export interface FakeSpeaking {
	readonly voice: SpokenVoice;
	/** The calls to it: `speak t1 Hola`, `drop t1`, `close`. */
	readonly did: readonly string[];
	tell(event: SpeakingEvent): void;
}

/** Keeps every stream that is opened, in order. */
export function createFakeSpeaking(kept: FakeSpeaking[]) {
	return (voice: SpokenVoice, heard: (event: SpeakingEvent) => void): SpeakingStream => {
		const did: string[] = [];
		kept.push({ voice, did, tell: heard });
		return {
			speak: (id, text) => void did.push(`speak ${id} ${text}`),
			drop: (id) => void did.push(`drop ${id}`),
			close: () => void did.push('close'),
		};
	};
}

/** A talk key that does only what a test tells it, and remembers what the window did. */
interface FakeTalk extends Talk {
	readonly calls: readonly (readonly [string, ...unknown[]])[];
	show(view: Partial<TalkView>): void;
}

const open: TalkView = { mode: 'open', open: true, pressed: 'no', unheard: false };

function createFakeTalk(): FakeTalk {
	const calls: (readonly [string, ...unknown[]])[] = [];
	const store = createStore<TalkView>()(() => open);
	return {
		store,
		calls,
		show: (view) => store.setState(view),
		down: (by) => void calls.push(['down', by]),
		up: (by) => void calls.push(['up', by]),
		toggle: () => void calls.push(['toggle']),
		letGo: () => void calls.push(['letGo']),
		unheard: () => void calls.push(['unheard']),
		close() {},
	};
}

/** Turns that do only what a test tells them, and remember what the window did. */
interface FakeTurns extends TurnTaking {
	readonly calls: readonly (readonly [string, ...unknown[]])[];
	show(view: Partial<TurnView>): void;
}

const idle: TurnView = {
	cues: { me: 'off', partner: 'off' },
	pressed: { me: 'no', partner: 'no' },
};

function createFakeTurns(): FakeTurns {
	const calls: (readonly [string, ...unknown[]])[] = [];
	const store = createStore<TurnView>()(() => idle);
	return {
		store,
		calls,
		show: (view) => store.setState(view),
		down: (side) => void calls.push(['down', side]),
		up: (side) => void calls.push(['up', side]),
		letGo: () => void calls.push(['letGo']),
		close() {},
	};
}
