import type { Room, RoomEvent, RoomEventCallbacks } from 'livekit-client';

/** Ignored on purpose, with the reason. */
type Ignored = `ignored: ${string}`;

/**
 * What we do about every event of the library. A version with another event, or an entry left out,
 * does not compile.
 */
export type RoomEventTable = {
	readonly [Name in `${RoomEvent}`]: Name extends keyof RoomEventCallbacks
		? RoomEventCallbacks[Name] | Ignored
		: Ignored;
};

export type HandledEvent =
	| 'signalReconnecting'
	| 'reconnecting'
	| 'reconnected'
	| 'disconnected'
	| 'trackSubscribed'
	| 'trackUnsubscribed'
	| 'trackSubscriptionFailed'
	| 'dataReceived';

const OURS = 'ignored: our microphone and output modules own the devices';
const PLAYED = 'ignored: the mixer plays the tracks, not the library';
const NOT_SENT = 'ignored: the service does not use it (protocol 4)';

export function roomEventTable(handlers: Pick<RoomEventTable, HandledEvent>): RoomEventTable {
	return {
		...handlers,
		connected: 'ignored: `connect` resolves',
		connectionStateChanged: 'ignored: the events for each change say the same',
		signalConnected: 'ignored: half of a connection is none',
		moved: NOT_SENT,
		mediaDevicesChanged: OURS,
		mediaDevicesError: OURS,
		activeDeviceChanged: OURS,
		localAudioSilenceDetected: OURS,
		audioPlaybackChanged: PLAYED,
		videoPlaybackChanged: PLAYED,
		participantConnected: 'ignored: readiness is told by messages, not by who is there',
		participantActive: 'ignored: as participantConnected',
		participantDisconnected: 'ignored: normal during a reconnect (ecosystem 3.5)',
		participantMetadataChanged: NOT_SENT,
		participantNameChanged: NOT_SENT,
		participantAttributesChanged: NOT_SENT,
		participantPermissionsChanged: NOT_SENT,
		participantEncryptionStatusChanged: NOT_SENT,
		encryptionError: NOT_SENT,
		roomMetadataChanged: NOT_SENT,
		recordingStatusChanged: NOT_SENT,
		activeSpeakersChanged: 'ignored: the mixer measures the voice itself',
		connectionQualityChanged: 'ignored: the statistics say more',
		trackPublished: 'ignored: the server subscribes us to everything by itself',
		trackUnpublished: 'ignored: `trackUnsubscribed` comes with it',
		trackMuted: 'ignored: a muted voice is a silent one',
		trackUnmuted: 'ignored: as trackMuted',
		trackStreamStateChanged: 'ignored: pausing is for video',
		trackSubscriptionPermissionChanged: NOT_SENT,
		trackSubscriptionStatusChanged: 'ignored: `trackSubscribed` and `trackUnsubscribed` say the same',
		localTrackPublished: 'ignored: `publishTrack` resolves',
		localTrackUnpublished: 'ignored: the library publishes again after a reconnect by itself',
		localTrackSubscribed: 'ignored: who listens is the service’s affair',
		dcBufferStatusChanged: 'ignored: what is sent is small, and looked at before sending',
		chatMessage: NOT_SENT,
		sipDTMFReceived: NOT_SENT,
		transcriptionReceived: NOT_SENT,
		metricsReceived: NOT_SENT,
		dataTrackPublished: NOT_SENT,
		dataTrackUnpublished: NOT_SENT,
		localDataTrackPublished: NOT_SENT,
		localDataTrackUnpublished: NOT_SENT,
	};
}

/** Returns a function that removes every handler. */
export function listenToRoom(room: Room, table: RoomEventTable): () => void {
	const removals: (() => void)[] = [];
	for (const [name, handler] of Object.entries(table)) {
		if (typeof handler !== 'function') continue;
		// The table's type matches each handler to its event; iterating over entries loses that.
		room.on(name as keyof RoomEventCallbacks, handler as never);
		removals.push(() => void room.off(name as keyof RoomEventCallbacks, handler as never));
	}
	return () => {
		for (const remove of removals) remove();
	};
}
