import { z } from 'zod/mini';
import { Finding } from '#shared/diagnosis/checks.ts';
import { announcedCommands } from '#shared/keys/commands.ts';
import { Problem } from '#shared/problem.ts';
import { SettingOrigin, Settings } from '#shared/settings/schema.ts';
import { RoutingState, routingRequests, SystemSoundState, systemSoundRequests } from './calls.ts';
import { correctionRequests, glossaryRequests } from './glossaries.ts';
import { HistoryState, historyRequests } from './history.ts';
import { ModelsState, modelRequests } from './models.ts';
import { overlayAnnouncements, overlayRequests } from './overlay.ts';
import { recordingRequests } from './recording.ts';
import { StreamOpening, streamName } from './streams.ts';
import { VoiceList, voiceRequests } from './voices.ts';

/**
 * Everything the window may ask of the main process, and everything main may announce to it. The
 * only list: the preload loops over it, main's handlers are typed by it, both sides parse by it.
 * Plain JSON only; media never travels here. Large schemas are `z.lazy`: made when the first message of their kind
 * comes, not before the window opens.
 */

const nothing = z.undefined();
const saving = {
	input: z.object({ suggestedName: z.string(), text: z.string() }),
	output: z.nullable(z.string()),
};

/** Limits of a log line from the window: number of facts, length of a name and of a text. */
export const LOG_LIMITS = { facts: 32, name: 40, text: 500 } as const;

/** Names and values. Their number is checked first: a million would block main. */
const LogFacts = z.lazy(() =>
	z.pipe(
		z.custom<readonly unknown[]>((facts) => Array.isArray(facts) && facts.length <= LOG_LIMITS.facts),
		z.array(
			z.tuple([
				z.string().check(z.maxLength(LOG_LIMITS.name)),
				z.union([z.string().check(z.maxLength(LOG_LIMITS.text)), z.number(), z.boolean(), z.null()]),
			]),
		),
	),
);

/** The data that the window needs to join a room; the service's own session id stays in main. */
export const SessionGrant = z.lazy(() =>
	z.object({
		/** Our handle for `session.close`; meaningless to the service. */
		handle: z.string(),
		webrtcUrl: z.string(),
		/** Short-lived publisher token. Never logged, never stored. */
		publisher: z.string(),
	}),
);
export type SessionGrant = z.infer<typeof SessionGrant>;

export const SettingsSnapshot = z.lazy(() =>
	z.object({
		/** Grows by one with each change; an announcement with a lower one is stale. */
		revision: z.number(),
		values: Settings,
		/** Why each value is in force. A value that comes from an option or a variable cannot be changed here. */
		origins: z.record(z.string(), SettingOrigin),
		/** The option or variable that decided, by setting; absent where none did. */
		sources: z.optional(z.record(z.string(), z.string())),
		/** Something the user should know about the file (it was broken and set aside, it cannot be written). */
		problem: z.nullable(Problem),
	}),
);
export type SettingsSnapshot = z.infer<typeof SettingsSnapshot>;

export const AccountStatus = z.lazy(() =>
	z.object({
		revision: z.number(),
		/** `service` needs a key; `local` interprets on this computer; `sandbox` is a stand-in where nothing is really translated. */
		service: z.enum(['unset', 'service', 'sandbox', 'local']),
		/** REST base in use, for display. */
		apiUrl: z.string(),
		key: z.object({
			present: z.boolean(),
			/** Last four characters, or empty when shorter than 12. */
			lastFour: z.string(),
			/** Where the key in force comes from. */
			source: z.enum(['none', 'variable', 'keychain', 'session']),
			/** Can the operating system keep a key? `plain` = it would be readable by other programs. */
			keychain: z.enum(['available', 'plain', 'missing']),
			/** There is a key, but it was given for another address: it is not sent here. */
			elsewhere: z.optional(z.boolean()),
		}),
		/** Bearer of the voice endpoints; without one the key is used. */
		voiceToken: z.optional(
			z.object({
				present: z.boolean(),
				lastFour: z.string(),
				source: z.enum(['none', 'variable', 'keychain', 'session']),
			}),
		),
		/** There is an address for the speech socket: WebRTC is not the only way. */
		speechSocket: z.optional(z.boolean()),
		/** The sandbox or the local interpreter, whichever is chosen, is up. */
		sandbox: z.enum(['off', 'starting', 'running', 'failed']),
	}),
);
export type AccountStatus = z.infer<typeof AccountStatus>;

/** The remaining credit of an account (protocol 8); null if the service does not report it. */
export const Balance = z.lazy(() =>
	z.object({
		credits: z.nullable(z.number()),
		/** The same in US dollars. */
		usd: z.nullable(z.number()),
	}),
);
export type Balance = z.infer<typeof Balance>;

