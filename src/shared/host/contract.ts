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
 * All requests of the window to the main process, and all announcements of main to the window. This is the only
 * list: the preload loops over it, main's handlers take their types from it, and both sides parse with it. Plain
 * JSON only; media never travels here. Large schemas are `z.lazy`: built when the first message of their kind
 * arrives, not before the window opens.
 */

const nothing = z.undefined();
const saving = {
	input: z.object({ suggestedName: z.string(), text: z.string() }),
	output: z.nullable(z.string()),
};

/** Limits of a log line from the window: number of facts, length of a name and of a text. */
export const LOG_LIMITS = { facts: 32, name: 40, text: 500 } as const;

/** Names and values. Their number is checked first: a million of them would block main. */
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
		/** Grows by one with each change; an announcement with a lower revision is outdated. */
		revision: z.number(),
		values: Settings,
		/** Why each value is in force. A value that comes from an option or a variable cannot be changed here. */
		origins: z.record(z.string(), SettingOrigin),
		/** The option or variable that set a value, by setting; absent if none did. */
		sources: z.optional(z.record(z.string(), z.string())),
		/** A problem of the settings file for the user: it was invalid and set aside, or cannot be written. */
		problem: z.nullable(Problem),
	}),
);
export type SettingsSnapshot = z.infer<typeof SettingsSnapshot>;

export const AccountStatus = z.lazy(() =>
	z.object({
		revision: z.number(),
		/** `service` needs a key; `local` interprets on this computer; `sandbox` simulates without translating. */
		service: z.enum(['unset', 'service', 'sandbox', 'local']),
		/** REST base in use, for display. */
		apiUrl: z.string(),
		key: z.object({
			present: z.boolean(),
			/** Last four characters, or empty when shorter than 12. */
			lastFour: z.string(),
			/** Source of the key in use. */
			source: z.enum(['none', 'variable', 'keychain', 'session']),
			/** Whether the operating system can store a key. `plain` = other programs could read it. */
			keychain: z.enum(['available', 'plain', 'missing']),
			/** A key exists, but it was given for another address: it is not sent to this one. */
			elsewhere: z.optional(z.boolean()),
		}),
		/** Bearer token of the voice endpoints; without it the key is used. */
		voiceToken: z.optional(
			z.object({
				present: z.boolean(),
				lastFour: z.string(),
				source: z.enum(['none', 'variable', 'keychain', 'session']),
			}),
		),
		/** An address of the speech socket is known, so WebRTC is not the only route. */
		speechSocket: z.optional(z.boolean()),
		/** State of the sandbox or the local interpreter, whichever is chosen. */
		sandbox: z.enum(['off', 'starting', 'running', 'failed']),
	}),
);
export type AccountStatus = z.infer<typeof AccountStatus>;

/** The remaining credit of an account (protocol 8); null if the service does not report it. */
export const Balance = z.lazy(() =>
	z.object({
		credits: z.nullable(z.number()),
		/** The same credit in US dollars. */
		usd: z.nullable(z.number()),
	}),
);
export type Balance = z.infer<typeof Balance>;

export const SessionRow = z.lazy(() =>
	z.object({
		/** Opaque handle for the calls below; not the service's id. */
		handle: z.string(),
		/** First characters of a hash of the id, so that people can tell rows apart. */
		label: z.string(),
		/** Unix ms by the server's clock; null if unreadable. */
		createdAt: z.nullable(z.number()),
		updatedAt: z.nullable(z.number()),
		expiresAt: z.nullable(z.number()),
		owner: z.enum(['this-conversation', 'this-app', 'this-computer', 'probably-ours', 'foreign', 'unknown']),
	}),
);
export type SessionRow = z.infer<typeof SessionRow>;

export const SessionPage = z.lazy(() =>
	z.object({
		rows: z.array(SessionRow),
		/** `after` of the next `session.list`; null = this was the last page. */
		next: z.nullable(z.string()),
		/** False if the service's list had no end and was cut off. */
		complete: z.boolean(),
		/** The server's time now, Unix ms, from which the remaining time of a session is computed. */
		serverNow: z.number(),
		/** Where an unreadable ledger was saved; null = the ledger is readable. */
		brokenLedger: z.nullable(z.string()),
	}),
);
export type SessionPage = z.infer<typeof SessionPage>;

