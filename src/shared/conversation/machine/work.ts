import {
	confirmTask,
	hear,
	meaningOf,
	nextDueMs,
	type ReadinessStep,
	taskLeft,
	tick,
} from '#shared/conversation/readiness.ts';
import type { Problem } from '#shared/problem.ts';
import type { ServerMessage } from '#shared/protocol/server-message.ts';
import type { Effect } from './events.ts';
import { delayMs, getTask, pauseTask, post, sendNothing, taskFor } from './link.ts';
import { count } from './run.ts';
import { after, type Live, type OpenLink, type Run, type State, type Step, to, type Work } from './state.ts';
import { beginWatch } from './watch.ts';

/** A pause that is not confirmed within this time may still be billed: the session is given up instead. */
const PAUSE_LIMIT_MS = 10_000;
const PAUSE_TRIES = 3;
/** The transport corrects its pacing; the user can do nothing about it (faults 80). */
const PACING = /^AUDIO_STREAM_/;

/** `lost`: this session is useless now. `stuck`: the interpreter refuses to continue its earlier task. */
export interface WorkStep {
	readonly live: Live;
	readonly effects: readonly Effect[];
	readonly lost: Problem | null;
	readonly stuck: Problem | null;
}

export function hearWork(live: Live, message: ServerMessage, nowMs: number): WorkStep {
	if (message.type === 'warning') return PACING.test(message.code) ? fine(live) : warned(live, message);
	switch (live.work.is) {
		case 'confirming':
			return judge(live, live.work, hear(live.work.readiness, message, nowMs), nowMs);
		case 'running':
			return whileRunning(live, message, nowMs);
		case 'pausing':
		case 'paused':
			return whilePaused(live, live.work, message, nowMs);
	}
}

export function tickWork(live: Live, nowMs: number): WorkStep {
	const { work } = live;
	if (work.is === 'confirming') return judge(live, work, tick(work.readiness, nowMs), nowMs);
	if (work.is !== 'pausing') return fine(live);
	if (nowMs >= work.sinceMs + PAUSE_LIMIT_MS) {
		return { ...fine(live), lost: { kind: 'interpreter-silent', afterMs: nowMs - work.sinceMs } };
	}
	if (nowMs < work.askMs) return fine(live);
	return posted(live, { ...work, askMs: nowMs + PAUSE_ASK_MS }, post(live.link, nowMs, getTask));
}

/** `set_task` was delayed by the limits and has just been sent. */
export function withTaskLeft(work: Work, nowMs: number): Work {
	return work.is === 'confirming' ? { ...work, readiness: taskLeft(work.readiness, nowMs) } : work;
}

export function workDueMs(work: Work): number {
	if (work.is === 'confirming') return nextDueMs(work.readiness);
	return work.is === 'pausing' ? Math.min(work.askMs, work.sinceMs + PAUSE_LIMIT_MS) : Infinity;
}

/** Sends a task again that was confirmed before: the service lost it, or a late command paused it. */
export function setAgain(live: Live, nowMs: number): WorkStep {
	const sent = live.run.plan;
	const { readiness } = confirmTask(nowMs);
	return posted(
		live,
		{ is: 'confirming', readiness, sent },
		post(live.link, nowMs, taskFor(sent, live.link)),
	);
}

function whileRunning(live: Live, message: ServerMessage, nowMs: number): WorkStep {
	switch (message.type) {
		case 'task-status':
		case 'current-task':
			// A command that was queued while the link was frozen can take effect late.
			return message.status === 'paused' ? setAgain(live, nowMs) : fine(live);
		case 'error':
			break;
		default:
			return fine(live);
	}
	switch (meaningOf(message)) {
		case 'missing':
			return setAgain(live, nowMs);
		case 'ended':
			return { ...fine(live), lost: { kind: 'connection-lost', reason: message.code } };
		case 'limited':
			return fine(live);
		case 'odd':
		case 'refused':
			return warned(live, message);
	}
}

function whilePaused(
	live: Live,
	work: Work & { is: 'pausing' | 'paused' },
	message: ServerMessage,
	nowMs: number,
): WorkStep {
	const paused =
		(message.type === 'task-status' || message.type === 'current-task') && message.status === 'paused';
	const gone = message.type === 'error' && meaningOf(message) === 'missing';
	if (paused || gone) {
		const effects = work.is === 'paused' ? [] : [sendNothing(live.link)];
		return { ...fine({ ...live, work: { is: 'paused' } }), effects };
	}
	if (message.type !== 'current-task' || message.status !== 'running') return fine(live);
	if (work.is === 'paused') {
		const { work: pausing, sent } = askPause(live.link, nowMs);
		return posted(live, pausing, sent);
	}
	if (work.tries >= PAUSE_TRIES) return fine(live);
	const askMs = nowMs + delayMs(live.link, pauseTask, nowMs) + PAUSE_ASK_MS;
	return posted(live, { ...work, tries: work.tries + 1, askMs }, post(live.link, nowMs, pauseTask));
}

