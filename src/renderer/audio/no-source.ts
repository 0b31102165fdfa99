import { err } from '#shared/lib/result.ts';
import type { Microphone } from './microphone.ts';

/** Stands where nothing can be heard from. */
export function createNoSource(): Microphone {
	return {
		open: async () => err({ kind: 'microphone-missing' }),
		setMuted() {},
		close() {},
		listen: () => () => {},
		device: '',
		async apply() {},
	};
}