/** The results of a clean-up of the ledger, as numbers of sessions. */
export const SweepReport = z.lazy(() =>
	z.object({
		deleted: z.number(),
		/** Sessions that the service no longer knows. */
		absent: z.number(),
		failed: z.number(),
		inUse: z.number(),
		/** Sessions created on the command line for the user, who now manages them. */
		handedOver: z.number(),
		otherAccounts: z.number(),
		/** Sessions of another service or key that expired long ago: removed from the ledger. */
		outdated: z.number(),
		/** Requests without an answer: sessions that they may have created are listed as probably ours. */
		uncertain: z.number(),
		/** Why some sessions could not be deleted. */
		problem: z.nullable(Problem),
		brokenLedger: z.nullable(z.string()),
	}),
);
export type SweepReport = z.infer<typeof SweepReport>;

export const AppInfo = z.lazy(() =>
	z.object({
		version: z.string(),
		/** `stand-in` = a Chromium window instead of Electron; some shell features are missing. */
		shell: z.enum(['electron', 'stand-in']),
		platform: z.string(),
		/** BCP 47 tags of the system, first preferred. */
		locales: z.array(z.string()),
		/** Microphone permission as reported by the operating system. */
		microphone: z.enum(['granted', 'denied', 'unknown']),
		/** The folder of settings, ledger and logs; `source` = the option or variable for it, empty = default. */
		userData: z.optional(z.object({ folder: z.string(), source: z.string() })),
		/** Names of environment variables that are set and used; never their values. */
		variables: z.optional(z.array(z.string())),
		/** Started without features that may keep the window from working; settings are set aside. */
		safeMode: z.optional(z.boolean()),
	}),
);
export type AppInfo = z.infer<typeof AppInfo>;

/** The conversation's phase, reported to the shell (tray, power, quit). */
export const PhaseReport = z.enum(['idle', 'starting', 'live', 'paused', 'recovering', 'ending', 'failed']);
export type PhaseReport = z.infer<typeof PhaseReport>;

/** The abilities of the shell around the window, which differ by system. */
export const ShellState = z.lazy(() =>
	z.object({
		/** Grows by one with each change; an announcement with a lower revision is outdated. */
		revision: z.number(),
		/** An icon in the system tray, with the same actions. */
		tray: z.enum(['shown', 'none']),
		/** Keys that work while another program has focus. `portal`: the desktop asks first (Wayland). */
		globalKeys: z.enum(['works', 'portal', 'none']),
		/** The talk key can be held while another program has focus; otherwise it toggles there. */
		holds: z.boolean(),
		/** The window is neither minimised nor hidden. */
		shown: z.boolean(),
		/** Slots whose keys the system refused because another program uses them. */
		refusedKeys: z.array(z.string()),
	}),
);
export type ShellState = z.infer<typeof ShellState>;

export const shellRequests = {
	'shell.state': { input: z.undefined(), output: ShellState },
} as const;

/** Messages about guests, who read or hear the translation in a browser on the same network. */

export const GuestsState = z.lazy(() =>
	z.object({
		/** Grows by one with each change; an announcement with a lower revision is outdated. */
		revision: z.number(),
		sharing: z.boolean(),
		/** Full addresses of the page, most reachable first; empty if not shared. Anyone with one can read along. */
		addresses: z.array(z.string()),
		/** Number of guests connected now. */
		guests: z.number(),
		/** Languages to which guests listen. */
		listening: z.array(z.string()),
	}),
);
export type GuestsState = z.infer<typeof GuestsState>;

