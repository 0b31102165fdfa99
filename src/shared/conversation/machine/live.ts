import { nextDueMs } from '#shared/conversation/command-outbox.ts';
import { confirmTask } from '#shared/conversation/readiness.ts';
import type { Problem } from '#shared/problem.ts';
import { beginEnding } from './ending.ts';
import type { Effect, Event, Moment } from './events.ts';
import {
	cutShort,
	delayMs,
	dropPhrase,
	flush,
	getTask,
	hasTask,
	heardOn,
	post,
	release,
	taskFor,
} from './link.ts';
import { awaitPath, awaitTransport, join, quietUntilMs, recover } from './recover.ts';
import {
	byWebrtc,
	count,
	fail,
	microphoneDueMs,
	observe,
	reopenMicrophone,
	rest,
	stepMicrophone,
} from './run.ts';
import { after, type Live, type Run, type State, type Step, to, unchanged } from './state.ts';
import { countedPackets, heardMessage, lookAfter, probeNow, watchDueMs } from './watch.ts';
import { applyWanted, askPause, hearWork, tickWork, type WorkStep, withTaskLeft, workDueMs } from './work.ts';

/** How long *Catch up* keeps the queue short: some services drop speech only at the next sentence. */
const SHORT_QUEUE_MS = 5000;
/** Live for this long without a loss: the outage is over, and back-off restarts from the beginning. */
const STABLE_MS = 30_000;
/** After a longer sleep, the session is no longer trusted (faults 32). */
export const SHORT_SLEEP_MS = 30_000;
/** After a longer sleep, the user does not expect the microphone to be on (faults 32). */
export const LONG_SLEEP_MS = 10 * 60_000;

export function stepLive(state: State, stage: Live, event: Event, moment: Moment): Step {
	const { nowMs } = moment;
	const heard = stepMicrophone(stage.run, event, nowMs);
	const live: Live = { ...stage, run: heard?.run ?? observe(stage.run, event, nowMs) };
	if (heard?.opened) return to(state, live, { do: 'feed-link', id: live.link.id, audio: 'microphone' });
	if (heard?.problem) return pause(state, live, nowMs, notify(heard.problem));
	switch (event.type) {
		case 'stop':
			return beginEnding(state, live.run, live.link, nowMs);
		case 'stop-now':
			return rest(state, ...cutShort(live.link, nowMs));
		case 'pause':
			return live.run.paused ? unchanged(state) : pause(state, live, nowMs);
		case 'suspend':
			return live.run.paused ? unchanged(state) : pause(state, asleep(live), nowMs);
		case 'resume':
			return live.run.paused ? resume(state, live, nowMs) : unchanged(state);
		case 'woke':
			return wake(state, live, event.sleptMs, nowMs);
		case 'network-back':
			// A room's transport reconnects automatically; only an answer shows whether a socket survived.
			return live.link.route === 'websocket' ? askAtOnce(state, live, nowMs) : to(state, live);
		case 'change':
			return applyWanted(state, live, nowMs);
		case 'go-back': {
			if (live.run.switched === null) return unchanged(state);
			const run = count(byWebrtc(live.run), false, nowMs);
			return after(release(live.link), join(state, run, nowMs));
		}
		case 'catch-up':
			return after([{ do: 'skip-voice' }], catchUp(state, live, nowMs));
		case 'reconnect':
			if (live.run.paused) return unchanged(state);
			return lose(
				state,
				{ ...live, run: { ...live.run, outage: null } },
				{ kind: 'connection-lost', reason: 'given up by the person' },
				moment,
			);
		case 'say': {
			if (live.run.paused) return unchanged(state);
			const { link, effects } = post(live.link, nowMs, event.command);
			return to(state, { ...live, link }, ...effects);
		}
		case 'session-lost':
			if (event.handle !== live.link.handle) return unchanged(state);
			return lose(state, live, event.problem, moment);
		case 'tick':
			return passTime(state, live, moment);
		default:
			return 'id' in event && event.id !== live.link.id
				? unchanged(state)
				: stepLink(state, live, event, moment);
	}
}