function judge(live: Live, work: Work & { is: 'confirming' }, step: ReadinessStep, nowMs: number): WorkStep {
	const { run } = live;
	const isChange = run.wanted === work.sent;
	switch (step.verdict.is) {
		case 'ready': {
			const applied = isChange ? { ...run, wanted: null, change: 'applied' as const } : run;
			return fine({ ...live, work: { is: 'running' }, run: { ...applied, plan: work.sent } });
		}
		case 'refused':
			return refused(live, work, step.verdict.problem, nowMs);
		case 'late': {
			const back = isChange ? { ...run, wanted: null, change: 'refused' as const } : run;
			return {
				...fine({ ...live, run: back }),
				lost: { kind: 'interpreter-silent', afterMs: step.verdict.afterMs },
			};
		}
		case 'waiting': {
			const commands = step.commands.map((name) =>
				name === 'set_task' ? taskFor(work.sent, live.link) : getTask,
			);
			return posted(live, { ...work, readiness: step.readiness }, post(live.link, nowMs, ...commands));
		}
	}
}

/** The old task remains in force (protocol 4.6); the same payload is never tried again. */
function refused(live: Live, work: Work & { is: 'confirming' }, problem: Problem, nowMs: number): WorkStep {
	const { run } = live;
	const { without } = work.sent;
	if (without !== null) {
		const next: Run = {
			...run,
			...(run.wanted === work.sent ? { wanted: without } : {}),
			...(run.plan === work.sent ? { plan: without } : {}),
		};
		const less: Effect = { do: 'notify', notice: { kind: 'asked-without', plan: without } };
		const { readiness } = confirmTask(nowMs, work.readiness.targets);
		const asked = post(live.link, nowMs, taskFor(without, live.link));
		const step = posted({ ...live, run: next }, { is: 'confirming', readiness, sent: without }, asked);
		return { ...step, effects: [...step.effects, less] };
	}
	const told: Effect = { do: 'notify', notice: { kind: 'problem', problem } };
	// The service refuses the plan that was in force: there is nothing to fall back on.
	if (work.sent === run.plan) return { ...fine(live), stuck: problem };
	const isLast = run.wanted === work.sent;
	const rolled = isLast ? { ...run, wanted: null, change: 'refused' as const } : run;
	const back: Live = { ...live, run: rolled, work: { is: 'running' } };
	// If the refused task was also the resume, the old task must be set, or the interpreter stays paused.
	const next = setAgain(back, nowMs);
	const step = work.readiness.targets === null ? next : fine(back);
	return { ...step, effects: [...(isLast ? [told] : []), ...step.effects] };
}

function warned(live: Live, { code, text }: { code: string; text: string }): WorkStep {
	return { ...fine(live), effects: [{ do: 'notify', notice: { kind: 'service-warning', code, text } }] };
}

function posted(
	live: Live,
	work: Work,
	{ link, effects }: { link: Live['link']; effects: readonly Effect[] },
): WorkStep {
	return { live: { ...live, work, link }, effects, lost: null, stuck: null };
}

function fine(live: Live): WorkStep {
	return { live, effects: [], lost: null, stuck: null };
}

/** How long to wait for an answer to `pause_task` before querying it, ms: the same as for `set_task`. */
export const PAUSE_ASK_MS = 2100;

/** Goes live when the task runs and packets are sent; or when paused, with the remaining work in `work`. */
export function enterLive(
	state: State,
	run: Run,
	{ link, work }: { link: OpenLink; work: Work },
	nowMs: number,
): Step {
	const switched = run.switched && { ...run.switched, done: true };
	const known = { ...run, liveSinceMs: run.liveSinceMs ?? nowMs, switched, connectingMs: null };
	const counted = count(known, !run.paused, nowMs);
	const live: Live = { name: 'live', run: counted, link, work, watch: beginWatch(nowMs), sinceMs: nowMs };
	return applyWanted(state, live, nowMs);
}

/** Live, but paused with a task that may run: sends `pause_task`, which must be confirmed. */
export function enterPausing(state: State, run: Run, link: OpenLink, nowMs: number): Step {
	const { work, sent } = askPause(link, nowMs);
	return after(sent.effects, enterLive(state, run, { link: sent.link, work }, nowMs));
}

export function askPause(link: OpenLink, nowMs: number) {
	const askMs = nowMs + delayMs(link, pauseTask, nowMs) + PAUSE_ASK_MS;
	const work: Work = { is: 'pausing', sinceMs: nowMs, tries: 1, askMs };
	return { work, sent: post(link, nowMs, pauseTask) };
}

/** Sends a wanted change when nothing else is being confirmed; one at a time, the last change wins. */
export function applyWanted(state: State, live: Live, nowMs: number): Step {
	const { run, work } = live;
	if (run.wanted === null || run.paused || work.is !== 'running') return to(state, live);
	if (JSON.stringify(run.wanted.task) === JSON.stringify(run.plan.task)) {
		return to(state, { ...live, run: { ...run, plan: run.wanted, wanted: null, change: 'applied' } });
	}
	const { readiness } = confirmTask(nowMs, run.wanted.choices.hear);
	const sent = post(live.link, nowMs, taskFor(run.wanted, live.link));
	return to(
		state,
		{ ...live, link: sent.link, work: { is: 'confirming', readiness, sent: run.wanted } },
		...sent.effects,
	);
}
