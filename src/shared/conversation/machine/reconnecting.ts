import { nextDueMs as outboxDueMs, withoutSpeech } from '#shared/conversation/command-outbox.ts';
import {
	type ConnectionKind,
	confirmTask,
	hear,
	nextDueMs,
	type ReadinessStep,
	taskLeft,
	tick,
	verifyTask,
} from '#shared/conversation/readiness.ts';
import type { Problem } from '#shared/problem.ts';
import { type AttemptStep, attemptDueMs, dropAttempt, feedAttempt, stepAttempt } from './attempt.ts';
import { beginEnding } from './ending.ts';
import type { Effect, Event, Moment } from './events.ts';
import { flush, getTask, hasTask, heardOn, post, release, sendNothing, taskFor } from './link.ts';
import { fallAsleep, LONG_SLEEP_MS } from './live.ts';
import { awaitTransport, GIVE_UP_MS, join, quietUntilMs, RESTORING_LIMIT_MS, recover } from './recover.ts';
import {
	byWebsocket,
	connecting,
	fail,
	fallsBack,
	microphoneDueMs,
	observe,
	reopenMicrophone,
	rest,
	stepMicrophone,
	withPlan,
} from './run.ts';
import {
	after,
	type OpenLink,
	type Reconnecting,
	type Recovery,
	type Run,
	type State,
	type Step,
	to,
} from './state.ts';
import { enterLive, enterPausing } from './work.ts';

export function stepReconnecting(state: State, stage: Reconnecting, event: Event, moment: Moment): Step {
	const { nowMs } = moment;
	const microphone = stepMicrophone(stage.run, event, nowMs);
	if (microphone?.problem) {
		const notice: Effect = { do: 'notify', notice: { kind: 'problem', problem: microphone.problem } };
		return after([notice], pause(state, { ...stage, run: microphone.run }, event, moment));
	}
	const run = microphone?.run ?? observe(stage.run, event, nowMs);
	const next: Reconnecting = { ...stage, run };
	const feed = microphone?.opened ? feedWith('microphone', stage.how) : [];
	switch (event.type) {
		case 'stop':
			// The link is back, and may still deliver the tail.
			if (next.how.by === 'checking') return beginEnding(state, run, next.how.link, nowMs);
			return rest(state, ...held(next.how));
		case 'stop-now':
			return rest(state, ...held(next.how));
		case 'pause':
			return pause(state, next, event, moment);
		case 'suspend':
			return pause(state, { ...next, run: { ...run, asleep: run.asleep || !run.paused } }, event, moment);
		case 'resume':
			return resume(state, next, event, moment);
		case 'woke':
			return wake(state, next, event.sleptMs, nowMs);
		case 'tick':
			if (nowMs >= stage.outage.sinceMs + GIVE_UP_MS) {
				return fail(state, { kind: 'connection-lost', reason: stage.outage.cause }, ...held(next.how));
			}
			break;
		// Stryker disable next-line ConditionalExpression: the last case ends without its break as well
		default:
			break;
	}
	return after(feed, stepHow(state, next, event, moment));
}

export function reconnectingDueMs({ run, outage, how }: Reconnecting): number {
	return Math.min(microphoneDueMs(run), outage.sinceMs + GIVE_UP_MS, howDueMs(how, run));
}

function howDueMs(how: Recovery, run: Run): number {
	switch (how.by) {
		case 'restoring':
			return restoredByMs(how, run);
		case 'checking':
			return Math.min(nextDueMs(how.readiness), outboxDueMs(how.link.outbox) ?? Infinity);
		case 'waiting':
			return how.untilMs;
		case 'joining':
			return attemptDueMs(how.attempt, run);
	}
}

function stepHow(state: State, stage: Reconnecting, event: Event, moment: Moment): Step {
	const { how, run } = stage;
	const { nowMs } = moment;
	switch (how.by) {
		case 'waiting': {
			const now = event.type === 'network-back' || (event.type === 'tick' && nowMs >= how.untilMs);
			return now ? join(state, run, nowMs) : to(state, stage);
		}
		case 'joining':
			return goOn(state, stage, stepAttempt(how.attempt, event, nowMs, run), moment);
		case 'restoring':
		case 'checking':
			if (event.type === 'session-lost' && event.handle === how.link.handle) {
				return recover(state, run, event.problem, moment, release(how.link));
			}
			if ('id' in event && event.id !== how.link.id) return to(state, stage);
			return how.by === 'restoring'
				? whileRestoring(state, stage, how, event, moment)
				: whileChecking(state, stage, how, event, moment);
	}
}

