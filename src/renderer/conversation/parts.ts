import type { Journal } from '#renderer/captions/journal.ts';
import type { Host } from '#renderer/host.ts';
import type { Microphone } from '#renderer/sound/microphone.ts';
import type { Mixer } from '#renderer/sound/mixer.ts';
import type { Transport } from '#renderer/transport/transport.ts';
import type { Route } from '#shared/conversation/machine/events.ts';
import type { Machine } from '#shared/conversation/machine/succession.ts';
import type { SessionGrant } from '#shared/host/contract.ts';
import type { LegName } from '#shared/leg-name.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import type { SocketOptions } from './performer.ts';
import type { KeepVoice } from './succession.ts';

export interface ConversationParts {
	readonly host: Host;
	readonly clock: Clock;
	readonly log: Logger;
	readonly createTransport: (grant: SessionGrant) => Transport;
	/** Absent: there are no sockets. */
	readonly createSocketTransport?: (options: SocketOptions) => Transport;
	/** The preferred route; default: a room, with no socket to fall back to. */
	readonly travel?: () => Travel;
	readonly microphone: Pick<Microphone, 'open' | 'setMuted' | 'close' | 'listen'>;
	readonly mixer: Pick<
		Mixer,
		'setVoice' | 'selectVoice' | 'setOriginal' | 'cut' | 'resumeVoice' | 'listen' | 'clear'
	>;
	/** The code to replace a live session, loaded when one is live; absent: a session is used to its end. */
	readonly succession?: () => Promise<Succession>;
	/** Which direction of a conversation this is; default the outgoing one. */
	readonly leg?: LegName;
	/** Stores what is said; absent: nothing is stored. */
	readonly journal?: Journal;
	/** [0, 1), for back-off; default `Math.random`. */
	readonly random?: () => number;
	/** Loads what Start will need (the transport's library), ahead of time. Harmless to repeat. */
	readonly preload?: () => void;
	/** Calls back when the operating system says that there is a network again. Returns an unsubscribe function. */
	readonly listenNetwork?: (back: () => void) => Cancel;
}

export interface Succession extends Machine {
	/** Makes the voice of the next session wait until the previous one has finished. */
	readonly keepVoice: KeepVoice;
	/** While a track is silent, reports about every 40 ms for how long, ms. Returns a function that ends it. */
	readonly pauses: (track: MediaStreamTrack, quiet: (ms: number) => void) => Cancel;
}

export interface Travel {
	readonly route: Route;
	/** A socket may take over, and its address is known. */
	readonly mayFallBack: boolean;
	/** A socket might take over, but no address is known. */
	readonly socketOff?: boolean;
}
