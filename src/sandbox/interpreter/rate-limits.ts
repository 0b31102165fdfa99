import type { Clock } from '#shared/lib/clock.ts';
import { COMMAND_LIMIT } from '#shared/protocol/limits.ts';

/** How early a command may be and still pass: networks often delay the previous one by this much. */
const SLACK_MS = 200;

export interface RateLimits {
	/** Whether the command is within its limit (protocol 4.4); a refused one does not count. */
	allows(command: string): boolean;
}

/** `together` is asked each time whether `set_task` and `get_task` share one limit. */
export function createRateLimits(clock: Clock, together: () => boolean): RateLimits {
	const last = new Map<string, number>();
	let texts: readonly number[] = [];

	function spaced(name: string, periodMs: number): boolean {
		const now = clock.now();
		const before = last.get(name);
		if (before !== undefined && now - before < periodMs - SLACK_MS) return false;
		last.set(name, now);
		return true;
	}

	function counted(): boolean {
		texts = texts.filter((at) => clock.now() - at < COMMAND_LIMIT.ttsTasks.windowMs);
		if (texts.length >= COMMAND_LIMIT.ttsTasks.count) return false;
		texts = [...texts, clock.now()];
		return true;
	}

	return {
		allows(command) {
			switch (command) {
				case 'set_task':
				case 'get_task':
					return spaced(together() ? 'task' : command, COMMAND_LIMIT.taskPeriodMs);
				case 'pause_task':
				case 'end_task':
					return spaced(command, COMMAND_LIMIT.pauseAndEndPeriodMs);
				case 'tts_task':
					return counted();
				default:
					return true;
			}
		},
	};
}
