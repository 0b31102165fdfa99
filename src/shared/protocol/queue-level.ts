import { field, isObject, type JsonObject } from './json.ts';
import type { QueueLevel } from './server-message.ts';

/** An object with more languages than the service has is no queue level. */
const MAX_LANGUAGES = 128;
const CODE = /^[a-z]{2,3}(?:[-_][a-z0-9]{2,8}){0,2}$/;

/**
 * The object that comes about once a second on the data channel without an envelope, one entry per
 * language or none (protocol 4.6). `null` = it is something else.
 */
export function readBareQueueLevel(message: JsonObject): ReadonlyMap<string, QueueLevel> | null {
	const names = Object.keys(message);
	if (names.length > MAX_LANGUAGES || !names.every((name) => CODE.test(name.toLowerCase()))) return null;
	if (!names.every((name) => isObject(message[name]))) return null;
	return levelsOf(message, names);
}

/** `stats` of `tts_buffer_stats`: the same entries beside a `timestamp` (protocol 4.6). */
export function readBufferStats(data: unknown): ReadonlyMap<string, QueueLevel> | null {
	const stats = field(data, 'stats');
	if (!isObject(stats)) return null;
	const names = Object.keys(stats).slice(0, MAX_LANGUAGES);
	return levelsOf(
		stats,
		names.filter((name) => CODE.test(name.toLowerCase())),
	);
}

function levelsOf(source: JsonObject, names: readonly string[]): ReadonlyMap<string, QueueLevel> {
	const levels = new Map<string, QueueLevel>();
	for (const name of names) {
		const currentMs = amount(field(source[name], 'current_queue_level_ms'));
		if (currentMs === null) continue;
		const maxMs = amount(field(source[name], 'max_queue_level_ms'));
		levels.set(name.toLowerCase(), { currentMs, maxMs });
	}
	return levels;
}

function amount(value: unknown): number | null {
	return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
}
