import type { Settings } from './schema.ts';

/** Whether a conversation with these settings begins in a room, with a session; a socket needs none. */
export function needsRoom({
	service,
	mode,
	transport,
}: Pick<Settings, 'service' | 'mode' | 'transport'>): boolean {
	// The interpreter on this computer has no rooms.
	return service !== 'local' && mode !== 'captions' && transport !== 'websocket';
}
