/**
 * How many sessions a conversation holds at the service at once, which the plan limits. Listed here, so that it can be
 * shown before the start.
 */
const needed = { 'one-way': 1, 'both-ways': 2 } as const satisfies Record<string, number>;

export type ConversationKind = keyof typeof needed;

export function sessionsNeeded(kind: ConversationKind): number {
	return needed[kind];
}
