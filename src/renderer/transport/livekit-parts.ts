/** Everything that we use from the library: anything not named here is left out of the build. */
export {
	ConnectionError,
	ConnectionErrorReason,
	DisconnectReason,
	LocalAudioTrack,
	ParticipantEvent,
	Room,
	setLogLevel,
	Track,
} from 'livekit-client';
