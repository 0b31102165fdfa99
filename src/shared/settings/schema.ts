import { z } from 'zod/mini';
import { Correction, MOST_CORRECTIONS } from '#shared/captions/corrections.ts';
import { interfaceLanguages } from '#shared/i18n/interface-languages.ts';
import { phraseCommands } from '#shared/keys/commands.ts';
import { OverlayPlaces } from '#shared/overlay/placement.ts';
import { AudienceOverlaySettings, captionLayouts, MyOverlaySettings } from '#shared/overlay/style.ts';
import { readProxyAddress } from './proxy.ts';

/** Smallest and largest size of captions in the window, CSS px. */
export const CAPTION_SIZE_PX = { smallest: 14, largest: 64 } as const;

/** Longest ready phrase, in characters: a sentence or two. */
export const LONGEST_PHRASE = 300;

/**
 * Longest time for which conversations can be kept if not forever, days; a file edited by hand may exceed it.
 */
export const HISTORY_MOST_DAYS = 365;

export const MODES = ['solo', 'meeting', 'listen', 'face', 'captions', 'type'] as const;

const device = z.nullable(z.object({ id: z.string(), label: z.string() }));
const volume = z.number().check(z.gte(0), z.lte(1));

/** Expert overrides of a preset; `null` = the preset decides. Ranges: protocol 4.5. */
const Expert = z.object({
	silenceThresholdS: z._default(z.nullable(z.number().check(z.gte(0.3), z.lte(2))), null),
	sentenceSplitter: z._default(z.nullable(z.boolean()), null),
	translatePartials: z._default(z.nullable(z.boolean()), null),
	desiredQueueMs: z._default(z.nullable(z.number().check(z.gte(2000), z.lte(60000))), null),
	maxQueueMs: z._default(z.nullable(z.number().check(z.gte(4000), z.lte(60000))), null),
	autoTempo: z._default(z.nullable(z.boolean()), null),
	minTempo: z._default(z.nullable(z.number().check(z.gte(0.5), z.lte(2))), null),
	maxTempo: z._default(z.nullable(z.number().check(z.gte(0.5), z.lte(2))), null),
});

/**
 * Every setting with its default. The file keeps unknown keys; an invalid value only resets its own setting,
 * never the whole file. Secrets are not settings.
 */