export const SessionRow = z.lazy(() =>
	z.object({
		/** Opaque handle for the calls below; not the service's id. */
		handle: z.string(),
		/** First characters of a hash of the id, for people to tell rows apart. */
		label: z.string(),
		/** Unix ms by the server's clock; null when unreadable. */
		createdAt: z.nullable(z.number()),
		updatedAt: z.nullable(z.number()),
		expiresAt: z.nullable(z.number()),
		owner: z.enum(['this-conversation', 'this-app', 'this-computer', 'probably-ours', 'foreign', 'unknown']),
	}),
);
export type SessionRow = z.infer<typeof SessionRow>;

/** A page of the account's open sessions. */
export const SessionPage = z.lazy(() =>
	z.object({
		rows: z.array(SessionRow),
		/** For `after` of the next `session.list`; null = this was the last page. */
		next: z.nullable(z.string()),
		/** False when the service's list did not end and was cut off. */
		complete: z.boolean(),
		/** The server's time now, Unix ms, from which the remaining time of a session is computed. */
		serverNow: z.number(),
		/** Where a ledger that could not be read was kept aside; null = all is well. */
		brokenLedger: z.nullable(z.string()),
	}),
);
export type SessionPage = z.infer<typeof SessionPage>;

/** The results of a clean-up of the ledger, in numbers of sessions. */
export const SweepReport = z.lazy(() =>
	z.object({
		deleted: z.number(),
		/** No longer known to the service. */
		absent: z.number(),
		failed: z.number(),
		inUse: z.number(),
		/** Made with the command line for the user, who owns them. */
		handedOver: z.number(),
		otherAccounts: z.number(),
		/** From another service or key, long expired: forgotten. */
		outdated: z.number(),
		/** Requests without an answer: sessions they may have created are listed as probably ours. */
		uncertain: z.number(),
		/** Why some could not be deleted. */
		problem: z.nullable(Problem),
		brokenLedger: z.nullable(z.string()),
	}),
);
export type SweepReport = z.infer<typeof SweepReport>;

export const AppInfo = z.lazy(() =>
	z.object({
		version: z.string(),
		/** `stand-in` = a Chromium window in place of Electron; some shell features are missing. */
		shell: z.enum(['electron', 'stand-in']),
		platform: z.string(),
		/** BCP 47 tags of the system, first preferred. */
		locales: z.array(z.string()),
		/** Microphone permission as the operating system sees it. */
		microphone: z.enum(['granted', 'denied', 'unknown']),
		/**
		 * Where settings, ledger and logs are; `source` = the option or variable that sets it, empty = the system's default.
		 */
		userData: z.optional(z.object({ folder: z.string(), source: z.string() })),
		/** Names of variables of the environment that are set and used; never their values. */
		variables: z.optional(z.array(z.string())),
		/** Started without anything that may keep the window from working; settings are set aside. */
		safeMode: z.optional(z.boolean()),
	}),
);
export type AppInfo = z.infer<typeof AppInfo>;

/** The conversation's phase as the shell needs it (tray, power, quit). */
export const PhaseReport = z.enum(['idle', 'starting', 'live', 'paused', 'recovering', 'ending', 'failed']);
export type PhaseReport = z.infer<typeof PhaseReport>;

/** The abilities of the shell around the window, which differ by system. */
export const ShellState = z.lazy(() =>
	z.object({
		/** Grows by one with each change; an announcement with a lower one is stale. */
		revision: z.number(),
		/** An icon in the system tray, with the same actions. */
		tray: z.enum(['shown', 'none']),
		/** Keys while another program is in front. `portal`: the desktop asks the person first (Wayland). */
		globalKeys: z.enum(['works', 'portal', 'none']),
		/** The talk key can be held while another program is in front; otherwise it toggles there. */
		holds: z.boolean(),
		/** The window is neither minimised nor hidden. */
		shown: z.boolean(),
		/** Slots whose keys the system refused, because another program has them. */
		refusedKeys: z.array(z.string()),
	}),
);
export type ShellState = z.infer<typeof ShellState>;

export const shellRequests = {
	'shell.state': { input: z.undefined(), output: ShellState },
} as const;

/** Messages between window and main about guests, who read, and hear the translation, in a browser on the same network. */

export const GuestsState = z.lazy(() =>
	z.object({
		/** Grows by one with each change; an announcement with a lower one is stale. */
		revision: z.number(),
		sharing: z.boolean(),
		/**
		 * Full addresses of the page, the likeliest to be reached first; empty while nothing is shared, or without a network.
		 * Anybody with such an address can read the captions.
		 */
		addresses: z.array(z.string()),
		/** How many read along now. */
		guests: z.number(),
		/** The languages in which guests listen. */
		listening: z.array(z.string()),
	}),
);
export type GuestsState = z.infer<typeof GuestsState>;