/** When to give up restoring: in a room soon after the last sound, on a buffering socket at the limit. */
function restoredByMs({ sinceMs, heardMs }: Recovery & { by: 'restoring' }, { route }: Run): number {
	const limitMs = sinceMs + RESTORING_LIMIT_MS;
	return route === 'webrtc' ? Math.min(limitMs, quietUntilMs(heardMs)) : limitMs;
}

function whileRestoring(
	state: State,
	stage: Reconnecting,
	how: Recovery & { by: 'restoring' },
	event: Event,
	moment: Moment,
): Step {
	const { nowMs } = moment;
	const { run } = stage;
	switch (event.type) {
		case 'link-up':
			return check(state, stage, how.link, { way: 'new', nowMs });
		case 'link-restoring':
			return to(state, { ...stage, how: { ...how, path: null } });
		case 'link-refused':
			return to(state, { ...stage, how: { ...how, refusals: how.refusals + 1 } });
		case 'network-back':
			// Reconnecting takes the transport some time.
			return to(state, { ...stage, how: { ...how, heardMs: nowMs } });
		case 'link-down':
			return recover(state, run, event.problem, moment, release(how.link));
		case 'packets': {
			const received = Math.max(how.received ?? 0, event.received);
			const grew = how.received !== null && received > how.received;
			const quietLooks = grew || how.received === null ? 0 : how.quietLooks + 1;
			if (how.path === null) {
				const heardMs = grew ? nowMs : how.heardMs;
				return to(state, { ...stage, how: { ...how, received, heardMs, quietLooks } });
			}
			// After a change to another path of the same connection, the counter restarts from a lower number.
			const path = event.answers ?? how.path;
			if (grew || path > how.path) return check(state, stage, how.link, { way: 'old', nowMs });
			return to(state, { ...stage, how: { ...how, received, path, quietLooks } });
		}
		case 'tick':
			if (nowMs < restoredByMs(how, run)) return to(state, stage);
			return recover(
				state,
				run,
				{ kind: 'connection-lost', reason: stage.outage.cause },
				moment,
				release(how.link),
			);
		case 'message': {
			const link = heardOn(how.link, event.message, nowMs);
			if (how.path !== null) return check(state, stage, link, { way: 'old', nowMs });
			return to(state, { ...stage, how: { ...how, link, heardMs: nowMs } });
		}
		default:
			return to(state, stage);
	}
}

/** The link is back, maybe without its task: query it first, so that there are never two (protocol 4.7). */
function check(
	state: State,
	stage: Reconnecting,
	link: OpenLink,
	{ way, nowMs }: { way: ConnectionKind; nowMs: number },
): Step {
	if (stage.run.paused) return enterPausing(state, stage.run, link, nowMs);
	// A fresh socket has no task (protocol 5.1.4).
	const isFresh = way === 'new' && stage.run.route === 'websocket';
	const { readiness } = isFresh ? confirmTask(nowMs) : verifyTask(nowMs, way);
	const asked = post(link, nowMs, isFresh ? taskFor(stage.run.plan, link) : getTask);
	const how = { by: 'checking', link: asked.link, readiness, way } as const;
	return to(state, { ...stage, how }, ...asked.effects);
}

function whileChecking(
	state: State,
	stage: Reconnecting,
	how: Recovery & { by: 'checking' },
	event: Event,
	moment: Moment,
): Step {
	const { nowMs } = moment;
	const { run } = stage;
	switch (event.type) {
		case 'link-restoring':
			return awaitTransport(state, run, how.link, event.cause, nowMs);
		case 'link-down':
			return recover(state, run, event.problem, moment, release(how.link));
		case 'message': {
			const link = heardOn(how.link, event.message, nowMs);
			return judge(state, stage, { ...how, link }, hear(how.readiness, event.message, nowMs), moment);
		}
		case 'tick': {
			const { link, effects } = flush(how.link, nowMs);
			const readiness = hasTask(effects) ? taskLeft(how.readiness, nowMs) : how.readiness;
			return after(effects, judge(state, stage, { ...how, link }, tick(readiness, nowMs), moment));
		}
		default:
			return to(state, stage);
	}
}

