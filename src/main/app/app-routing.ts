import { createRouting, type Routing } from '#main/calls/routing.ts';
import { createPactl } from '#main/calls/sound-server.ts';
import { readProcesses } from '#main/calls/virtual-microphone.ts';
import type { CableGuide } from '#shared/host/routing.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';

/** Installation pages of the makers of virtual cables. The page names a guide, never an address. */
const GUIDES: Readonly<Record<CableGuide, string>> = {
	blackhole: 'https://existential.audio/blackhole/',
	'vb-cable': 'https://vb-audio.com/Cable/',
	loopback: 'https://rogueamoeba.com/loopback/',
};

/** The virtual microphone as this system allows it: made on Linux, elsewhere a cable of the user's. */
export function createAppRouting(parts: {
	readonly clock: Clock;
	readonly log: Logger;
	/** Opens a page in the person's browser, when they agree. */
	readonly openOutside: (address: string) => Promise<boolean>;
}): Routing {
	const isLinux = process.platform === 'linux';
	return createRouting({
		...parts,
		server: isLinux ? createPactl(parts.clock) : null,
		processes: isLinux ? readProcesses() : null,
		// The window does not wait for the person's answer.
		openGuide: async (guide) => void parts.openOutside(GUIDES[guide]),
	});
}
