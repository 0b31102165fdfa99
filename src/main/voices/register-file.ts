import { createSharedFile, type SharedDisk } from '#main/lib/shared-file.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import type { Register } from './register.ts';
import { registerFormat } from './register-format.ts';

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
