import { nextDueMs as outboxDueMs } from '#shared/conversation/command-outbox.ts';
import { ENDED_BY_PERSON, dueMs as ofStages, step as stepStages } from '#shared/conversation/machine.ts';
import { backoffDelay } from '#shared/lib/clock.ts';
import type { Problem } from '#shared/problem.ts';
import {
	type AttemptStep,
	attemptDueMs,
	beginAttempt,
	dropAttempt,
	feedAttempt,
	stepAttempt,
	taskWhenReady,
} from './attempt.ts';
import { tailEndsMs } from './ending.ts';
import type { Effect, Event, Moment, Plan, Route } from './events.ts';
import { endTask, flush, giveBack, heardOn, post, release, sendNothing } from './link.ts';
import { AGAIN, HURRIED_PAUSE_MS, LEAD_MS, PATIENCE_MS, PAUSES_MS } from './recover.ts';
import { connecting, isProgress, runOf } from './run.ts';
import {
	after,
	idOf,
	type Live,
	noSuccessor,
	type OpenLink,
	type Reconnecting,
	type Run,
	type Stage,
	type State,
	type Step,
	type Succession,
	type SuccessionDue,
	type Successor,
	successorId,
	to,
	unchanged,
} from './state.ts';
import { enterLive, enterPausing } from './work.ts';

/** The machine extended by a second session that takes over from the one in use; loaded once a conversation is live. */
export interface Machine {
	readonly step: typeof stepStages;
	readonly dueMs: typeof ofStages;
}

/** Extends `step` of `machine.ts` and accepts its states; without it a session is used until it ends. */
export function step(state: State, event: Event, moment: Moment): Step {
	const known = forgetSuccessor(state, event);
	const heard = hear(known.state, event, moment);
	const next = after(known.effects, keepSuccessor(heard, event, moment));
	const on = watchesPauses(next.state);
	if (on === watchesPauses(state)) return next;
	return after(next.effects, { state: next.state, effects: [{ do: 'watch-pauses', on }] });
}

function hear(state: State, event: Event, moment: Moment): Step {
	// A session that a person ended, in use or beside it, must not be reopened behind their back.
	if (event.type === 'session-lost' && event.handle === handleBeside(state)) {
		const { problem } = event;
		const isByPerson = problem.kind === 'session-lost' && problem.cause === ENDED_BY_PERSON;
		if (isByPerson) return stepStages(state, { type: 'stop-now' }, moment);
	}
	return hearSuccessor(state, event, moment) ?? stepStages(state, event, moment);
}

/** When a `tick` is due; null in the stages that only wait for the person. */
export function dueMs(state: State): number | null {
	const due = ofStages(state);
	return due === null ? null : Math.min(due, successorDueMs(state));
}

/** Before and after a sleep, the state of the link beside the one in use is unknown. */
export function forgetSuccessor(state: State, event: Event): Step {
	if (event.type !== 'suspend' && event.type !== 'woke') return unchanged(state);
	return { state: become(state, noSuccessor), effects: held(state.successor) };
}

/** Handles events of the successor or of the replaced link; null if it is about something else. */
export function hearSuccessor(state: State, event: Event, { nowMs }: Moment): Step | null {
	switch (event.type) {
		case 'session-expiring': {
			const link = linkInUse(state.stage);
			if (link === null || link.handle !== event.handle) return unchanged(state);
			return want(state, link, 'expiring', nowMs + Math.max(0, event.leftMs - LEAD_MS));
		}
		case 'link-leaving': {
			const link = linkInUse(state.stage);
			return link?.id === event.id ? want(state, link, 'leaving', nowMs) : unchanged(state);
		}
		case 'quiet':
			return unchanged(state);
		default:
			return isAbout(state, event) ? unchanged(state) : null;
	}
}

/**
 * After each step: begins the successor when due, switches to it when possible, and drops it when no longer wanted.
 */