export const guestRequests = {
	/** Shares the captions, if that can be; while they are shared it only answers. */
	'guests.open': { input: nothing, output: GuestsState },
	/** Harmless to repeat. */
	'guests.close': { input: nothing, output: nothing },
	/** The languages in which a translation is spoken, as guests choose them (`readersTag`). */
	'guests.voices': { input: z.object({ languages: z.array(z.string()) }), output: nothing },
	/**
	 * A voice for those who listen in this language. Its ports come to the window like those of a stream (`streams.ts`);
	 * the second carries blocks (`voice-block.ts`) to main until the first is closed.
	 */
	'guests.speak': { input: z.object({ stream: streamName, language: z.string() }), output: nothing },
} as const;

/** Messages between window and main about the diagnosis. */

export const DiagnosisState = z.lazy(() =>
	z.object({
		/** Grows by one with each change; an announcement with a lower one is stale. */
		revision: z.number(),
		running: z.boolean(),
		/** Findings of the running or the last diagnosis, in order of arrival. */
		findings: z.array(Finding),
	}),
);
export type DiagnosisState = z.infer<typeof DiagnosisState>;

export const diagnosisRequests = {
	/** Runs all of main's checks; resolves when done. A second call meanwhile waits for the first. */
	'diagnosis.run': { input: nothing, output: DiagnosisState },
	/** Unfinished checks become `cancelled`; harmless when nothing runs. */
	'diagnosis.cancel': { input: nothing, output: nothing },
} as const;

export const requests = {
	'app.info': { input: nothing, output: AppInfo },
	'settings.read': { input: nothing, output: SettingsSnapshot },
	/** Ignores keys fixed by an option or variable; the snapshot shows them. */
	'settings.write': { input: z.record(z.string(), z.unknown()), output: SettingsSnapshot },
	'account.read': { input: nothing, output: AccountStatus },
	/** Checks the key with a call that costs nothing, then stores it. On refusal nothing is stored. */
	'account.set-key': {
		input: z.object({ key: z.string(), keep: z.enum(['keychain', 'session']) }),
		output: AccountStatus,
	},
	'account.forget-key': { input: nothing, output: AccountStatus },
	/** A separate token for the voice endpoints. It is not checked. */
	'account.set-voice-token': {
		input: z.object({ token: z.string(), keep: z.enum(['keychain', 'session']) }),
		output: AccountStatus,
	},
	'account.forget-voice-token': { input: nothing, output: AccountStatus },
	/** The account's credit, read from the service now. */
	'account.balance': { input: nothing, output: Balance },
	/** Chooses the sandbox or the local interpreter (starting it) or the service (stopping it). */
	'account.choose': {
		input: z.object({ service: z.enum(['service', 'sandbox', 'local']) }),
		output: AccountStatus,
	},
	/** The user is setting up: have a session ready. Harmless to repeat; costs at most one session. */
	'session.prepare': { input: nothing, output: nothing },
	'session.open': { input: nothing, output: SessionGrant },
	/** The room is joined: from here the service extends the session automatically. */
	'session.joined': { input: z.object({ handle: z.string() }), output: nothing },
	/** Ends and deletes. Resolves when deleted or safely in the ledger; unknown handles are harmless. */
	'session.close': { input: z.object({ handle: z.string() }), output: nothing },
	/** A page at a time: `after` is null for the first, else `next` of the page before. */
	'session.list': { input: z.object({ after: z.nullable(z.string()) }), output: SessionPage },
	/** Lets a session of the list expire `ttlS` whole seconds from now; returns its new expiry if the server gave one. */
	'session.extend': {
		input: z.object({ handle: z.string(), ttlS: z.int().check(z.minimum(1), z.maximum(31 * 86_400)) }),
		output: z.object({ expiresAt: z.nullable(z.number()) }),
	},
	/** Deletes only unused sessions of our ledger. */
	'session.sweep': { input: nothing, output: SweepReport },
	'session.end': { input: z.object({ handle: z.string() }), output: nothing },
	/**
	 * Opens a socket with the key. Its ports come to the window before or after the answer (`streams.ts`), which comes
	 * when the socket is up. A failed opening leaves nothing behind.
	 */
	'stream.open': { input: StreamOpening, output: nothing },
	/** Works even while it is being opened; unknown streams are harmless. Resolves when the socket is closed. */
	'stream.close': { input: z.object({ stream: z.string() }), output: nothing },
	'conversation.phase': { input: z.object({ phase: PhaseReport, muted: z.boolean() }), output: nothing },
	/** Keeps the display from dimming and sleeping: two people look at it and touch nothing. Ends with the page, too. */
	'display.keep-awake': { input: z.object({ on: z.boolean() }), output: nothing },
	/** Saves text where the user chooses (a dialog in main). `null` = the user closed the dialog. */
	'file.save-text': saving,
	/** The same for the source of a document (DOCX), as `captionFile` writes it. */
	'file.save-document': saving,
	/** Shows a file that was saved since the program began in its folder; false for any other. */
	'file.show-saved': { input: z.object({ path: z.string() }), output: z.boolean() },
	/** Opens the system's microphone privacy page; false where there is none. */
	'system.open-microphone-privacy': { input: nothing, output: z.boolean() },
	/**
	 * Opens, in the browser, a page of the public service: on getting an account and a key, or on prices. The window shows
	 * the address first.
	 */
	'system.open-service-site': { input: z.object({ page: z.enum(['keys', 'prices']) }), output: z.boolean() },
	/** The same for what the computer plays: the page of screen and system audio recording. */
	'system.open-sound-privacy': { input: nothing, output: z.boolean() },
	/** A line for the log: facts, never speech. Main redacts it, marks it as the window's and bounds it. */
	'log.write': {
		input: z.object({
			level: z.enum(['error', 'warn', 'info', 'debug']),
			message: z.string().check(z.maxLength(LOG_LIMITS.text)),
			facts: z.optional(LogFacts),
		}),
		output: nothing,
	},
	...historyRequests,
	...voiceRequests,
	...correctionRequests,
	...glossaryRequests,
	...routingRequests,
	...systemSoundRequests,
	...recordingRequests,
	...shellRequests,
	...overlayRequests,
	...guestRequests,
	...diagnosisRequests,
	...modelRequests,
	/** A report for support; the input is the window's own findings. */
	'diagnostics.report': { input: z.optional(z.array(Finding)), output: z.string() },
	/** The page is up and usable: this start has succeeded. */
	'app.usable': { input: nothing, output: nothing },
	/** Leaves safe mode: the program ends and starts again. */
	'app.restart': { input: nothing, output: nothing },
	/** The window is ready to be closed: microphone off, room left. */
	'app.close-ready': { input: nothing, output: nothing },
} as const;

