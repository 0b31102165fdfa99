/** `outgoing` carries my speech to others, `incoming` theirs to me. A meeting has both. */
export type LegName = 'outgoing' | 'incoming';

export const legNames: readonly LegName[] = ['outgoing', 'incoming'];
