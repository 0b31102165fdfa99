import { deviceCases, lifeCases, messageCases } from './life-cases.ts';
import type { Case } from './looking.ts';
import { restCases } from './rest-cases.ts';
import { roomCases } from './room-cases.ts';

/**
 * The faults of the catalogue that any client meets, program or library. Left out are those of windows,
 * files, settings, uploads, sockets and of what is shown, and those that only a history or a list of sessions shows.
 */
export const cases: readonly Case[] = [
	...restCases,
	...lifeCases,
	...roomCases,
	...messageCases,
	...deviceCases,
];
