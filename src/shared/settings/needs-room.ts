import type { Settings } from './schema.ts';

/** Whether a conversation with these settings begins in a room, with a session; a socket needs none. */
export function needsRoom({ mode, transport }: Pick<Settings, 'mode' | 'transport'>): boolean {
	return mode !== 'captions' && transport !== 'websocket';
}