export function liveDueMs({ run, link, work, watch, sinceMs }: Live): number {
	return Math.min(
		microphoneDueMs(run),
		workDueMs(work),
		nextDueMs(link.outbox) ?? Infinity,
		watchDueMs(watch, isSending(run)),
		run.outage === null ? Infinity : sinceMs + STABLE_MS,
		link.shortQueueUntilMs ?? Infinity,
	);
}

function stepLink(state: State, live: Live, event: Event, moment: Moment): Step {
	const { nowMs } = moment;
	switch (event.type) {
		case 'link-restoring':
			return awaitTransport(state, left(live, nowMs), live.link, event.cause, nowMs);
		case 'link-down':
			return lose(state, live, event.problem, moment);
		case 'packets': {
			const counted = { ...live, watch: countedPackets(live.watch, event, nowMs) };
			return fitTexts(state, counted, event.onlyFinals ?? false, nowMs);
		}
		case 'message': {
			const link = heardOn(live.link, event.message, nowMs);
			const watch = heardMessage(live.watch, event.message, nowMs);
			return conclude(state, hearWork({ ...live, link, watch }, event.message, nowMs), moment);
		}
		default:
			return to(state, live);
	}
}

/**
 * The connection became too slow for partial texts, or fast enough again: sets the task again, from the next
 * sentence on. Does not wait for an answer, because the change is optional. Leaves a paused task alone, because
 * setting it would resume it.
 */
function fitTexts(state: State, live: Live, onlyFinals: boolean, nowMs: number): Step {
	if (onlyFinals === live.link.onlyFinals) return to(state, live);
	return setAnew(state, { ...live, link: { ...live.link, onlyFinals } }, nowMs);
}

/**
 * Interrupting would also drop the sentence being spoken (protocol 4.4). While one is heard or translated, a short
 * queue makes the service drop only the waiting voice.
 */
function catchUp(state: State, live: Live, nowMs: number): Step {
	if (live.link.untranslated === null || live.run.paused) {
		const { link, effects } = post(live.link, nowMs, dropPhrase(live.link));
		return to(state, { ...live, link }, ...effects);
	}
	const link = { ...live.link, shortQueueUntilMs: nowMs + SHORT_QUEUE_MS };
	return setAnew(state, { ...live, link }, nowMs);
}

function setAnew(state: State, live: Live, nowMs: number): Step {
	const { work, run, link } = live;
	if (work.is === 'pausing' || work.is === 'paused') return to(state, live);
	const plan = work.is === 'confirming' ? work.sent : run.plan;
	const sent = post(link, nowMs, taskFor(plan, link));
	return to(state, { ...live, link: sent.link }, ...sent.effects);
}

/** Time spent live between two losses of the same outage does not count towards giving up. */
function left({ run, sinceMs }: Live, nowMs: number): Run {
	if (run.outage === null) return run;
	return { ...run, outage: { ...run.outage, sinceMs: run.outage.sinceMs + nowMs - sinceMs } };
}

/** The link in use is lost. */
function lose(state: State, live: Live, problem: Problem, moment: Moment): Step {
	return recover(state, left(live, moment.nowMs), problem, moment, release(live.link));
}

function passTime(state: State, before: Live, moment: Moment): Step {
	const { nowMs } = moment;
	const { link: shortened } = before;
	if (shortened.shortQueueUntilMs !== null && nowMs >= shortened.shortQueueUntilMs) {
		const restored = { ...before, link: { ...shortened, shortQueueUntilMs: null } };
		return setAnew(state, restored, nowMs);
	}
	const stable = nowMs >= before.sinceMs + STABLE_MS;
	const live = stable ? { ...before, run: { ...before.run, outage: null } } : before;
	const { watch, finding } = lookAfter(live.watch, {
		nowMs,
		sending: isSending(live.run),
		delayMs: delayMs(live.link, getTask, nowMs),
	});
	if (finding === 'cut' && nowMs < quietUntilMs(live.watch.heardMs))
		return awaitPath(state, { ...live, run: left(live, nowMs) }, nowMs);
	if (finding === 'dead' || finding === 'cut')
		return lose(state, live, { kind: 'connection-lost', reason: 'no answer' }, moment);
	const asked = finding === 'probe' ? post(live.link, nowMs, getTask) : flush(live.link, nowMs);
	const work = hasTask(asked.effects) ? withTaskLeft(live.work, nowMs) : live.work;
	return after(
		asked.effects,
		conclude(state, tickWork({ ...live, watch, work, link: asked.link }, nowMs), moment),
	);
}