export type RequestName = keyof typeof requests;
export type Input<Name extends RequestName> = z.infer<(typeof requests)[Name]['input']>;
export type Output<Name extends RequestName> = z.infer<(typeof requests)[Name]['output']>;

export const announcements = {
	'settings.changed': SettingsSnapshot,
	'account.changed': AccountStatus,
	/** Another account is about to replace the one of this revision: a conversation ends now. */
	'account.leaving': z.object({ revision: z.number() }),
	/** The state of the history for the history page and the live page; stale with a lower revision. */
	'history.changed': HistoryState,
	/** Also while a sample is sent, a few times a second; stale with a lower revision. */
	'voice.changed': VoiceList,
	/** The virtual microphone came, went or failed; stale with a lower revision. */
	'routing.changed': RoutingState,
	/** Programs that play came or went; stale with a lower revision. */
	'system-sound.changed': SystemSoundState,
	/** The tray appeared, or the granted global keys changed; stale with a lower revision. */
	'shell.changed': ShellState,
	/** Captions began or ended being shared, or a guest came or went; stale with a lower revision. */
	'guests.changed': GuestsState,
	/** A model was added or removed, or a download is further on; stale with a lower revision. */
	'models.changed': ModelsState,
	/** Progress of the diagnosis; stale with a lower revision. */
	'diagnosis.changed': DiagnosisState,
	/** The handle's session has ended or is about to; the conversation must open a new one. */
	'session.lost': z.object({ handle: z.string(), problem: Problem }),
	/** A live session cannot be extended and ends in `leftMs`. Repeated while that is so. */
	'session.expiring': z.object({ handle: z.string(), leftMs: z.number() }),
	/** The window or app is about to close: stop now, then `app.close-ready`. Main waits a bounded time. */
	'app.closing': z.object({ reason: z.enum(['window', 'quit', 'suspend']) }),
	...overlayAnnouncements,
	'power.changed': z.object({
		event: z.enum(['suspend', 'resume', 'lock', 'unlock']),
		/** When main heard of it, wall time: the window may hear of a sleep only after it. */
		atWallMs: z.optional(z.number()),
	}),
	/** A command from menu, tray or a global key. */
	'command.run': z.object({
		command: z.enum(announcedCommands),
	}),
	/** The talk key is held or released, whichever program is in front. */
	'talk.held': z.object({ down: z.boolean() }),
} as const;

export type AnnouncementName = keyof typeof announcements;
export type Announcement<Name extends AnnouncementName> = z.infer<(typeof announcements)[Name]>;

/** The preload's interface on `window.dragoman`. `ask` resolves to a Result and never rejects. */
export interface HostBridge {
	ask(name: string, input: unknown): Promise<unknown>;
	/** Returns an unsubscribe function. */
	listen(name: string, heard: (payload: unknown) => void): () => void;
}
