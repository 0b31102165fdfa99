import type { Settings } from './schema.ts';

/** A conversation of these settings begins in a room, with a session; by a socket it needs none. */
export function needsRoom({ mode, transport }: Pick<Settings, 'mode' | 'transport'>): boolean {
	return mode !== 'captions' && transport !== 'websocket';
}
