/**
 * A direction of a conversation: `outgoing` is what I say, for the others; `incoming` what the others say,
 * for me. Most conversations have one, a meeting has both at once.
 */
export type LegName = 'outgoing' | 'incoming';

export const legNames: readonly LegName[] = ['outgoing', 'incoming'];