export const settingsShape = {
	/** The service chosen at first run; `unset` shows the welcome page. */
	service: z._default(z.enum(['unset', 'service', 'sandbox', 'local']), 'unset'),
	/** First run: whether the window offers to continue the setup, and which steps are done. */
	setup: z._default(
		z.object({
			offered: z.boolean(),
			done: z.array(z.enum(['account', 'microphone', 'output', 'languages', 'rehearsal'])),
			/** The user has confirmed that the calling program uses our microphone. */
			call: z.optional(z.boolean()),
		}),
		{ offered: false, done: [] },
	),
	/** REST base; empty = the public address. */
	apiUrl: z._default(z.string(), ''),
	/** Socket addresses; empty = derived from the public base, otherwise off. */
	s2sUrl: z._default(z.string(), ''),
	sttUrl: z._default(z.string(), ''),
	ttsUrl: z._default(z.string(), ''),
	/** Comma-separated list that restricts where media and uploads may go; empty = no further restriction. */
	allowedHosts: z._default(z.string(), ''),
	logLevel: z._default(z.enum(['error', 'warn', 'info', 'debug']), 'info'),
	/** What the user does: be interpreted, hold a meeting, listen, share the computer, read, or type. */
	mode: z._default(z.enum(MODES), 'solo'),
	/** Face to face: the partner's half is upside down for a person opposite, or next to my half. */
	faceLayout: z._default(z.enum(['turned', 'beside']), 'turned'),
	/** Face to face: each side holds a button, or anybody who speaks is interpreted. */
	faceTalk: z._default(z.enum(['hold', 'automatic']), 'hold'),
	/** Face to face: one session that detects the language, instead of one per direction. */
	faceOneSession: z._default(z.boolean(), false),
	/** Face to face: the microphone is off while the voice plays. */
	faceHalfDuplex: z._default(z.boolean(), true),
	/** Face to face: a sound when a turn begins. */
	faceCue: z._default(z.boolean(), true),
	/** Listen and Meeting: the others' language is detected, among `detectable`. */
	listenDetect: z._default(z.boolean(), false),
	/** Captions only: shows the translation beside the source. */
	translateCaptions: z._default(z.boolean(), true),
	/** Type to speak: one of `SPOKEN_LANGUAGES`; empty = the language that others hear. */
	typedLanguage: z._default(z.string(), ''),
	/** Type to speak on this computer: language of the text, which is translated; empty = spoken as typed. */
	typedFrom: z._default(z.string(), ''),
	/** Source language code, or `auto`. */
	speak: z._default(z.string(), 'en'),
	/** Candidates when `speak` is `auto`, and with `listenDetect`. */
	detectable: z._default(z.array(z.string()), ['en', 'es']),
	/** Target languages in order of preference. */
	hear: z._default(z.array(z.string()), ['es']),
	/** The target whose voice is played; the others are only captioned. */
	voiceOf: z._default(z.string(), 'es'),
	/** Voice id per target language; absent = `default_low`. */
	voices: z._default(z.record(z.string(), z.string()), {}),
	recentSpeak: z._default(z.array(z.string()), []),
	recentHear: z._default(z.array(z.string()), []),
	/** Which glossaries of the account apply: all enabled ones, none, or those with these ids. */
	glossaries: z._default(
		z.union([z.enum(['all', 'none']), z.array(z.string().check(z.maxLength(4096))).check(z.maxLength(100))]),
		'all',
	),
	preset: z._default(z.enum(['fast', 'balanced', 'accurate']), 'balanced'),
	expert: z._default(Expert, Expert.parse({})),
	/** `null` = the system default; the label helps to find the device again under a new id. */
	microphone: z._default(device, null),
	output: z._default(device, null),
	/**
	 * The program whose sound is interpreted (its name); null = all sound of the computer except our own voice.
	 */
	systemSound: z._default(z.nullable(z.string().check(z.maxLength(300))), null),
	/** The device that carries our voice into a call; `null` = the virtual microphone, else the first cable. */
	callOutput: z._default(device, null),
	/** Meeting: volume of my own voice under the translation in the call; 0 = inaudible. */
	passOriginal: z._default(volume, 0),
	/** Meeting: plays a soft sound into the call when the translation of my turn has ended. */
	callTone: z._default(z.boolean(), false),
	/** Meeting: the first sentence tells the others, in their language, that I speak through an interpreter. */
	callOpening: z._default(z.boolean(), false),
	echoCancellation: z._default(z.boolean(), true),
	noiseSuppression: z._default(z.boolean(), true),
	autoGainControl: z._default(z.boolean(), true),
	/** Another loudspeaker that also plays the translation, for people in the room; null = none. */
	roomOutput: z._default(device, null),
	roomVolume: z._default(volume, 1),
	/** Switches the microphone off while a nearby loudspeaker plays a voice; `auto` = after two echoes. */
	gate: z._default(z.enum(['auto', 'on', 'off']), 'auto'),
	voiceVolume: z._default(volume, 1),
	originalVolume: z._default(volume, 0),
	/** Speed of a replay, relative to the original. */
	replaySpeed: z._default(z.enum(['1', '0.85', '0.7']), '0.85'),
	/** Listen and Meeting: volume of other programs while the translation speaks; 1 = unchanged. */
	othersVolume: z._default(volume, 0.25),
	/** Lowers the original while the voice speaks. */
	duck: z._default(z.boolean(), true),
	/** The route; `auto` = WebRTC, or the socket if that is unavailable. */
	transport: z._default(z.enum(['auto', 'webrtc', 'websocket']), 'auto'),
	/** Whether the Sound panel is open beside the captions. */
	soundOpen: z._default(z.boolean(), false),
	interfaceLanguage: z._default(z.enum(['system', ...interfaceLanguages]), 'system'),
	theme: z._default(z.enum(['system', 'light', 'dark', 'contrast']), 'system'),
	motion: z._default(z.enum(['system', 'reduced']), 'system'),
	/** Caption size in CSS px. */
	captionSize: z._default(
		z.number().check(z.gte(CAPTION_SIZE_PX.smallest), z.lte(CAPTION_SIZE_PX.largest)),
		22,
	),
	/** Source and translation side by side, one above the other, or the translation alone. */
	captionLayout: z._default(z.enum(captionLayouts), 'beside'),
	/** The format in which captions were last saved, one of `captionFormats`. */
	saveAs: z._default(z.string(), 'text'),
	/** Whether numbers, dates and addresses are compared between source and translation. */
	checkFacts: z._default(z.boolean(), true),
	/** Captions over other windows, for the user of this computer. */
	overlay: z._default(MyOverlaySettings, MyOverlaySettings.parse({})),
	/** Their positions, last used first. */
	overlayPlaces: z._default(OverlayPlaces, []),
	/** The same captions for the audience: meant to be captured. */
	audienceOverlay: z._default(AudienceOverlaySettings, AudienceOverlaySettings.parse({})),
	audienceOverlayPlaces: z._default(OverlayPlaces, []),
	/** Words and names corrected in all captions; if two entries have the same words, the later one wins. */
	corrections: z._default(z.array(Correction).check(z.maxLength(MOST_CORRECTIONS)), []),
	/**
	 * Ready phrases by base language (`zh-hant` apart), in the order of their keys; '' = no phrase for that
	 * key, absent = the app's own phrases.
	 */
	phrases: z._default(
		z.record(
			z.string().check(z.maxLength(20)),
			z.array(z.string().check(z.maxLength(LONGEST_PHRASE))).check(z.maxLength(phraseCommands.length)),
		),
		{},
	),
	announceCaptions: z._default(z.boolean(), true),
	/** Continue on this computer automatically when the service is unreachable; the user has agreed once. */
	takeOverHere: z._default(z.boolean(), false),
	/** What to do with a conversation at its end; `ask` = not chosen yet, and erased when the program exits. */
	history: z._default(z.enum(['ask', 'erase', 'days', 'keep']), 'ask'),
	/** Number of days with `days`. */
	historyDays: z._default(z.int().check(z.gte(1)), 30),
	/**
	 * When the microphone is open: always, only while a key is held, or except while it is held; with
	 * `push-to-translate` the call hears my untranslated voice the rest of the time.
	 */
	talk: z._default(z.enum(['open', 'push-to-talk', 'push-to-mute', 'push-to-translate']), 'open'),
	/**
	 * What closing the window does to a running conversation: asks, ends it, or lets it continue in the tray.
	 */
	closeLive: z._default(z.enum(['ask', 'stop', 'keep']), 'ask'),
	/** Pauses a conversation after this much silence, seconds; 0 = never. */
	pauseWhenQuietS: z._default(z.number().check(z.gte(0), z.lte(14_400)), 1800),
	/** Keys of a command, by slot (shared/keys); absent = the defaults, empty = none. */
	shortcuts: z._default(
		z.record(z.string(), z.array(z.string().check(z.maxLength(40))).check(z.maxLength(6))),
		{},
	),
	/** Whether keys work while another program has focus. */
	globalKeys: z._default(z.boolean(), false),
	/** The proxy of API calls, sockets and the window; an environment variable takes precedence. */
	proxy: z._default(z.enum(['system', 'none', 'address']), 'system'),
	/** With `address`: `http://host:port`, never with a password. */
	proxyAddress: z._default(
		z.string().check(z.refine((text) => text === '' || 'address' in readProxyAddress(text))),
		'',
	),
	/** An unused prepared session is closed after this time, seconds; 0 = no session is prepared. */
	warmIdleS: z._default(z.number().check(z.gte(0), z.lte(3600)), 120),
} as const;

export const Settings = z.object(settingsShape);
export type Settings = z.infer<typeof Settings>;
export type SettingName = keyof Settings;
export const defaultSettings: Settings = Settings.parse({});

/** Why a value applies, in order of precedence: option, variable, setting, default. */
export const SettingOrigin = z.enum(['option', 'variable', 'setting', 'default']);
export type SettingOrigin = z.infer<typeof SettingOrigin>;

/** Whether a process of ours interprets, without account or cost: the sandbox, or this computer. */
export function isFree(service: Settings['service']): service is 'sandbox' | 'local' {
	return service === 'sandbox' || service === 'local';
}
