import { z } from 'zod/mini';
import { createSharedFile, listFormat, type SharedDisk } from '#main/lib/shared-file.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import type { Result } from '#shared/lib/result.ts';
import { Problem } from '#shared/problem.ts';

const text = z.string();
const nullableNumber = z.nullable(z.number());

/** A voice in the register, from before the service knows of it. */
export const StoredVoice = z.object({
	/** Our own unique name for the voice. */
	handle: text.check(z.minLength(1)),
	/** Hash of service and key: only these may change the voice. */
	account: text,
	voiceId: z.nullable(text),
	name: text,
	description: text,
	language: text,
	labels: z.object({ gender: text, ageGroup: text, mood: text }),
	attributes: z.array(text),
	denoise: z.boolean(),
	normalise: z.boolean(),
	skipExternal: z.boolean(),
	/** Unix ms of this computer, as are all times here. */
	madeAt: z.number(),
	sample: z.object({
		name: text,
		bytes: z.number(),
		durationMs: nullableNumber,
		mimeType: text,
		recorded: z.boolean(),
		/** Path of the sample; null once it is not needed any more. */
		path: z.nullable(text),
		modifiedMs: z.number(),
	}),
	consent: z.object({ at: z.number(), wording: text }),
	status: z.enum(['created', 'uploading', 'pending', 'ready', 'failed', 'unknown']),
	/** When the whole sample had arrived; null = not yet. */
	sentAt: nullableNumber,
	/** Process that describes or sends it; null = none. `VoicesFile.isInUse` checks whether it still runs. */
	owner: z.nullable(text),
	/** True if its service ends with this program, and the voice with it. */
	passing: z.boolean(),
	renewed: z.boolean(),
	/** A later version may have kinds of problems that we do not know. */
	problem: z.catch(z.nullable(Problem), null),
	warnings: z.array(text),
	errors: z.array(text),
});
export type StoredVoice = z.infer<typeof StoredVoice>;

type VoiceEdit = (voices: readonly StoredVoice[]) => readonly StoredVoice[];

/** Voices made from this data folder, by any process. Shared; what `change` wrote survives a power cut. */
export interface VoicesFile {
	/** Names this process in the entries; held until it exits. */
	readonly owner: string;
	/** For `VoiceAccount.hash`; the same for all processes that share the register. */
	salt(): Promise<Result<string, Problem>>;
	read(): Promise<Result<readonly StoredVoice[], Problem>>;
	/** Changes the voices while all other processes are locked out. `edit` must be quick and pure. */
	change(edit: VoiceEdit): Promise<Result<readonly StoredVoice[], Problem>>;
	/** True if the process that wrote this owner still runs, or if in doubt. */
	isInUse(owner: string): boolean;
	/** Where an unreadable register was kept since this process began; null = the register was fine. */
	brokenFile(): string | null;
	close(): void;
}

export function withVoice(voices: readonly StoredVoice[], voice: StoredVoice): readonly StoredVoice[] {
	return [...voices.filter(({ handle }) => handle !== voice.handle), voice];
}

export function withoutVoice(voices: readonly StoredVoice[], handle: string): readonly StoredVoice[] {
	return voices.filter((voice) => voice.handle !== handle);
}

/** A copy with the fields of one voice changed, if it exists. */
export function amendedVoice(
	voices: readonly StoredVoice[],
	handle: string,
	fields: Partial<StoredVoice>,
): readonly StoredVoice[] {
	return voices.map((voice) => (voice.handle === handle ? { ...voice, ...fields } : voice));
}

/** `voices.json`. */
export const voicesFormat = listFormat('voices', StoredVoice);

/** The register: `voices.json`, `voices.lock` for changes, `voices.owners/` for running processes. */
export function createVoicesFile(parts: {
	/** The user-data folder; created if missing. */
	readonly folder: string;
	readonly clock: Clock;
	readonly log: Logger;
	readonly disk?: SharedDisk;
}): VoicesFile {
	return createSharedFile({ ...parts, name: 'voices', format: voicesFormat });
}
