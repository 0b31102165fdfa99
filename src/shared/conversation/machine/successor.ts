import { nextDueMs as outboxDueMs } from '#shared/conversation/command-outbox.ts';
import { backoffDelay } from '#shared/lib/backoff.ts';
import type { Problem } from '#shared/problem.ts';
import {
	type AttemptStep,
	attemptDueMs,
	beginAttempt,
	dropAttempt,
	stepAttempt,
	taskWhenReady,
} from './attempt.ts';
import { tailEndsMs } from './ending.ts';
import type { Effect, Event, Moment, Plan, Route } from './events.ts';
import { adoptInto, type Is, linkInUse, lossOf, takeCharge, whileLeaving } from './hand-over.ts';
import { giveBack, heardOn, release } from './link.ts';
import { AGAIN, HURRIED_PAUSE_MS, LEAD_MS, PATIENCE_MS, PAUSES_MS } from './reconnect-limits.ts';
import { runOf } from './run.ts';
import {
	after,
	noSuccessor,
	type OpenLink,
	type Run,
	type Stage,
	type State,
	type Step,
	type Succession,
	type SuccessionDue,
	type Successor,
	successorId,
	unchanged,
} from './state.ts';

/** Before and after a sleep, nothing is known about the link beside the one in use. */
export function forgetSuccessor(state: State, event: Event): Step {
	if (event.type !== 'suspend' && event.type !== 'woke') return unchanged(state);
	return { state: become(state, noSuccessor), effects: held(state.successor) };
}

/** Handles events of the successor, or of the link it took over from; null when the event is about something else. */
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
 * After each step: begins the successor when due, puts it in charge when possible, and drops it when no longer wanted.
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

/** Whether pauses of the speaker are of interest. */
export function watchesPauses({ stage, successor }: State): boolean {
	return successor.is === 'ready' && stage.name === 'live' && stage.run.microphone.is === 'on';
}

/** The session of the successor, or of the link that it took over from. */
export function handleBeside({ successor }: State): string | null {
	if (successor.is === 'ready' || successor.is === 'leaving') return successor.link.handle;
	if (successor.is !== 'coming' || successor.attempt.at === 'session') return null;
	return 'link' in successor.attempt ? successor.attempt.link.handle : successor.attempt.handle;
}

function whileDue(state: State, successor: Is<'due'>, { nowMs }: Moment): Step {
	const { stage } = state;
	if (!isOf(stage, successor)) return { state: become(state, noSuccessor), effects: [] };
	// After joining anew the server is another one, or the same one that wants us back.
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
	// The link to take over from is away: no reason to wait.
	if (stage.name === 'reconnecting') return run?.paused === true || run?.microphone.is === 'on';
	if (stage.name !== 'live') return false;
	// A pause that awaits its answer may still be followed by the last sentence.
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

/** A repeated event changes nothing, except that a server that asks to be left leaves less time. */
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

/** The link in use goes on; another successor is tried later, while that is still useful. */
function failed(
	state: State,
	{ why, of, tries }: SuccessionDue,
	problem: Problem,
	effects: readonly Effect[],
	{ nowMs, random }: Moment,
): Step {
	const delayMs = backoffDelay(AGAIN[why], tries + 1, () => random);
	// The plan does not allow two: a new session follows when the one in use ends, as usual.
	if (problem.kind === 'session-limit' || delayMs === null)
		return { state: become(state, noSuccessor), effects };
	const fromMs = nowMs + delayMs;
	return { state: become(state, { is: 'due', why, of, tries: tries + 1, fromMs }), effects };
}

function drop(state: State): Step {
	return { state: become(state, noSuccessor), effects: held(state.successor) };
}

/** Closes everything it holds. A session still being opened is closed when it arrives. */
function held(successor: Successor): readonly Effect[] {
	if (successor.is === 'coming') return beside(dropAttempt(successor.attempt));
	if (successor.is === 'ready') return beside(release(successor.link));
	if (successor.is !== 'leaving') return [];
	return [{ do: 'leave-link', id: successor.link.id }, ...giveBack(successor.link.handle)];
}

/** Adapts effects to a link beside the one in use: fed silence, closed as a standby, its problems not notified. */
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

/** The link that is to be replaced is still the one in use, or has just been given up. */
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
