import type { Cancel, Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import type { ServerMessage } from '#shared/protocol/server-message.ts';

/** Every message passes here first: unknown types are counted, and storms of errors collapsed. */
export interface Intake {
	/** False: counted; not to be passed to the machine. */
	admit(message: ServerMessage): boolean;
	/** A task was set: an error may be its answer and must be admitted, whatever came before. */
	expectAnswer(): void;
	/** The conversation is over: totals are logged, and it starts from nothing. */
	finish(): void;
}

/** Errors of one code within this are one error that came several times (faults 67). */
const BURST_MS = 1000;
/** How many storms are told apart; any more codes share one storm. */
const CODES = 8;
/** How many unknown names are told apart, because a service may make them up. */
const NAMES = 20;
const REST = '(others)';

interface Burst {
	readonly code: string;
	more: number;
	readonly cancel: Cancel;
}

export function createIntake({
	clock,
	log,
	repeated,
}: {
	readonly clock: Clock;
	readonly log: Logger;
	/** The message with this code came so many times more. At most once a second for each code. */
	readonly repeated: (code: string, times: number) => void;
}): Intake {
	const unknown = new Map<string, number>();
	const bursts = new Map<string, Burst>();

	function countUnknown(given: string): void {
		const name = unknown.has(given) || unknown.size < NAMES ? given : REST;
		const before = unknown.get(name) ?? 0;
		unknown.set(name, before + 1);
		if (before === 0) log.debug('unknown message', { name });
	}

	function endBurst(key: string): void {
		const burst = bursts.get(key);
		if (!burst) return;
		bursts.delete(key);
		burst.cancel();
		if (burst.more > 0) repeated(burst.code, burst.more);
	}

	function isFirst(code: string): boolean {
		const key = bursts.has(code) || bursts.size < CODES ? code : REST;
		const burst = bursts.get(key);
		if (burst) {
			burst.more += 1;
			return false;
		}
		bursts.set(key, { code, more: 0, cancel: clock.after(BURST_MS, () => endBurst(key)) });
		return true;
	}

	function expectAnswer(): void {
		for (const key of [...bursts.keys()]) endBurst(key);
	}

	return {
		admit(message) {
			if (message.type === 'unknown') countUnknown(message.name);
			return message.type === 'error' || message.type === 'warning' ? isFirst(message.code) : true;
		},
		expectAnswer,
		finish() {
			expectAnswer();
			if (unknown.size === 0) return;
			// Prefixed to keep the service's names apart from the log's own fields.
			const counts = [...unknown].map(([name, times]) => [`type ${name}`, times]);
			log.info('unknown messages', Object.fromEntries(counts));
			unknown.clear();
		},
	};
}
