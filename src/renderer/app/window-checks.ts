import type { Conversation } from '#renderer/conversation/conversation.ts';
import type { Host } from '#renderer/host.ts';
import type { Transport } from '#renderer/transport/transport.ts';
import type { Sound } from '#renderer/window/sound.ts';
import type { Check } from '#shared/diagnosis/run-checks.ts';
import type { SessionGrant } from '#shared/host/contract.ts';
import type { Clock } from '#shared/lib/clock.ts';

export interface WindowCheckParts {
	readonly host: Host;
	readonly clock: Clock;
	readonly sound: Sound;
	readonly conversation: Pick<Conversation, 'store'>;
	readonly createTransport: (grant: SessionGrant) => Transport;
	/** What the browser knows of the permission. */
	readonly permission: () => Promise<'granted' | 'denied' | 'prompt'>;
}

const LIMIT_MS = 15_000;
const MEDIA_MS = 30_000;
/** The first picture does without it. */
const looks = () => import('./window-looks.ts');

/** What only a window can see; the last of them makes a session. */
export function windowChecksOf(parts: WindowCheckParts): { now: readonly Check[]; later: readonly Check[] } {
	return {
		now: [
			{ name: 'permission', limitMs: LIMIT_MS, run: async () => (await looks()).lookAtPermission(parts) },
			{
				name: 'microphone',
				needs: ['permission'],
				limitMs: LIMIT_MS,
				run: async (signal) => (await looks()).lookAtMicrophone(parts, signal),
			},
			{
				name: 'output',
				after: ['microphone'],
				limitMs: LIMIT_MS,
				run: async () => (await looks()).lookAtOutput(parts),
			},
		],
		later: [
			{ name: 'media', limitMs: MEDIA_MS, run: async (signal) => (await looks()).lookAtMedia(parts, signal) },
		],
	};
}