function conclude(state: State, { live, effects, lost, stuck }: WorkStep, moment: Moment): Step {
	if (lost) return after(effects, lose(state, live, lost, moment));
	if (stuck) return fail(state, stuck, ...effects, ...release(live.link));
	return after(effects, applyWanted(state, live, moment.nowMs));
}

/**
 * No audio leaves while paused, so the microphone is closed, not only muted. Silence is sent
 * until the interpreter has confirmed the pause: until then it treats a stream that stops as a fault (protocol
 * 5.1.2).
 */
function pause(state: State, live: Live, nowMs: number, ...first: readonly Effect[]): Step {
	const run = count({ ...live.run, paused: true, microphone: { is: 'off' } }, false, nowMs);
	const { work, sent } = askPause(live.link, nowMs);
	return to(
		state,
		{ ...live, run, work, link: sent.link },
		{ do: 'close-microphone' },
		{ do: 'feed-link', id: live.link.id, audio: 'silence' },
		...first,
		...sent.effects,
	);
}

/** Sends the full task again (protocol 4.4), perhaps changed; the microphone opens meanwhile. */
function resume(state: State, live: Live, nowMs: number): Step {
	const again = reopenMicrophone(state, { ...live.run, paused: false, asleep: false }, nowMs);
	const sent = again.run.wanted ?? again.run.plan;
	const { readiness } = confirmTask(nowMs);
	const { link, effects } = post(live.link, nowMs, taskFor(sent, live.link));
	return to(
		again.state,
		{
			...live,
			run: count(again.run, true, nowMs),
			link,
			work: { is: 'confirming', readiness, sent },
			watch: { ...live.watch, sentMs: nowMs },
		},
		...again.effects,
		...effects,
	);
}

function wake(state: State, live: Live, sleptMs: number, nowMs: number): Step {
	if (sleptMs >= LONG_SLEEP_MS) return fallAsleep(state, live.run, sleptMs, release(live.link), nowMs);
	if (sleptMs >= SHORT_SLEEP_MS) {
		const woken = live.run.asleep ? { ...live.run, paused: false, asleep: false } : live.run;
		const again = woken.paused ? { state, run: woken, effects: [] } : reopenMicrophone(state, woken, nowMs);
		const run = count(again.run, false, nowMs);
		return after([...release(live.link), ...again.effects], join(again.state, run, nowMs));
	}
	if (live.run.asleep) return resume(state, live, nowMs);
	return askAtOnce(state, live, nowMs);
}

function askAtOnce(state: State, live: Live, nowMs: number): Step {
	const watch = probeNow(live.watch, nowMs, delayMs(live.link, getTask, nowMs));
	const { link, effects } = post(live.link, nowMs, getTask);
	return to(state, { ...live, watch, link }, ...effects);
}

/** Closes everything and asks the user whether to continue: never switch on the microphone unasked. */
export function fallAsleep(
	state: State,
	run: Run,
	forMs: number,
	held: readonly Effect[],
	nowMs: number,
): Step {
	const resting = count({ ...run, paused: true, asleep: false, microphone: { is: 'off' } }, false, nowMs);
	return to(state, { name: 'resting', run: resting }, { do: 'close-microphone' }, ...held, {
		do: 'notify',
		notice: { kind: 'was-asleep', forMs },
	});
}

function asleep(live: Live): Live {
	return { ...live, run: { ...live.run, asleep: true } };
}

function isSending({ paused, microphone }: Run): boolean {
	return !paused && microphone.is === 'on';
}

function notify(problem: Problem): Effect {
	return { do: 'notify', notice: { kind: 'problem', problem } };
}
