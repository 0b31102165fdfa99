import { z } from 'zod/mini';

/** Answer of `POST /session-storage/session`, `data` part (service-spec 2.1; extras pass through). */
export const CreatedSession = z.looseObject({
	/** LiveKit access token. Older deployments answered an array of one (protocol 3.1). */
	publisher: z.union([z.string(), z.array(z.string())]),
	webrtc_url: z.string(),
	/** Opaque; may be shaped like a token. URL-encode it, never log it. */
	id: z.string(),
	intent: z.optional(z.nullable(z.string())),
	ws_url: z.optional(z.nullable(z.string())),
});
export type CreatedSession = z.infer<typeof CreatedSession>;

/** A session as listed or read (service-spec 2.2). Times are ISO 8601 UTC and may be malformed. */
export const ListedSession = z.looseObject({
	id: z.string(),
	created_at: z.optional(z.nullable(z.string())),
	updated_at: z.optional(z.nullable(z.string())),
	expires_at: z.optional(z.nullable(z.string())),
});
export type ListedSession = z.infer<typeof ListedSession>;
