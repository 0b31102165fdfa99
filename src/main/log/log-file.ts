import { closeSync, constants, openSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolderNow } from '#main/lib/files.ts';
import { isoUtc } from '#main/system-clock.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { type Logger, type LogLevel, redact } from '#shared/lib/log.ts';

/** Five files of about 1 MB hold days of use and still fit into an email. */
const MAX_BYTES = 1_000_000;
const FILES = 5;
const rank: { readonly [Level in LogLevel]: number } = { error: 0, warn: 1, info: 2, debug: 3 };

/** Does not follow a link; Windows has no such flag, and lets no other user put a link there. */
const APPEND = constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0);

/** Longest text in a line, in characters. */
const MAX_TEXT = 4000;
/** A character of a secret takes at most this many in an address or in JSON. */
const WIDEST = 9;
/** A fact with one of these names would replace the line's own field; a mark is appended to its name. */
const RESERVED = new Set(['time', 'level', 'message']);

/** Cuts a text that is far too long before further work, never through a secret: half of one would not be recognised. */
function short(value: unknown, secrets: readonly string[]): unknown {
	if (typeof value !== 'string' || value.length <= MAX_TEXT) return value;
	const margin = WIDEST * Math.max(0, ...secrets.map((secret) => secret.length));
	const head = redact(value.slice(0, MAX_TEXT + margin), secrets);
	const whole = value.length <= MAX_TEXT + margin ? head.length : Math.max(0, head.length - margin);
	return `${head.slice(0, Math.min(MAX_TEXT, whole))}…`;
}

function append(path: string, text: string): void {
	const file = openSync(path, APPEND, 0o600);
	try {
		writeFileSync(file, text);
	} finally {
		closeSync(file);
	}
}

interface LogFileOptions {
	readonly folder: string;
	readonly clock: Clock;
	level(): LogLevel;
	/** Values that must never be written, whatever they look like. */
	secrets(): readonly string[];
	/** A copy of every line, for a terminal. */
	readonly echo?: (line: string) => void;
}

interface LogFile extends Logger {
	/** The last `count` lines, for a report. */
	tail(count: number): string;
}

/**
 * One JSON object a line in `dragoman.log`, rotated to `dragoman.1.log` … `dragoman.4.log`. Keys and tokens
 * are removed from every line. If the folder cannot be written, there is no log, but the app still runs.
 */
export function createLogFile(options: LogFileOptions): LogFile {
	const path = (index: number) =>
		join(options.folder, index === 0 ? 'dragoman.log' : `dragoman.${index}.log`);
	let bytes = 0;
	try {
		makeFolderNow(options.folder, { mode: 0o700 });
		bytes = statSync(path(0)).size;
	} catch {
		// There is no file yet, or no folder: the first write finds out.
	}

	function rotate(): void {
		for (let index = FILES - 2; index >= 0; index--) {
			try {
				renameSync(path(index), path(index + 1));
			} catch {
				// The file does not exist yet.
			}
		}
		bytes = 0;
	}

	function write(level: LogLevel, message: string, facts?: Record<string, unknown>): void {
		if (rank[level] > rank[options.level()]) return;
		const time = isoUtc(options.clock.wall());
		const secrets = options.secrets();
		const named = Object.entries(facts ?? {}).map(([name, value]) => [
			RESERVED.has(name) ? `${name}_` : name,
			short(value, secrets),
		]);
		const all = { time, level, message: short(message, secrets), ...Object.fromEntries(named) };
		const line = redact(JSON.stringify(all), secrets);
		options.echo?.(line);
		try {
			if (bytes > MAX_BYTES) rotate();
			append(path(0), `${line}\n`);
			bytes += Buffer.byteLength(line) + 1;
		} catch {
			// Ignore it: there is no place to report a failure of the log.
		}
	}

	function linesOf(file: string): readonly string[] {
		try {
			return readFileSync(file, 'utf8').split('\n').filter(Boolean);
		} catch {
			return [];
		}
	}

	return {
		error: (message, facts) => write('error', message, facts),
		warn: (message, facts) => write('warn', message, facts),
		info: (message, facts) => write('info', message, facts),
		debug: (message, facts) => write('debug', message, facts),
		tail(count) {
			const newest = linesOf(path(0));
			// Right after a rotation the newest file is almost empty, so read the previous one as well.
			const before = newest.length < count ? linesOf(path(1)) : [];
			return [...before, ...newest].slice(-count).join('\n');
		},
	};
}