export function keepSuccessor(step: Step, event: Event, moment: Moment): Step {
	const { successor } = step.state;
	const adopted = adoptInto(step, moment.nowMs);
	if (adopted) return adopted;
	switch (successor.is) {
		case 'none':
			return step;
		case 'due':
			return after(step.effects, whileDue(step.state, successor, moment));
		case 'coming':
			return after(step.effects, whileComing(step.state, successor, event, moment));
		case 'ready':
			return after(step.effects, whileReady(step.state, successor, event, moment));
		case 'leaving':
			return after(step.effects, whileLeaving(step.state, successor, event, moment.nowMs));
	}
}

/** When `keepSuccessor` may have something to do. */
export function successorDueMs(state: State): number {
	const { stage, successor } = state;
	const run = runOf(stage);
	if (run === null) return Infinity;
	switch (successor.is) {
		case 'none':
			return Infinity;
		case 'due':
			return mayBegin(state) ? successor.fromMs : Infinity;
		case 'coming':
			return attemptDueMs(successor.attempt, runFor(run, successor));
		case 'ready':
			return stage.name === 'live' && !run.paused && run.microphone.is === 'on'
				? successor.sinceMs + PATIENCE_MS[successor.why]
				: Infinity;
		case 'leaving':
			return Math.min(tailEndsMs({ ...successor, run }), outboxDueMs(successor.link.outbox) ?? Infinity);
	}
}

/** Whether pauses of the speaker must be reported. */
export function watchesPauses({ stage, successor }: State): boolean {
	return successor.is === 'ready' && stage.name === 'live' && stage.run.microphone.is === 'on';
}

/** The session of the successor, or of the link that it replaced. */
export function handleBeside({ successor }: State): string | null {
	if (successor.is === 'ready' || successor.is === 'leaving') return successor.link.handle;
	if (successor.is !== 'coming' || successor.attempt.at === 'session') return null;
	return 'link' in successor.attempt ? successor.attempt.link.handle : successor.attempt.handle;
}

function whileDue(state: State, successor: Is<'due'>, { nowMs }: Moment): Step {
	const { stage } = state;
	if (!isOf(stage, successor)) return { state: become(state, noSuccessor), effects: [] };
	// After rejoining, the server is a different one, or the same one that accepts us again.
	if (stage.name !== 'live' && successor.why === 'leaving')
		return { state: become(state, noSuccessor), effects: [] };
	if (nowMs < successor.fromMs || !mayBegin(state) || stage.name !== 'live') return unchanged(state);
	const id = state.serial + 1;
	const { run } = stage;
	const { plan, route } = run;
	const { attempt, effects } = beginAttempt(id, nowMs, { ...run, connectingMs: null });
	const coming: Successor = { ...successor, is: 'coming', attempt, asked: plan, plan, route };
	return { state: become({ ...state, serial: id }, coming), effects: beside(effects) };
}

function whileComing(state: State, successor: Is<'coming'>, event: Event, moment: Moment): Step {
	const { stage } = state;
	const run = runOf(stage);
	if (run === null || !isOf(stage, successor)) return drop(state);
	const step: AttemptStep = stepAttempt(successor.attempt, event, moment.nowMs, runFor(run, successor));
	switch (step.is) {
		case 'going': {
			const { attempt, plan = successor.plan } = step;
			return { state: become(state, { ...successor, attempt, plan }), effects: beside(step.effects) };
		}
		case 'up': {
			const { link, tasked } = step;
			const ready = { ...successor, is: 'ready', link, tasked, sinceMs: moment.nowMs } as const;
			return after(beside(step.effects), whileReady(become(state, ready), ready, event, moment));
		}
		case 'failed':
			return failed(state, successor, step.problem, beside(step.effects), moment);
	}
}

