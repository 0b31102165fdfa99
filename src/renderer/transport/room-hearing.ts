import type { RemoteTrackPublication, Room } from 'livekit-client';

/**
 * Decides whose tracks are subscribed to, and when. In a room joined before anybody listens nothing may arrive: nothing
 * drains the jitter buffer, which fills, and the first word is late by its length (half a second, measured). Merely
 * disabling a subscription does not help: the older generation's server then sends a second of silent frames.
 */
export interface RoomHearing {
	/** The server subscribes us to everything by itself. */
	readonly auto: boolean;
	/** Somebody published. */
	published(publication: RemoteTrackPublication): void;
	/** Joined, or joined anew: publications already present get no event of their own. */
	joined(): void;
	close(): void;
}

/** Subscribes to nothing until `hearsFrom` resolves; undefined = the server subscribes us to everything at once. */
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
