import { createPulseRecorder } from '#main/calls/sound-recorder.ts';
import { createSystemSound, type SystemSound, type SystemSoundParts } from '#main/calls/system-sound.ts';
import { createLowering, loweredFormat } from '#main/calls/turn-down-programs.ts';
import { createSharedFile } from '#main/lib/shared-file.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';

/** What other programs play: recorded on Linux; elsewhere Electron's loopback, which only the real shell has. */
export function createAppSystemSound(parts: {
	/** The user-data folder. */
	readonly folder: string;
	readonly clock: Clock;
	readonly log: Logger;
	readonly createPorts: SystemSoundParts['createPorts'];
}): SystemSound {
	const isLinux = process.platform === 'linux';
	const hasLoopback = process.versions.electron !== undefined;
	const recorder = isLinux ? createPulseRecorder(parts.clock) : null;
	const file = createSharedFile({ ...parts, name: 'lowered', format: loweredFormat });
	return createSystemSound({
		...parts,
		recorder,
		lowering: recorder && createLowering({ ...parts, volumes: recorder, file }),
		way: isLinux ? 'recorder' : hasLoopback ? 'loopback' : 'none',
	});
}
