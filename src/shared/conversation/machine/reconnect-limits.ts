import type { BackoffPlan } from '#shared/lib/backoff.ts';
import type { Succession } from './state.ts';

/* How long, how often and how soon it is tried again when a session or its link is lost. */

/** An outage of ten minutes is survived (faults 43), with a margin; then the person decides. */
export const GIVE_UP_MS = 15 * 60_000;
/** Taken from us twice within this time: somebody means it (faults 47). */
export const TAKEN_WINDOW_MS = 60_000;
/**
 * The room may report the end of its session before main reports that the person ended it: no new session is requested
 * until then.
 */
export const UNTOLD_MS = 250;
/** Tries that end in silence before the interpreter is called silent (faults 50). */
export const SILENT_TRIES = 2;
/** A deletion that is still under way frees its place soon; a plan that is full does not. */
export const LIMIT_TRIES = 4;
/** A server that restarts may send us away for some seconds; a room that goes on refusing costs a session each time. */
export const SENT_AWAY_TRIES = 6;
export const LONGEST_WAIT_MS = 60_000;

/**
 * After this long without a packet the server itself is gone, not only its signalling, and a new session may lead to a
 * live one. Longer than the library takes to join the same room anew.
 */
export const QUIET_MS = 10_000;

/**
 * A room quiet for this long, although it reports every second, or while its link is being restored, is in doubt: a
 * socket is opened beside it, and closed when the room is heard again.
 */
export const STANDBY_QUIET_MS = 2000;
/** Wait after an unneeded standby, so that a stuttering line does not open a connection every second. */
export const STANDBY_PAUSE_MS = 10_000;
/**
 * With an open socket, a room quiet for this long is given up. After a cut line the same recovery that opens a socket
 * brings the room back as well, but not before the path's next check: so the socket must have been open for a while,
 * too.
 */
export const GONE_QUIET_MS = 4000;
export const STANDBY_STEADY_MS = 1700;
/**
 * Refused at once this often, the server is gone. The third try is made 1.2 to 1.5 s after the first, the fourth 1.6 to
 * 2.1 s (`transport/room-resume.ts`), so that a server that restarts within a second or so is caught. An older
 * interpreter answers only 2.1 s after it was asked (protocol 4.4): its room gets one try less.
 */
export const REFUSED_TRIES = { current: 4, older: 3 } as const;

/** While the network is away: back within 5 s of its return (faults 43). */
export const NETWORK: BackoffPlan = { baseMs: 500, capMs: 4000, tries: Infinity };
/** While the service answers with failures: avoids a storm. */
export const SERVICE: BackoffPlan = { baseMs: 1000, capMs: 20_000, tries: Infinity };

/** Below the library's own 47.7 s, after which it gives up without a reason. */
export const RESTORING_LIMIT_MS = 20_000;

/**
 * How long before the end of a session that cannot be extended the next one is created, ms: a create and a join take 3
 * s, rarely ten, a pause of the speaker up to `PATIENCE_MS`, and failures are retried.
 */
export const LEAD_MS = 60_000;
/** How long to wait for a pause; then the microphone moves over in mid-speech, ms. */
export const PATIENCE_MS: Readonly<Record<Succession, number>> = { expiring: 20_000, leaving: 4000 };
/**
 * A pause this long is the end of a sentence (0.7 s for the service, protocol 4.5); as time passes a shorter one will
 * do, between two words of somebody who takes no breath. `fromMs`: since waiting began.
 */
export const PAUSES_MS: readonly { readonly fromMs: number; readonly ms: number }[] = [
	{ fromMs: 0, ms: 700 },
	{ fromMs: 8000, ms: 350 },
	{ fromMs: 14_000, ms: 150 },
];
/** Nobody knows when a server that asks to be left will go. */
export const HURRIED_PAUSE_MS = 150;
/** Back-off for a failed successor; the link in use goes on meanwhile. */
export const AGAIN: Readonly<Record<Succession, BackoffPlan>> = {
	expiring: { baseMs: 5000, capMs: 20_000, tries: 6 },
	leaving: { baseMs: 1000, capMs: 1000, tries: 2 },
};
