import type { Register, StoredVoice } from '#main/voices/register.ts';
import { ok } from '#shared/lib/result.ts';

export interface MemoryRegister extends Register {
	readonly voices: () => readonly StoredVoice[];
}

/** A register that forgets; `alive` names other processes that still run. */
export function createMemoryRegister(
	first: readonly StoredVoice[] = [],
	alive: ReadonlySet<string> = new Set(),
): MemoryRegister {
	let voices = first;
	return {
		owner: 'this-process',
		salt: async () => ok('salt'),
		read: async () => ok(voices),
		async change(edit) {
			voices = edit(voices);
			return ok(voices);
		},
		isInUse: (owner) => owner === 'this-process' || alive.has(owner),
		brokenFile: () => null,
		close() {},
		voices: () => voices,
	};
}