function whileReady(before: State, known: Is<'ready'>, event: Event, moment: Moment): Step {
	const { nowMs } = moment;
	const { stage } = before;
	const run = runOf(stage);
	if (run === null || !isOf(stage, known)) return drop(before);
	const problem = lossOf(known.link, event);
	if (problem) return failed(before, known, problem, beside(release(known.link)), moment);
	const isHeard = event.type === 'message' && event.id === known.link.id;
	const successor = isHeard ? { ...known, link: heardOn(known.link, event.message, nowMs) } : known;
	const state = become(before, successor);
	if (!run.paused && !successor.tasked) {
		const begun = taskWhenReady(successor.link, nowMs, runFor(run, successor));
		// Stryker disable next-line all: not paused, nothing else is possible
		if (begun.is !== 'going') return unchanged(state);
		const { asked, plan } = { asked: run.plan, plan: run.plan };
		const coming: Successor = { ...successor, is: 'coming', attempt: begun.attempt, asked, plan };
		return { state: become(state, coming), effects: begun.effects };
	}
	return maySwitch(state, successor, event, nowMs) ? takeCharge(state, successor, nowMs) : unchanged(state);
}

function maySwitch({ stage, muted }: State, successor: Is<'ready'>, event: Event, nowMs: number): boolean {
	const run = runOf(stage);
	// The link to be replaced is not working: no reason to wait.
	if (stage.name === 'reconnecting') return run?.paused === true || run?.microphone.is === 'on';
	if (stage.name !== 'live') return false;
	// Before a pause is confirmed, the last sentence may still arrive.
	if (stage.run.paused) return stage.work.is === 'paused';
	if (stage.run.microphone.is !== 'on') return false;
	const waitedMs = nowMs - successor.sinceMs;
	if (waitedMs >= PATIENCE_MS[successor.why]) return true;
	if (stage.work.is !== 'running') return false;
	return muted || (event.type === 'quiet' && event.ms >= wantedPauseMs(successor.why, waitedMs));
}

function wantedPauseMs(why: Succession, waitedMs: number): number {
	if (why === 'leaving') return HURRIED_PAUSE_MS;
	return PAUSES_MS.findLast(({ fromMs }) => waitedMs >= fromMs)?.ms ?? 0;
}

/** A repeated event changes nothing, except that a server that asks clients to leave shortens the time. */
function want(state: State, { id }: OpenLink, why: Succession, fromMs: number): Step {
	const { successor } = state;
	const due: SuccessionDue = { why, of: id, fromMs, tries: 0 };
	switch (successor.is) {
		case 'none':
			return { state: become(state, { is: 'due', ...due }), effects: [] };
		case 'due':
			return { state: become(state, { is: 'due', ...sooner(successor, due) }), effects: [] };
		case 'leaving':
			return { state: become(state, { ...successor, next: sooner(successor.next, due) }), effects: [] };
		case 'coming':
		case 'ready':
			return { state: become(state, { ...successor, why: sooner(successor, due).why }), effects: [] };
	}
}

function sooner(known: SuccessionDue | null, due: SuccessionDue): SuccessionDue {
	const isKnown = known?.of === due.of && (known.why === due.why || due.why === 'expiring');
	return isKnown ? known : due;
}

/** The current link continues; another successor is tried later, if there is still time. */
function failed(
	state: State,
	{ why, of, tries }: SuccessionDue,
	problem: Problem,
	effects: readonly Effect[],
	{ nowMs, random }: Moment,
): Step {
	const delayMs = backoffDelay(AGAIN[why], tries + 1, () => random);
	// The plan does not allow two sessions: a new one follows when the one in use ends, as usual.
	if (problem.kind === 'session-limit' || delayMs === null)
		return { state: become(state, noSuccessor), effects };
	const fromMs = nowMs + delayMs;
	return { state: become(state, { is: 'due', why, of, tries: tries + 1, fromMs }), effects };
}

function drop(state: State): Step {
	return { state: become(state, noSuccessor), effects: held(state.successor) };
}

/** Closes everything the successor opened. A session still being opened is closed when it arrives. */
function held(successor: Successor): readonly Effect[] {
	if (successor.is === 'coming') return beside(dropAttempt(successor.attempt));
	if (successor.is === 'ready') return beside(release(successor.link));
	if (successor.is !== 'leaving') return [];
	return [{ do: 'leave-link', id: successor.link.id }, ...giveBack(successor.link.handle)];
}

