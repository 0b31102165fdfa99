/** Limits the sandbox uses where none is published (protocol 10, rows 2 to 4). */
export const SESSION = {
	/** Life of an unconnected session and bounds of `ttl_seconds`, seconds. */
	ttlS: { default: 600, min: 1, max: 86_400 },
	pageSize: { default: 20, max: 100 },
	/** Sessions open at once on one account. */
	parallel: 10,
} as const;
