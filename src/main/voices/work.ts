import type { Problem } from '#shared/problem.ts';
import type { VoiceAccountPort } from './voice-api.ts';

/** Something that runs for a voice. */
export interface Work {
	readonly signal: AbortSignal;
	/** Why it was ended; null = the program ends or the account changes, and the work will be resumed. */
	readonly reason: () => Problem | null;
	readonly account: VoiceAccountPort;
}
