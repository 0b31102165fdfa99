import type { Rehearsal } from './rehearsal.ts';

/** The rehearsal with the languages and the output that are chosen now. */
export interface SetupRehearsal extends Pick<Rehearsal, 'store' | 'stop'> {
	run(): Promise<void>;
}
