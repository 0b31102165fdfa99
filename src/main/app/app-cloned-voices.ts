import { join } from 'node:path';
import type { Account } from '#main/account/account.ts';
import type { SocketAgents } from '#main/service/proxy.ts';
import { createVoiceClient } from '#main/service/voice-client.ts';
import { type ClonedVoices, createClonedVoices } from '#main/voices/cloned-voices.ts';
import { createRegisterFile } from '#main/voices/register.ts';
import { createMediaLength } from '#main/voices/samples.ts';
import type { VoiceEntry } from '#shared/host/voices.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';

/** Cloned voices of the app: at the service of the account in force, in the user's data folder. */
export function createAppClonedVoices(parts: {
	readonly account: Account;
	readonly userData: string;
	readonly fetch: typeof globalThis.fetch;
	readonly clock: Clock;
	readonly random: () => number;
	readonly log: Logger;
	readonly allowedHosts: () => readonly string[];
	/** The way through a proxy. */
	readonly agent: SocketAgents;
	readonly chooseFile: () => Promise<string | null>;
	readonly finished: (voice: VoiceEntry) => void;
}): ClonedVoices {
	const { account, userData, clock, log } = parts;
	const api = createVoiceClient({
		...parts,
		baseUrl: account.baseUrl,
		key: account.key,
		voiceToken: account.voiceToken,
	});
	return createClonedVoices({
		...parts,
		register: createRegisterFile({ folder: userData, clock, log }),
		api,
		folder: join(userData, 'voice-samples'),
		lengthOf: createMediaLength(clock),
		isPassing: account.isOwnSandbox,
		ready: account.ready,
	});
}
