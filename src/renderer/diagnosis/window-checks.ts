import { createLivekitTransport } from '#renderer/transport/livekit-transport.ts';
import type { Check } from '#shared/diagnosis/checks.ts';
import type { Logger } from '#shared/lib/log.ts';
import type { WindowCheckParts } from './window-looks.ts';

export interface WindowChecksMaking extends Omit<WindowCheckParts, 'createTransport' | 'permission'> {
	readonly log: Logger;
}

const LIMIT_MS = 15_000;
const MEDIA_MS = 30_000;
/** Loaded on demand, because the first paint does not need it. */
const looks = () => import('./window-looks.ts');

/** Checks that only a window can make; the last of them creates a session. */
export function windowChecksOf(making: WindowChecksMaking): {
	now: readonly Check[];
	later: readonly Check[];
} {
	const { clock, log } = making;
	const parts: WindowCheckParts = {
		...making,
		createTransport: (grant) => createLivekitTransport({ grant, clock, log }),
		permission: microphonePermission,
	};
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

/** `microphone` is Chromium's name of the permission, which the TypeScript type lacks. */
async function microphonePermission(): Promise<PermissionState> {
	return (await navigator.permissions.query({ name: 'microphone' as PermissionName })).state;
}
