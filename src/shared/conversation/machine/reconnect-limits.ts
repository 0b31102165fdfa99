import type { BackoffPlan } from '#shared/lib/backoff.ts';
import type { Succession } from './state.ts';

/* How long, how often and how soon it is tried again when a session or its link is lost. */

/** An outage of ten minutes is survived (faults 43), with a margin; then the person decides. */
export const GIVE_UP_MS = 15 * 60_000;
/** Taken from us twice within a minute: somebody means it (faults 47). */
export const TAKEN_WINDOW_MS = 60_000;
/** The room may say that its session is gone before main says that the person ended it: until then no other is taken. */
export const UNTOLD_MS = 250;
/** Tries that end in a silent interpreter before it is called that (faults 50). */
export const SILENT_TRIES = 2;
/** A deletion that is still under way frees its place soon; a plan that is full does not. */
export const LIMIT_TRIES = 4;
export const LONGEST_WAIT_MS = 60_000;

/**
 * Without a packet of the server for so long: it is gone, not only its signalling, and a new session may lead to one
 * that is there. Longer than the library takes to join the same room anew.
 */
export const QUIET_MS = 10_000;

/**
 * Quiet for so long where it reports every second, or while its link is restored, a room is doubted: a socket is
 * opened beside it, and closed again when it is heard.
 */
export const STANDBY_QUIET_MS = 2000;
/** Not so soon again after one was not needed: a line that stutters costs no connection a second. */
export const STANDBY_PAUSE_MS = 10_000;
/**
 * And with a socket that is open, a room that was quiet for so long is given up. What opens a socket brings a room back
 * as well where the line was cut, but not sooner than the path's next check: so the socket stands for a while, too.
 */
export const GONE_QUIET_MS = 4000;
export const STANDBY_STEADY_MS = 1700;
/**
 * Refused at once that often, the server is gone. The third try is made 1.2 to 1.5 s after the first, the fourth 1.6 to
 * 2.1 s (`transport/room-resume.ts`), so that one that is started anew within a second or so is met by it. An older
 * interpreter says only 2.1 s after it was asked that it is there (protocol 4.4): its room gets a try less.
 */
export const REFUSED_TRIES = { current: 4, older: 3 } as const;

/** While the network is away: back within 5 s of its return (faults 43). */
export const NETWORK: BackoffPlan = { baseMs: 500, capMs: 4000, tries: Infinity };
/** While the service answers with failures: not a storm. */
export const SERVICE: BackoffPlan = { baseMs: 1000, capMs: 20_000, tries: Infinity };

/** Below the library's own 47.7 s, after which it gives up without a reason. */
export const RESTORING_LIMIT_MS = 20_000;

/**
 * So long before the end of a session that cannot be kept another one is made, ms: a create and a join take 3 s, seldom
 * ten, a pause of the speaker up to `PATIENCE_MS`, and one that fails is followed by others.
 */
export const LEAD_MS = 60_000;
/** A pause is waited for so long; then the microphone goes over in the middle of what is said, ms. */
export const PATIENCE_MS: Readonly<Record<Succession, number>> = { expiring: 20_000, leaving: 4000 };
/**
 * A pause that long is the end of a sentence (0.7 s for the service, protocol 4.5); with the time that passes a shorter one
 * will do, between two words of somebody who takes no breath. `fromMs`: since it is waited for.
 */
export const PAUSES_MS: readonly { readonly fromMs: number; readonly ms: number }[] = [
	{ fromMs: 0, ms: 700 },
	{ fromMs: 8000, ms: 350 },
	{ fromMs: 14_000, ms: 150 },
];
/** Of a server that wants to be left nobody knows when it goes. */
export const HURRIED_PAUSE_MS = 150;
/** The one in use goes on meanwhile. */
export const AGAIN: Readonly<Record<Succession, BackoffPlan>> = {
	expiring: { baseMs: 5000, capMs: 20_000, tries: 6 },
	leaving: { baseMs: 1000, capMs: 1000, tries: 2 },
};
