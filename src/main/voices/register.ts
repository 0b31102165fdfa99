import { z } from 'zod/mini';
import { createSharedFile, listFormat, type SharedDisk } from '#main/lib/shared-file.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import type { Result } from '#shared/lib/result.ts';
import { Problem } from '#shared/problem.ts';

const text = z.string();
const nullableNumber = z.nullable(z.number());

/** A voice as the register keeps it, from before the service knows of it. */
export const StoredVoice = z.object({
	/** Ours, unique. */
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
		/** Null when it is not needed any more. */
		path: z.nullable(text),
		modifiedMs: z.number(),
	}),
	consent: z.object({ at: z.number(), wording: text }),
	status: z.enum(['created', 'uploading', 'pending', 'ready', 'failed', 'unknown']),
	/** When its sample was all there; null = not yet. */
	sentAt: nullableNumber,
	/** Process that describes or sends it; null = none. `Register.isInUse` checks whether it still runs. */
	owner: z.nullable(text),
	/** Its service ends with this program, and the voice with it. */
	passing: z.boolean(),
	renewed: z.boolean(),
	/** A later version may know kinds that we do not. */
	problem: z.catch(z.nullable(Problem), null),
	warnings: z.array(text),
	errors: z.array(text),
});
export type StoredVoice = z.infer<typeof StoredVoice>;

type VoiceEdit = (voices: readonly StoredVoice[]) => readonly StoredVoice[];

/**
 * Voices made from this user's data folder, by whichever process. Shared and crash-safe: after
 * `change` has resolved, what it wrote survives a power cut.
 */
export interface Register {
	/** Names this process in the entries; held until it exits. */
	readonly owner: string;
	/** For `VoiceAccount.hash`; the same for all processes that share the register. */
	salt(): Promise<Result<string, Problem>>;
	read(): Promise<Result<readonly StoredVoice[], Problem>>;
	/** Excludes all other processes. `edit` must be quick and pure. */
	change(edit: VoiceEdit): Promise<Result<readonly StoredVoice[], Problem>>;
	/** Does the process that wrote this owner still run? When in doubt, yes. */
	isInUse(owner: string): boolean;
	/** Where a register that could not be read was kept, since this process began; null = it was fine. */
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
export const registerFormat = listFormat('voices', StoredVoice);

/** The register as `voices.json`, with `voices.lock` for changes and `voices.owners/` for the processes alive. */
export function createRegisterFile(parts: {
	/** The user-data folder; made when missing. */
	readonly folder: string;
	readonly clock: Clock;
	readonly log: Logger;
	readonly disk?: SharedDisk;
}): Register {
	return createSharedFile({ ...parts, name: 'voices', format: registerFormat });
}
