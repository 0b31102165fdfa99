import type { RemoteTrackPublication, Room } from 'livekit-client';

/**
 * Who is asked for what they send, and from when on. In a room that is joined before anybody listens nothing may
 * arrive: nobody takes it out of the jitter buffer, which fills, and the first word is late by all of it (half a
 * second, measured). A subscription that is only switched off is no help: the older generation's server sends a second of
 * silent frames when it is.
 */
export interface RoomHearing {
	/** The server subscribes us to everything by itself. */
	readonly auto: boolean;
	/** Somebody published. */
	published(publication: RemoteTrackPublication): void;
	/** Joined, or joined anew: those that were there are not told one by one. */
	joined(): void;
	close(): void;
}

/** Until `hearsFrom` resolves nothing is asked for; undefined = everything at once, by the server itself. */
export function createRoomHearing(room: Room, hearsFrom: Promise<void> | undefined): RoomHearing {
	let hears = false;

	function published(publication: RemoteTrackPublication): void {
		if (hears && !publication.isDesired) publication.setSubscribed(true);
	}

	function joined(): void {
		for (const participant of room.remoteParticipants.values())
			for (const publication of participant.trackPublications.values()) published(publication);
	}

	let begin = () => {
		hears = true;
		joined();
	};
	void hearsFrom?.then(() => begin());

	return {
		auto: hearsFrom === undefined,
		published,
		joined,
		close() {
			hears = false;
			begin = () => {};
		},
	};
}
