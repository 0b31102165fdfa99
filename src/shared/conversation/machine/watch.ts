import type { ServerMessage } from '#shared/protocol/server-message.ts';
import type { Event } from './events.ts';

/**
 * The watchdog of a live link: "connected" proves nothing, and the library reports nothing for 7 to 12 s when
 * the path fails. So we watch the actual traffic: our outgoing packets, and the server's incoming ones.
 */
export interface Watch {
	/** Last message or media packet from the server. */
	readonly heardMs: number;
	/** Number of queue levels received. After two of them we expect one a second (protocol 4.6). */
	readonly queueLevels: number;
	readonly sent: number;
	readonly received: number;
	/** Answers to the path's own checks so far, which need neither audio nor an interpreter. Null = none yet. */
	readonly answers: number | null;
	/** When `answers` last changed. */
	readonly answeredMs: number;
	/** When `sent` last grew. */
	readonly sentMs: number;
	/** A `get_task` was sent because of silence; includes the time its answer is due. */
	readonly probe: Probe | null;
}

interface Probe {
	readonly dueMs: number;
	readonly about: 'server' | 'packets';
}

/** Packets leave 50 times a second; a gap of three seconds is not jitter. */
const PACKETS_MS = 3000;
/** Limit for a server that reports every second: with `ANSWER_MS`, dead paths show in 5 s (faults 44). */
const QUIET_MS = 2000;
/** Limit for a server that sends nothing during silence: query it occasionally while the path to it works. */
const QUIET_SILENT_MS = 10_000;
/** How long to wait for an answer; anything received meanwhile counts as the answer. */
const ANSWER_MS = 2000;
/** A live path answers its own checks every 2.5 s, and the answers are read once a second. */
const PATH_MS = 3600;
/** A lost check is repeated after a second: until then a silent server is not doubtful. */
const PATH_DOUBT_MS = PATH_MS + 1000;

export function beginWatch(nowMs: number): Watch {
	return {
		heardMs: nowMs,
		queueLevels: 0,
		sent: 0,
		received: 0,
		answers: null,
		answeredMs: nowMs,
		sentMs: nowMs,
		probe: null,
	};
}

export function heardMessage(watch: Watch, message: ServerMessage, nowMs: number): Watch {
	const queueLevels = watch.queueLevels + (message.type === 'queue-level' ? 1 : 0);
	return {
		...watch,
		queueLevels,
		heardMs: nowMs,
		probe: watch.probe?.about === 'server' ? null : watch.probe,
	};
}

export function countedPackets(
	watch: Watch,
	counted: Omit<Event & { type: 'packets' }, 'type' | 'id'>,
	nowMs: number,
): Watch {
	const { answers = watch.answers } = counted;
	// A failed reading returns zero.
	const sent = Math.max(watch.sent, counted.sent);
	const received = Math.max(watch.received, counted.received);
	const grew = sent > watch.sent;
	const heard = received > watch.received;
	const answered = watch.probe !== null && (watch.probe.about === 'packets' ? grew : heard);
	return {
		...watch,
		sent,
		received,
		answers,
		answeredMs: answers === watch.answers ? watch.answeredMs : nowMs,
		sentMs: grew ? nowMs : watch.sentMs,
		heardMs: heard ? nowMs : watch.heardMs,
		probe: answered ? null : watch.probe,
	};
}

/**
 * `sending`: audio should be leaving. A probe is a `get_task`; the command limits delay it by `delayMs`. `cut`:
 * the whole path is silent, not only the interpreter.
 */
export function lookAfter(
	watch: Watch,
	{ nowMs, sending, delayMs }: { nowMs: number; sending: boolean; delayMs: number },
): { watch: Watch; finding: 'fine' | 'probe' | 'dead' | 'cut' } {
	const { probe } = watch;
	if (probe) {
		if (nowMs < decidedMs(watch, probe)) return { watch, finding: 'fine' };
		return { watch, finding: isCut(watch, probe, nowMs) ? 'cut' : 'dead' };
	}
	const about =
		nowMs >= quietMs(watch) ? 'server' : sending && nowMs >= watch.sentMs + PACKETS_MS ? 'packets' : null;
	if (about === null) return { watch, finding: 'fine' };
	return { watch: { ...watch, probe: { dueMs: nowMs + delayMs + ANSWER_MS, about } }, finding: 'probe' };
}

/** Asks at once, even if the server was just heard: after a short sleep earlier observations are worthless. */
export function probeNow(watch: Watch, nowMs: number, delayMs: number): Watch {
	return { ...watch, probe: { dueMs: nowMs + delayMs + ANSWER_MS, about: 'server' } };
}

/** When the probe was sent, as far as we know. */
export function askedMs({ dueMs }: Probe): number {
	return dueMs - ANSWER_MS;
}

/** If the path has not answered since the probe either, its own checks get more time to answer. */
function decidedMs({ answers, answeredMs }: Watch, { dueMs, about }: Probe): number {
	if (about === 'packets' || answers === null || answeredMs > dueMs - ANSWER_MS) return dueMs;
	return Math.max(dueMs, answeredMs + PATH_MS);
}

function isCut({ answers, answeredMs }: Watch, { about }: Probe, nowMs: number): boolean {
	return about === 'server' && answers !== null && nowMs >= answeredMs + PATH_MS;
}

export function watchDueMs(watch: Watch, sending: boolean): number {
	if (watch.probe) return decidedMs(watch, watch.probe);
	return sending ? Math.min(quietMs(watch), watch.sentMs + PACKETS_MS) : quietMs(watch);
}

/** When silence becomes doubtful; before the server's first reports, the path's own checks decide, if any. */
function quietMs({ heardMs, queueLevels, answers, answeredMs }: Watch): number {
	const soonMs = heardMs + QUIET_MS;
	if (queueLevels >= 2) return soonMs;
	const silentMs = heardMs + QUIET_SILENT_MS;
	return answers === null ? silentMs : Math.min(silentMs, Math.max(soonMs, answeredMs + PATH_DOUBT_MS));
}