function judge(
	state: State,
	stage: Reconnecting,
	how: Recovery & { by: 'checking' },
	step: ReadinessStep,
	moment: Moment,
): Step {
	const { verdict, readiness } = step;
	const { run } = stage;
	const { nowMs } = moment;
	if (verdict.is === 'ready')
		return enterLive(state, run, { link: how.link, work: { is: 'running' } }, nowMs);
	if (verdict.is === 'refused') {
		const { without } = run.plan;
		if (without === null) return fail(state, verdict.problem, ...release(how.link));
		const sent = post(how.link, nowMs, taskFor(without, how.link));
		const again = { ...how, link: sent.link, readiness: confirmTask(nowMs).readiness };
		const told = { do: 'notify', notice: { kind: 'asked-without', plan: without } } as const;
		return to(state, { ...stage, run: { ...run, plan: without }, how: again }, ...sent.effects, told);
	}
	if (verdict.is === 'late') {
		const problem: Problem =
			how.way === 'new'
				? { kind: 'interpreter-silent', afterMs: verdict.afterMs }
				: { kind: 'connection-lost', reason: stage.outage.cause };
		return recover(state, run, problem, moment, release(how.link));
	}
	const commands = step.commands.map((name) => (name === 'set_task' ? taskFor(run.plan, how.link) : getTask));
	const { link, effects } = post(how.link, nowMs, ...commands);
	return to(state, { ...stage, how: { ...how, link, readiness } }, ...effects);
}

function goOn(state: State, stage: Reconnecting, step: AttemptStep, moment: Moment): Step {
	const { run } = stage;
	const { nowMs } = moment;
	switch (step.is) {
		case 'going':
			return to(
				state,
				{
					...stage,
					run: connecting(withPlan(run, step), step.attempt),
					how: { by: 'joining', attempt: step.attempt },
				},
				...step.effects,
			);
		case 'failed':
			if (fallsBack(run, step)) {
				const switched = byWebsocket(run, step.problem, nowMs);
				return after(step.effects, join(state, switched, nowMs));
			}
			return recover(state, run, step.problem, moment, step.effects);
		case 'up': {
			if (run.paused && step.tasked)
				return after(step.effects, enterPausing(state, run, step.link, moment.nowMs));
			const work = run.paused ? { is: 'paused' as const } : { is: 'running' as const };
			const quiet = run.paused ? [sendNothing(step.link)] : [];
			return after(
				[...step.effects, ...quiet],
				enterLive(state, run, { link: step.link, work }, moment.nowMs),
			);
		}
	}
}

/** Recovery continues while paused, without the microphone and without a task. */
function pause(state: State, stage: Reconnecting, event: Event, moment: Moment): Step {
	const run: Run = { ...stage.run, paused: true, microphone: { is: 'off' } };
	const first: Effect[] = [{ do: 'close-microphone' }, ...feedWith('silence', stage.how)];
	const { how } = stage;
	if (how.by === 'checking') return after(first, enterPausing(state, run, how.link, moment.nowMs));
	// Nothing is open yet; only the microphone was being opened.
	if (how.by === 'joining' && how.attempt.at === 'held') return after(first, join(state, run, moment.nowMs));
	// Drops typed texts: the conversation may resume before its link is back,
	// and then no `pause_task` would drop them.
	const quiet: Recovery =
		how.by === 'restoring' ? { ...how, link: { ...how.link, outbox: withoutSpeech(how.link.outbox) } } : how;
	return after(first, stepHow(state, { ...stage, run, how: quiet }, event, moment));
}

function resume(state: State, stage: Reconnecting, event: Event, moment: Moment): Step {
	const run = { ...stage.run, paused: false, asleep: false };
	const again = reopenMicrophone(state, run, moment.nowMs);
	return after(again.effects, stepHow(again.state, { ...stage, run: again.run }, event, moment));
}

function wake(state: State, stage: Reconnecting, sleptMs: number, nowMs: number): Step {
	if (sleptMs >= LONG_SLEEP_MS) return fallAsleep(state, stage.run, sleptMs, held(stage.how), nowMs);
	const woken = stage.run.asleep ? { ...stage.run, paused: false, asleep: false } : stage.run;
	const again = woken.paused ? { state, run: woken, effects: [] } : reopenMicrophone(state, woken, nowMs);
	return after([...held(stage.how), ...again.effects], join(again.state, again.run, nowMs));
}

/** Closes everything that a recovery opened. */
function held(how: Recovery): readonly Effect[] {
	switch (how.by) {
		case 'restoring':
		case 'checking':
			return release(how.link);
		case 'waiting':
			return [];
		case 'joining':
			return dropAttempt(how.attempt);
	}
}

function feedWith(audio: 'microphone' | 'silence', how: Recovery): readonly Effect[] {
	if (how.by === 'waiting') return [];
	return how.by === 'joining'
		? feedAttempt(how.attempt, audio)
		: [{ do: 'feed-link', id: how.link.id, audio }];
}
