import { LOG_LIMITS } from '#shared/host/contract.ts';
import type { Logger, LogLevel } from '#shared/lib/log.ts';
import type { Host } from './host.ts';

type Fact = string | number | boolean | null;

/** The window's log lines go to main's log, which redacts and keeps them. */
export function createWindowLog(host: Host): Logger {
	const write = (level: LogLevel) => (message: string, facts?: Record<string, unknown>) => {
		const plain =
			facts &&
			Object.entries(facts)
				.slice(0, LOG_LIMITS.facts)
				.map(([name, value]): [string, Fact] => [name.slice(0, LOG_LIMITS.name), plainFact(value)]);
		const short = message.slice(0, LOG_LIMITS.text);
		// A log that cannot be written must not disturb a conversation.
		void host.ask('log.write', { level, message: short, ...(plain && { facts: plain }) });
	};
	return { error: write('error'), warn: write('warn'), info: write('info'), debug: write('debug') };
}

function plainFact(value: unknown): Fact {
	if (typeof value === 'number' || typeof value === 'boolean' || value === null) return value;
	const text =
		typeof value === 'string' ? value : value instanceof Error ? value.message : JSON.stringify(value);
	return (text ?? '').slice(0, LOG_LIMITS.text);
}
