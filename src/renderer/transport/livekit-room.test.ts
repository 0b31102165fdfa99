import { RoomEvent } from 'livekit-client';
import { expect, test } from 'vitest';
import { type HandledEvent, roomEventTable } from './livekit-room.ts';

const handled: Record<HandledEvent, () => void> = {
	signalReconnecting() {},
	reconnecting() {},
	reconnected() {},
	disconnected() {},
	trackSubscribed() {},
	trackUnsubscribed() {},
	trackSubscriptionFailed() {},
	dataReceived() {},
};

test('every event of the library is handled or ignored on purpose', () => {
	const table = roomEventTable(handled);
	expect(Object.keys(table).sort()).toEqual(Object.values(RoomEvent).sort());
});

test('what is ignored says why', () => {
	for (const [name, entry] of Object.entries(roomEventTable(handled))) {
		if (name in handled) expect(entry).toBe(handled[name as HandledEvent]);
		else expect(entry).toMatch(/^ignored: .{10,}/);
	}
});
