/**
 * Unix ms as ISO 8601 in UTC, to the millisecond. Without `Intl`, which first reads all its locale data: 10 ms of every
 * start.
 */
export function isoUtc(unixMs: number): string {
	return new Date(unixMs).toISOString();
}

/** Unix ms as `2026-11-21T015510` in UTC: fit for a file name on every system. */
export function fileStamp(unixMs: number): string {
	return isoUtc(unixMs).slice(0, 19).replaceAll(':', '');
}
