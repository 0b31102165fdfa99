import type { Rehearsal } from '#renderer/conversation/rehearsal.ts';

/** The rehearsal with the languages and the output that are chosen now. */
export interface SetupRehearsal extends Pick<Rehearsal, 'store' | 'stop'> {
	run(): Promise<void>;
}
