import { confirmTask } from '#shared/conversation/readiness.ts';
import { delayMs, pauseTask, post, taskFor } from './link.ts';
import { count } from './run.ts';
import { after, type Live, type OpenLink, type Run, type State, type Step, to, type Work } from './state.ts';
import { beginWatch } from './watch.ts';

/** How long `pause_task` may go unanswered before we ask, ms: as for `set_task`. */
export const PAUSE_ASK_MS = 2100;

/** The task runs and packets leave; or it is paused, and then `work` says what is left to do. */
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

/** In live, paused, with a task that may still run: `pause_task`, confirmed like everything we send. */
export function enterPausing(state: State, run: Run, link: OpenLink, nowMs: number): Step {
	const { work, sent } = askPause(link, nowMs);
	return after(sent.effects, enterLive(state, run, { link: sent.link, work }, nowMs));
}

export function askPause(link: OpenLink, nowMs: number) {
	const askMs = nowMs + delayMs(link, pauseTask, nowMs) + PAUSE_ASK_MS;
	const work: Work = { is: 'pausing', sinceMs: nowMs, tries: 1, askMs };
	return { work, sent: post(link, nowMs, pauseTask) };
}

/** A wanted change goes out when nothing else is being confirmed; one at a time, the last one wins. */
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
