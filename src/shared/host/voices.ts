import { z } from 'zod/mini';
import { Problem } from '#shared/problem.ts';
import { VoiceDraft } from '#shared/voices/draft.ts';

/** Messages between window and main about cloned voices. */

const nothing = z.undefined();
/** Our own handle, not an id of the service. */
const handle = z.object({ handle: z.string().check(z.maxLength(100)) });

/** A file or a recording that main holds for the window. Its location is known only to main. */
export const VoiceSample = z.lazy(() =>
	z.object({
		/** For `voice.make`; valid until the sample is discarded or the program ends. */
		sample: z.string(),
		name: z.string(),
		bytes: z.number(),
		/** From the content; empty = no type that the service accepts (`checkVoiceDraft` reports that). */
		mimeType: z.string(),
		/** Null = unreadable. */
		durationMs: z.nullable(z.number()),
	}),
);
export type VoiceSample = z.infer<typeof VoiceSample>;

export const VoiceEntry = z.lazy(() =>
	z.object({
		handle: z.string(),
		/**
		 * For `speech_generation.voice_id`; null = the service has not assigned it yet. Usable when `ready`.
		 */
		voiceId: z.nullable(z.string()),
		name: z.string(),
		description: z.string(),
		language: z.string(),
		/** Empty = not given. */
		labels: z.object({ gender: z.string(), ageGroup: z.string(), mood: z.string() }),
		attributes: z.array(z.string()),
		denoise: z.boolean(),
		normalise: z.boolean(),
		skipExternal: z.boolean(),
		/** Unix ms of this computer. */
		madeAt: z.number(),
		sample: z.object({
			/** The user's name for the voice. */
			name: z.string(),
			bytes: z.number(),
			durationMs: z.nullable(z.number()),
			recorded: z.boolean(),
		}),
		/** Time of the consent, Unix ms, and its wording (`CONSENT_WORDING`). */
		consent: z.object({ at: z.number(), wording: z.string() }),
		/**
		 * `created`: the service has the description (or is about to get it), but not the sample yet.
		 * `uploading`. `pending`: the service is processing the voice. `ready` and `failed` are final.
		 * `unknown`: a status unknown to this version.
		 */
		status: z.enum(['created', 'uploading', 'pending', 'ready', 'failed', 'unknown']),
		/** We are sending the voice, or requesting its status. */
		active: z.boolean(),
		/** Progress of the upload; null while no upload runs. */
		upload: z.nullable(
			z.object({
				sentBytes: z.number(),
				totalBytes: z.number(),
				bytesPerS: z.number(),
				/** Null = too early to say. */
				secondsLeft: z.nullable(z.number()),
			}),
		),
		/** The upload address had expired and a new one was requested. */
		renewed: z.boolean(),
		/** Still not ready after 15 min: its status is requested only occasionally, and at `voice.refresh`. */
		takingLong: z.boolean(),
		/** Why we stopped, or why the last status request failed; null = no problem. */
		problem: z.nullable(Problem),
		/** `voice.retry` is possible: the sample still exists. */
		canRetry: z.boolean(),
		/** Warnings in the service's own words. */
		warnings: z.array(z.string()),
		errors: z.array(z.string()),
	}),
);
export type VoiceEntry = z.infer<typeof VoiceEntry>;

export const VoiceList = z.lazy(() =>
	z.object({
		/** Grows by one with each change; an announcement with a lower revision is outdated. */
		revision: z.number(),
		/** Voices created here with the current account, newest first. */
		voices: z.array(VoiceEntry),
		/** Ids that every account has (protocol 7.1). */
		builtIn: z.array(z.string()),
		/** The credential for the voice endpoints: a separate token, or the API key. */
		credential: z.enum(['voice-token', 'api-key', 'none']),
		/** Why the register could not be read or written. */
		problem: z.nullable(Problem),
	}),
);
export type VoiceList = z.infer<typeof VoiceList>;

/** Bytes of a recording in one piece, before base64. */
export const RECORDING_PIECE_BYTES = 196_608;

export const voiceRequests = {
	'voice.list': { input: nothing, output: VoiceList },
	/** Opens the system's file dialog; null = the user closed it. */
	'voice.choose-file': { input: nothing, output: z.nullable(VoiceSample) },
	/** Starts a recording: a WAV in pieces, each answered before the next. A new one replaces it. */
	'voice.begin-recording': {
		input: z.object({ name: z.string().check(z.minLength(1), z.maxLength(200)) }),
		output: z.object({ recording: z.string() }),
	},
	/** `at`: bytes sent before. A piece at another position is refused, as is more than 10 MB in all. */
	'voice.append-recording': {
		input: z.object({
			recording: z.string(),
			at: z.int().check(z.gte(0)),
			base64: z.string().check(z.maxLength((RECORDING_PIECE_BYTES / 3) * 4)),
		}),
		output: nothing,
	},
	'voice.end-recording': { input: z.object({ recording: z.string() }), output: VoiceSample },
	/** Forgets a sample, or an unfinished recording; recordings are erased. Unknown ones are harmless. */
	'voice.discard-sample': { input: z.object({ sample: z.string() }), output: nothing },
	/**
	 * Answers when the service has accepted the description; the upload continues in the background and is reported by
	 * `voice.changed`. After a problem no voice was created and the sample is still valid. `voice-invalid` and
	 * `voice-refused` name fields.
	 */
	'voice.make': {
		input: z.object({ draft: VoiceDraft, sample: z.string().check(z.maxLength(100)) }),
		output: VoiceEntry,
	},
	/** Stops the upload or processing; the entry remains and can be retried while its sample exists. */
	'voice.cancel': { input: handle, output: VoiceEntry },
	'voice.retry': { input: handle, output: VoiceEntry },
	/** Renames the voice locally only: the service is not informed. */
	'voice.rename': {
		input: z.object({ handle: handle.shape.handle, name: z.string().check(z.maxLength(500)) }),
		output: VoiceEntry,
	},
	/** Removes the voice from the register; with `atService`, first from the service: if that fails, it stays. */
	'voice.forget': {
		input: z.object({ handle: handle.shape.handle, atService: z.boolean() }),
		output: nothing,
	},
	/** Requests the voice's status from the service now. */
	'voice.refresh': { input: handle, output: VoiceEntry },
} as const;
