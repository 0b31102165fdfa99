/** What the sandbox does where nothing is published (protocol 10, rows 2 to 4). */
export const SESSION = {
	/** Seconds: of an unconnected session, and the bounds of `ttl_seconds`. */
	ttlS: { default: 600, min: 1, max: 86_400 },
	pageSize: { default: 20, max: 100 },
	/** Open at once on one account. */
	parallel: 10,
} as const;
