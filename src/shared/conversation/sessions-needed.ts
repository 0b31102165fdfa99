/**
 * How many sessions a conversation holds at the service at the same time, which the plan limits. A kind of
 * conversation with a leg for each direction belongs here, so that it can be said before it starts.
 */
const needed = { 'one-way': 1, 'both-ways': 2 } as const satisfies Record<string, number>;

export type ConversationKind = keyof typeof needed;

export function sessionsNeeded(kind: ConversationKind): number {
	return needed[kind];
}