export const guestRequests = {
	/** Shares the captions if possible; if they are shared already, it only returns the state. */
	'guests.open': { input: nothing, output: GuestsState },
	/** Harmless to repeat. */
	'guests.close': { input: nothing, output: nothing },
	/** The languages in which a translation is spoken, as offered to guests (`readersTag`). */
	'guests.voices': { input: z.object({ languages: z.array(z.string()) }), output: nothing },
	/** Opens a voice for guests. Ports as in `streams.ts`; the second carries blocks (`voice-block.ts`). */
	'guests.speak': { input: z.object({ stream: streamName, language: z.string() }), output: nothing },
} as const;

/** Messages between window and main about the diagnosis. */

export const DiagnosisState = z.lazy(() =>
	z.object({
		/** Grows by one with each change; an announcement with a lower revision is outdated. */
		revision: z.number(),
		running: z.boolean(),
		/** Findings of the running or the last diagnosis, in order of arrival. */
		findings: z.array(Finding),
	}),
);
export type DiagnosisState = z.infer<typeof DiagnosisState>;

export const diagnosisRequests = {
	/** Runs all of main's checks; resolves when they are done. A second call meanwhile waits for the first. */
	'diagnosis.run': { input: nothing, output: DiagnosisState },
	/** Unfinished checks become `cancelled`; harmless if none is running. */
	'diagnosis.cancel': { input: nothing, output: nothing },
} as const;

