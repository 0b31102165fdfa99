/**
 * A direction of a conversation: `outgoing` carries my speech to the others; `incoming` carries theirs to me.
 * Most conversations have one direction, a meeting has both at once.
 */
export type LegName = 'outgoing' | 'incoming';

export const legNames: readonly LegName[] = ['outgoing', 'incoming'];
