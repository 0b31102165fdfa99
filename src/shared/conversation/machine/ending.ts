import { nextDueMs } from '#shared/conversation/command-outbox.ts';
import { TAIL } from '#shared/protocol/limits.ts';
import type { Event, Moment } from './events.ts';
import { cutShort, endTask, flush, post, release } from './link.ts';
import { count, isProgress, rest } from './run.ts';
import type { Ending, OpenLink, Run, State, Step } from './state.ts';
import { to } from './state.ts';

/** The end of the voice is still in the jitter buffer when the end of stream is announced. */
const LAST_SOUND_MS = 400;
/** A voice that still plays after the end of stream may finish, for this long at most. */
const LAST_VOICE_MS = 3000;

/**
 * Closes the microphone at once, but keeps sending silence, because the older generation ends a sentence only
 * when it hears silence. Long after a pause began, no more speech can follow: the conversation then ends at
 * once.
 */
export function beginEnding(state: State, running: Run, link: OpenLink, nowMs: number): Step {
	const run = count({ ...running, microphone: { is: 'off' } }, false, nowMs);
	if (run.paused && !run.voiceActive && nowMs - run.progressMs > TAIL.idleMs)
		return rest(state, ...release(link));
	const sent = post(link, nowMs, endTask(link));
	return to(
		state,
		{ name: 'ending', run, link: sent.link, sinceMs: nowMs, progressMs: nowMs, endOfStreamMs: null },
		{ do: 'close-microphone' },
		{ do: 'feed-link', id: link.id, audio: 'silence' },
		...sent.effects,
	);
}

export function stepEnding(state: State, stage: Ending, event: Event, { nowMs }: Moment): Step {
	switch (event.type) {
		case 'stop':
		case 'stop-now':
			return rest(state, ...cutShort(stage.link, nowMs));
		case 'suspend':
		case 'woke':
			return endNow(state, stage);
		case 'session-lost':
			return event.handle === stage.link.handle ? endNow(state, stage) : to(state, stage);
		case 'link-down':
			return event.id === stage.link.id ? endNow(state, stage) : to(state, stage);
		case 'voice-active': {
			const run = { ...stage.run, voiceActive: event.active };
			return to(state, { ...stage, run, progressMs: nowMs });
		}
		case 'message':
			if (event.id !== stage.link.id) return to(state, stage);
			if (event.message.type === 'end-of-stream') return to(state, { ...stage, endOfStreamMs: nowMs });
			return to(state, isProgress(event.message) ? { ...stage, progressMs: nowMs } : stage);
		case 'tick': {
			if (nowMs >= tailEndsMs(stage)) return endNow(state, stage);
			const { link, effects } = flush(stage.link, nowMs);
			return to(state, { ...stage, link }, ...effects);
		}
		default:
			return to(state, stage);
	}
}

export function endNow(state: State, stage: Ending): Step {
	return rest(state, ...release(stage.link));
}

export function endingDueMs(stage: Ending): number {
	return Math.min(tailEndsMs(stage), nextDueMs(stage.link.outbox) ?? Infinity);
}

/** 6 s without progress, 30 s in all (protocol 9.2); an audible voice counts as progress. */
export function tailEndsMs({
	run,
	sinceMs,
	progressMs,
	endOfStreamMs,
}: Pick<Ending, 'run' | 'sinceMs' | 'progressMs' | 'endOfStreamMs'>): number {
	const inAll = sinceMs + TAIL.inAllMs;
	if (endOfStreamMs !== null) {
		return Math.min(inAll, endOfStreamMs + (run.voiceActive ? LAST_VOICE_MS : LAST_SOUND_MS));
	}
	return run.voiceActive ? inAll : Math.min(inAll, progressMs + TAIL.idleMs);
}