export const requests = {
	'app.info': { input: nothing, output: AppInfo },
	'settings.read': { input: nothing, output: SettingsSnapshot },
	/** Ignores settings that an option or variable fixes; the snapshot shows them. */
	'settings.write': { input: z.record(z.string(), z.unknown()), output: SettingsSnapshot },
	'account.read': { input: nothing, output: AccountStatus },
	/** Checks the key with a call that costs nothing, then stores it. A refused key is not stored. */
	'account.set-key': {
		input: z.object({ key: z.string(), keep: z.enum(['keychain', 'session']) }),
		output: AccountStatus,
	},
	'account.forget-key': { input: nothing, output: AccountStatus },
	/** Stores a separate token for the voice endpoints without checking it. */
	'account.set-voice-token': {
		input: z.object({ token: z.string(), keep: z.enum(['keychain', 'session']) }),
		output: AccountStatus,
	},
	'account.forget-voice-token': { input: nothing, output: AccountStatus },
	/** Requests the account's current credit from the service. */
	'account.balance': { input: nothing, output: Balance },
	/** Chooses the sandbox or the local interpreter (starting it) or the service (stopping it). */
	'account.choose': {
		input: z.object({ service: z.enum(['service', 'sandbox', 'local']) }),
		output: AccountStatus,
	},
	/** The user prepares a conversation: have a session ready. Harmless to repeat; costs at most one session. */
	'session.prepare': { input: nothing, output: nothing },
	'session.open': { input: nothing, output: SessionGrant },
	/** The room is joined: from now on the service extends the session automatically. */
	'session.joined': { input: z.object({ handle: z.string() }), output: nothing },
	/** Ends a session. Resolves when it is deleted or safely in the ledger; unknown handles are harmless. */
	'session.close': { input: z.object({ handle: z.string() }), output: nothing },
	/** Returns one page: `after` is null for the first, otherwise `next` of the previous page. */
	'session.list': { input: z.object({ after: z.nullable(z.string()) }), output: SessionPage },
	/** Makes a session of the list expire `ttlS` whole seconds from now; returns the server's new expiry, if any. */
	'session.extend': {
		input: z.object({ handle: z.string(), ttlS: z.int().check(z.minimum(1), z.maximum(31 * 86_400)) }),
		output: z.object({ expiresAt: z.nullable(z.number()) }),
	},
	/** Deletes only unused sessions of our ledger. */
	'session.sweep': { input: nothing, output: SweepReport },
	'session.end': { input: z.object({ handle: z.string() }), output: nothing },
	/**
	 * Opens a socket with the key. The window receives its ports (`streams.ts`) before or after the answer,
	 * which arrives when the socket is open. A failed attempt leaves nothing behind.
	 */
	'stream.open': { input: StreamOpening, output: nothing },
	/** Works even while the socket is being opened; resolves when it is closed. Unknown streams are harmless. */
	'stream.close': { input: z.object({ stream: z.string() }), output: nothing },
	'conversation.phase': { input: z.object({ phase: PhaseReport, muted: z.boolean() }), output: nothing },
	/** Keeps the display awake, as two people look at it without touching it. Closing the page ends this. */
	'display.keep-awake': { input: z.object({ on: z.boolean() }), output: nothing },
	/** Saves text where the user chooses (a dialog in main). `null` = the user closed the dialog. */
	'file.save-text': saving,
	/** The same for the source of a document (DOCX), as written by `captionFile`. */
	'file.save-document': saving,
	/** Shows a saved file in its folder; false for any file that was not saved since the program started. */
	'file.show-saved': { input: z.object({ path: z.string() }), output: z.boolean() },
	/** Opens the system's microphone privacy page; false if there is none. */
	'system.open-microphone-privacy': { input: nothing, output: z.boolean() },
	/** Opens a page of the public service in the browser (keys or prices); the window shows the address first. */
	'system.open-service-site': { input: z.object({ page: z.enum(['keys', 'prices']) }), output: z.boolean() },
	/** The same for the sound of the computer: opens the page for screen and system audio recording. */
	'system.open-sound-privacy': { input: nothing, output: z.boolean() },
	/** Writes a line to the log: facts, never speech. Main redacts, marks and shortens it. */
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
	/** The page is loaded and usable: this start has succeeded. */
	'app.usable': { input: nothing, output: nothing },
	/** Leaves safe mode: the program exits and starts again. */
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
	/** Another account is about to replace the one of this revision: end a running conversation now. */
	'account.leaving': z.object({ revision: z.number() }),
	/** The state of the history, for the history page and the live page; outdated if its revision is lower. */
	'history.changed': HistoryState,
	/** Also announced a few times a second while a sample is sent; outdated if its revision is lower. */
	'voice.changed': VoiceList,
	/** The virtual microphone appeared, disappeared or failed; outdated if its revision is lower. */
	'routing.changed': RoutingState,
	/** Programs started or stopped playing; outdated if its revision is lower. */
	'system-sound.changed': SystemSoundState,
	/** The tray appeared, or the granted global keys changed; outdated if its revision is lower. */
	'shell.changed': ShellState,
	/** Sharing of captions began or ended, or a guest came or left; outdated if its revision is lower. */
	'guests.changed': GuestsState,
	/** A model was added or removed, or a download has progressed; outdated if its revision is lower. */
	'models.changed': ModelsState,
	/** Progress of the diagnosis; outdated if its revision is lower. */
	'diagnosis.changed': DiagnosisState,
	/** The session with this handle has ended or is about to end; the conversation must open a new one. */
	'session.lost': z.object({ handle: z.string(), problem: Problem }),
	/** A live session cannot be extended and ends in `leftMs`. Repeated until it ends. */
	'session.expiring': z.object({ handle: z.string(), leftMs: z.number() }),
	/** The window or app is about to close: stop now, then send `app.close-ready`. Main waits a limited time. */
	'app.closing': z.object({ reason: z.enum(['window', 'quit', 'suspend']) }),
	...overlayAnnouncements,
	'power.changed': z.object({
		event: z.enum(['suspend', 'resume', 'lock', 'unlock']),
		/** When main learned of the event, wall time: the window may receive it only after the sleep. */
		atWallMs: z.optional(z.number()),
	}),
	/** A command from the menu, the tray or a global key. */
	'command.run': z.object({
		command: z.enum(announcedCommands),
	}),
	/** The talk key is held or released, whichever program has focus. */
	'talk.held': z.object({ down: z.boolean() }),
} as const;

export type AnnouncementName = keyof typeof announcements;
export type Announcement<Name extends AnnouncementName> = z.infer<(typeof announcements)[Name]>;

/** The preload's interface in `window.dragoman`. `ask` resolves to a Result and never rejects. */
export interface HostBridge {
	ask(name: string, input: unknown): Promise<unknown>;
	listen(name: string, heard: (payload: unknown) => void): () => void;
}
