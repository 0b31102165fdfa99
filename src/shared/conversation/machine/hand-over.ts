import type { Problem } from '#shared/problem.ts';
import { feedAttempt } from './attempt.ts';
import { tailEndsMs } from './ending.ts';
import { enterLive, enterPausing } from './enter-live.ts';
import type { Effect, Event, Plan } from './events.ts';
import { endTask, flush, giveBack, post, release, sendNothing } from './link.ts';
import { connecting } from './route.ts';
import { isProgress, runOf } from './run.ts';
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
	type Successor,
	to,
	unchanged,
} from './state.ts';

export type Is<Name extends Successor['is']> = Extract<Successor, { is: Name }>;

/**
 * The link in use is gone before its successor took over: the successor, however far it has come, replaces the attempt
 * that has just begun. Null when there is none on the wanted route.
 */
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

/** Without a task it is ready in a pause alone. */
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

/** The microphone moves to the successor, and with it the conversation. */
export function takeCharge(state: State, successor: Is<'ready'>, nowMs: number): Step {
	const { stage } = state;
	const alone = become(state, noSuccessor);
	if (stage.name === 'live' && !stage.run.paused) return handOver(alone, stage, successor, nowMs);
	// The previous link must not be heard any more.
	const old = linkInUse(stage);
	const run = runOf(stage);
	// Stryker disable next-line ConditionalExpression: it is put in charge only of what runs
	if (run === null) return unchanged(alone);
	const left = old ? release(old) : [];
	return after(left, goOnWith(alone, run, successor, nowMs));
}

/** What to feed the successor once it is the only link: until now that was silence. */
function fedAlone({ paused, microphone }: Run, { link, tasked }: Is<'ready'>): readonly Effect[] {
	// If it still listens, a stream that stops is a fault.
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

/** Its task's plan is now in force; what was requested meanwhile is requested again. */
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

/** Why a link beside the one in use has become useless. */
export function lossOf(link: OpenLink, event: Event): Problem | null {
	if (event.type === 'session-lost') return event.handle === link.handle ? event.problem : null;
	if (!('id' in event) || event.id !== link.id) return null;
	if (event.type === 'link-restoring') return { kind: 'connection-lost', reason: event.cause };
	return event.type === 'link-down' || event.type === 'link-failed' ? event.problem : null;
}

function become(state: State, successor: Successor): State {
	return { ...state, successor };
}