/** For a link beside the one in use: feeds it silence, closes it as a standby, and hides its problems. */
function beside(effects: readonly Effect[]): readonly Effect[] {
	return effects.flatMap((effect): readonly Effect[] => {
		if (effect.do === 'close-link') return [{ do: 'close-standby', id: effect.id }];
		if (effect.do === 'open-link') return [{ ...effect, audio: 'silence', keepSpeech: false }];
		return effect.do === 'notify' && effect.notice.kind === 'problem' ? [] : [effect];
	});
}

function mayBegin({ stage, standby }: State): boolean {
	if (stage.name !== 'live' || standby.is !== 'none' || stage.run.microphone.is === 'opening') return false;
	return stage.run.paused ? stage.work.is === 'paused' : stage.work.is === 'running';
}

/** Whether the link to be replaced is still in use, or has just been given up. */
function isOf(stage: Stage, { of }: SuccessionDue): boolean {
	if (stage.name === 'reconnecting' && stage.how.by === 'waiting') return true;
	return linkInUse(stage)?.id === of;
}

function runFor(run: Run, { plan, route }: { readonly plan: Plan; readonly route: Route }): Run {
	return { ...run, plan, route, connectingMs: null };
}

function isAbout(state: State, event: Event): boolean {
	if (!('id' in event)) return false;
	const { successor } = state;
	return event.id === successorId(state) || (successor.is === 'leaving' && event.id === successor.link.id);
}

function become(state: State, successor: Successor): State {
	return { ...state, successor };
}

export type Is<Name extends Successor['is']> = Extract<Successor, { is: Name }>;

/** The link was lost before its successor took over: that replaces the new attempt. Null if none fits. */
export function adoptInto({ state, effects }: Step, nowMs: number): Step | null {
	const { stage, successor } = state;
	if (successor.is !== 'coming' && successor.is !== 'ready') return null;
	if (stage.name !== 'reconnecting' || stage.how.by !== 'joining') return null;
	if (successor.route !== stage.run.route) return null;
	const begun = idOf(stage.how.attempt);
	const isBegun = (effect: Effect) =>
		(effect.do === 'open-session' || effect.do === 'open-link') && effect.id === begun;
	const before = effects.filter((effect) => !isBegun(effect));
	const alone = become(state, noSuccessor);
	const step =
		successor.is === 'ready' ? goOnWith(alone, stage.run, successor, nowMs) : goOnAs(alone, stage, successor);
	return after(before, step);
}

/** Without a task the successor is ready only in a pause. */
function goOnWith(state: State, run: Run, successor: Is<'ready'>, nowMs: number): Step {
	const taken: readonly Effect[] = [{ do: 'take-over', id: successor.link.id }, ...fedAlone(run, successor)];
	return after(taken, enter(state, run, successor, nowMs));
}

function goOnAs(state: State, stage: Reconnecting, successor: Is<'coming'>): Step {
	const { attempt } = successor;
	const fed = stage.run.microphone.is === 'on' ? feedAttempt(attempt, 'microphone') : [];
	const taken: readonly Effect[] = 'link' in attempt ? [{ do: 'take-over', id: attempt.link.id }] : [];
	const run = attempt.at === 'task' ? withPlanOf(stage.run, successor) : stage.run;
	const goesOn = { ...stage, run: connecting(run, attempt), how: { by: 'joining', attempt } } as const;
	return to(state, goesOn, ...taken, ...fed);
}

/** Moves the microphone, and with it the conversation, to the successor. */
export function takeCharge(state: State, successor: Is<'ready'>, nowMs: number): Step {
	const { stage } = state;
	const alone = become(state, noSuccessor);
	if (stage.name === 'live' && !stage.run.paused) return handOver(alone, stage, successor, nowMs);
	// The output of the previous link must no longer be played.
	const old = linkInUse(stage);
	const run = runOf(stage);
	// Stryker disable next-line ConditionalExpression: it is put in charge only of what runs
	if (run === null) return unchanged(alone);
	const left = old ? release(old) : [];
	return after(left, goOnWith(alone, run, successor, nowMs));
}

/** Effects that give the successor the microphone once it is the only link: before, it was fed silence. */
function fedAlone({ paused, microphone }: Run, { link, tasked }: Is<'ready'>): readonly Effect[] {
	// An interpreter that is still listening treats a stream that stops as a fault.
	if (paused) return tasked ? [] : [sendNothing(link)];
	return microphone.is === 'on' ? [{ do: 'feed-link', id: link.id, audio: 'microphone' }] : [];
}

function handOver(state: State, { run, link: old }: Live, successor: Is<'ready'>, nowMs: number): Step {
	const { link } = successor;
	const ended = post(old, nowMs, endTask(old));
	const marks = { sinceMs: nowMs, progressMs: nowMs, endOfStreamMs: null, next: null };
	const leaving: Successor = { is: 'leaving', link: ended.link, ...marks };
	const effects: readonly Effect[] = [
		{ do: 'feed-link', id: old.id, audio: 'silence' },
		{ do: 'feed-link', id: link.id, audio: 'microphone' },
		{ do: 'hand-over', from: old.id, to: link.id },
		...ended.effects,
	];
	const givenUp = old.handle ?? run.givenUp;
	return after(effects, enter(become(state, leaving), { ...run, givenUp }, successor, nowMs));
}

function enter(state: State, before: Run, successor: Is<'ready'>, nowMs: number): Step {
	const { link, tasked } = successor;
	if (!tasked) return enterLive(state, before, { link, work: { is: 'paused' } }, nowMs);
	const run = withPlanOf(before, successor);
	if (run.paused) return enterPausing(state, run, link, nowMs);
	return enterLive(state, run, { link, work: { is: 'running' } }, nowMs);
}

/** The plan of the successor's task is now in force; a change requested meanwhile is requested again. */
function withPlanOf(run: Run, { asked, plan }: { readonly asked: Plan; readonly plan: Plan }): Run {
	if (run.wanted === null && run.plan === asked) return { ...run, plan };
	return { ...run, plan, wanted: run.wanted ?? run.plan, change: 'waiting' };
}

export function whileLeaving(before: State, known: Is<'leaving'>, event: Event, nowMs: number): Step {
	const { stage } = before;
	const run = runOf(stage);
	const isHeard = stage.name === 'live' || stage.name === 'reconnecting' || stage.name === 'ending';
	if (run === null || !isHeard) return leave(before, { ...known, next: null });
	if (lossOf(known.link, event)) return leave(before, known);
	const successor = heardTail(known, event, nowMs);
	const state = become(before, successor);
	if (event.type !== 'tick') return unchanged(state);
	if (nowMs >= tailEndsMs({ ...successor, run })) return leave(state, successor);
	const { link, effects } = flush(successor.link, nowMs);
	return { state: become(state, { ...successor, link }), effects };
}

function heardTail(known: Is<'leaving'>, event: Event, nowMs: number): Is<'leaving'> {
	if (event.type === 'voice-active') return { ...known, progressMs: nowMs };
	if (event.type !== 'message' || event.id !== known.link.id) return known;
	if (event.message.type === 'end-of-stream') return { ...known, endOfStreamMs: nowMs };
	return isProgress(event.message) ? { ...known, progressMs: nowMs } : known;
}

function leave(state: State, { link, next }: Is<'leaving'>): Step {
	const then: Successor = next ? { is: 'due', ...next } : noSuccessor;
	return {
		state: become(state, then),
		effects: [{ do: 'leave-link', id: link.id }, ...giveBack(link.handle)],
	};
}

export function linkInUse(stage: Stage): OpenLink | null {
	if (stage.name === 'live') return stage.link;
	if (stage.name !== 'reconnecting') return null;
	return stage.how.by === 'restoring' || stage.how.by === 'checking' ? stage.how.link : null;
}

/** Why a link beside the one in use is no longer usable. */
export function lossOf(link: OpenLink, event: Event): Problem | null {
	if (event.type === 'session-lost') return event.handle === link.handle ? event.problem : null;
	if (!('id' in event) || event.id !== link.id) return null;
	if (event.type === 'link-restoring') return { kind: 'connection-lost', reason: event.cause };
	return event.type === 'link-down' || event.type === 'link-failed' ? event.problem : null;
}
